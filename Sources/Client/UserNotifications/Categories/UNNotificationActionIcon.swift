public import Foundation

/// The picture of an action.
open class UNNotificationActionIcon: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  package let name: String
  package let isSystemImage: Bool

  /// An image of the app.
  public convenience init(templateImageName: String) {
    self.init(name: templateImageName, isSystemImage: false)
  }

  /// An image that the system brings; on Linux a name of the icon theme.
  public convenience init(systemImageName: String) {
    self.init(name: systemImageName, isSystemImage: true)
  }

  package init(name: String, isSystemImage: Bool) {
    self.name = name
    self.isSystemImage = isSystemImage
    super.init()
  }

  /// Whether the other icon is the same.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationActionIcon else { return false }
    return name == other.name && isSystemImage == other.isSystemImage
  }

  /// The hash of the name.
  open override var hash: Int { name.hashValue }

  /// Returns the icon itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Icons can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived icon; nil when the archive has none.
  public required init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = name as String
    isSystemImage = coder.decodeBool(forKey: "isSystemImage")
    super.init()
  }

  /// Writes the icon to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(isSystemImage, forKey: "isSystemImage")
  }
}
