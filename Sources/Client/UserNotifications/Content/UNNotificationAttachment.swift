import AppWire
public import Foundation

/// An image, sound, or movie attached to a notification.
open class UNNotificationAttachment: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The app's identifier for the attachment; generated if the app provides an empty one.
  public let identifier: String

  /// The URL of the file.
  public let url: URL

  /// The uniform type identifier of the file.
  public let type: String

  package let options: [AnyHashable: Any]

  /// Creates an attachment from an existing file.
  ///
  /// The file's size is checked when the request is added. Then the file is moved into the system's store, or copied if
  /// it is in the app's bundle.
  ///
  /// - Throws: `UNError.attachmentInvalidURL` if the URL does not refer to a readable file, or
  ///   `UNError.attachmentUnrecognizedType` if the file's type is not supported in notifications.
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

  /// Creates an attachment from an existing file, using the initializer's previous argument labels.
  ///
  /// - Throws: The errors of `init(identifier:url:options:)`.
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

  /// A description of the attachment's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("identifier", identifier),
        ("URL", url.absoluteString),
        ("type", type),
      ])
  }

  /// Returns whether the other attachment has the same identifier, URL, and type.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNNotificationAttachment else { return false }
    return identifier == other.identifier && url == other.url && type == other.type
  }

  /// The hash value of the identifier.
  open override var hash: Int { identifier.hashValue }

  /// Returns the same object, because attachments are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates an attachment from an archive; nil if the archive does not contain one.
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

  /// Writes the attachment to an archive, without the file's contents.
  open func encode(with coder: NSCoder) {
    coder.encode(identifier as NSString, forKey: "identifier")
    coder.encode(url.path as NSString, forKey: "path")
    coder.encode(type as NSString, forKey: "type")
  }
}
