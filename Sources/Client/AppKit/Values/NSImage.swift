public import Foundation

/// An image as a value: the bytes of its file.
///
/// Nothing is drawn, decoded or converted.
open class NSImage: NSObject, @unchecked Sendable {
  // Sendable: like Apple's class, for one owner at a time.

  /// The name of an image.
  public typealias Name = String

  let bytes: Data

  /// Width and height; as given, images are not decoded here.
  open var size: NSSize

  /// Whether it is a mask; stored, without effect.
  open var isTemplate = false

  private let imageName: Name?

  init(bytes: Data, size: NSSize, name: Name?) {
    self.bytes = bytes
    self.size = size
    imageName = name
    super.init()
  }

  /// An image file of the app's bundle; nil when there is none.
  public convenience init?(named name: NSImage.Name) {
    let parts = name as NSString
    let types =
      parts.pathExtension.isEmpty ? ["png", "jpg", "jpeg", "gif", "svg"] : [parts.pathExtension]
    for type in types {
      let path = Bundle.main.path(forResource: parts.deletingPathExtension, ofType: type)
      if let path, let bytes = FileManager.default.contents(atPath: path) {
        self.init(bytes: bytes, size: .zero, name: name)
        return
      }
    }
    return nil
  }

  /// An image that the system brings, by its name; it has no bytes.
  public convenience init?(
    systemSymbolName name: String, accessibilityDescription description: String?
  ) {
    self.init(bytes: Data(), size: .zero, name: name)
  }

  /// An image file; nil when it cannot be read.
  public convenience init?(contentsOfFile fileName: String) {
    guard let bytes = FileManager.default.contents(atPath: fileName) else { return nil }
    self.init(bytes: bytes, size: .zero, name: nil)
  }

  /// An image file; nil when it cannot be read.
  public convenience init?(contentsOf url: URL) {
    guard let bytes = try? Data(contentsOf: url) else { return nil }
    self.init(bytes: bytes, size: .zero, name: nil)
  }

  /// An image from the bytes of a file; nil when there are none.
  public convenience init?(data: Data) {
    guard !data.isEmpty else { return nil }
    self.init(bytes: data, size: .zero, name: nil)
  }

  /// An empty image of a size.
  public convenience init(size: NSSize) { self.init(bytes: Data(), size: size, name: nil) }

  /// The name by which it was found; nil when it came from bytes.
  open func name() -> NSImage.Name? { imageName }
}
