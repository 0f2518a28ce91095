public import Foundation

/// The icon of an action.
open class UNNotificationActionIcon: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  package let name: String
  package let isSystemImage: Bool

  /// Creates an icon from one of the app's images.
  public convenience init(templateImageName: String) {
    self.init(name: templateImageName, isSystemImage: false)
  }

  /// Creates an icon from a system image, which on Linux is an icon of the desktop's icon theme.
  public convenience init(systemImageName: String) {
    self.init(name: systemImageName, isSystemImage: true)
  }

  package init(name: String, isSystemImage: Bool) {
    self.name = name
    self.isSystemImage = isSystemImage
    super.init()
  }

  /// Returns whether the other icon has the same name and source.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationActionIcon else { return false }
    return name == other.name && isSystemImage == other.isSystemImage
  }

  /// The hash value of the name.
  open override var hash: Int { name.hashValue }

  /// Returns the same object, because icons are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates an icon from an archive; nil if the archive does not contain one.
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
