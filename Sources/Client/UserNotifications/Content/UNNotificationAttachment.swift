import BelfryWire
public import Foundation

/// A picture, sound or film that goes with a notification.
open class UNNotificationAttachment: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The app's name for it; made up when the app gave an empty one.
  public let identifier: String

  /// Where the file is.
  public let url: URL

  /// A uniform type identifier.
  public let type: String

  package let options: [AnyHashable: Any]

  /// An attachment of a file that exists.
  ///
  /// Its size is checked when the request is added; then the file is moved into a store of the
  /// system's, or copied when it lies in the app's bundle.
  ///
  /// - Throws: `UNError.attachmentInvalidURL` when the URL names no readable file,
  ///   `UNError.attachmentUnrecognizedType` when a notification cannot carry its type.
  public convenience init(
    identifier: String, url URL: URL, options: [AnyHashable: Any]? = nil
  ) throws {
    let path = URL.resolvingSymlinksInPath().path
    let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    guard
      URL.isFileURL, kind == .typeRegular, FileManager.default.isReadableFile(atPath: path)
    else { throw UNError.because(.attachmentInvalidURL) }
    let hint = options?[UNNotificationAttachmentOptionsTypeHintKey] as? String
    guard let type = AttachmentType.identifier(hint: hint, pathExtension: URL.pathExtension)
    else { throw UNError.because(.attachmentUnrecognizedType) }
    self.init(
      name: identifier.isEmpty ? UUID().uuidString : identifier, url: URL, type: type,
      options: options ?? [:])
  }

  /// An attachment of a file that exists, by the initialiser's former labels.
  ///
  /// - Throws: as `init(identifier:url:options:)`.
  @available(iOS, deprecated: 10.0, renamed: "init(identifier:url:options:)")
  public convenience init(
    identifier: String, URL: URL, options: [AnyHashable: Any]? = nil
  ) throws {
    try self.init(identifier: identifier, url: URL, options: options)
  }

  package init(name: String, url: URL, type: String, options: [AnyHashable: Any]) {
    identifier = name
    self.url = url
    self.type = type
    self.options = options
    super.init()
  }

  /// The attachment's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("identifier", identifier),
        ("URL", url.absoluteString),
        ("type", type),
      ])
  }

  /// Whether the other attachment is the same file under the same name.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationAttachment else { return false }
    return identifier == other.identifier && url == other.url && type == other.type
  }

  /// The hash of the name.
  open override var hash: Int { identifier.hashValue }

  /// Returns the attachment itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Attachments can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived attachment; nil when the archive has none.
  public required init?(coder: NSCoder) {
    guard
      let name = coder.decodeObject(of: NSString.self, forKey: "identifier"),
      let path = coder.decodeObject(of: NSString.self, forKey: "path"),
      let type = coder.decodeObject(of: NSString.self, forKey: "type")
    else { return nil }
    identifier = name as String
    url = URL(fileURLWithPath: path as String)
    self.type = type as String
    options = [:]
    super.init()
  }

  /// Writes the attachment to an archive, without the file.
  open func encode(with coder: NSCoder) {
    coder.encode(identifier as NSString, forKey: "identifier")
    coder.encode(url.path as NSString, forKey: "path")
    coder.encode(type as NSString, forKey: "type")
  }
}
