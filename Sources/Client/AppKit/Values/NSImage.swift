public import Foundation

/// An image that stores the bytes of its file.
///
/// Images are not drawn, decoded, or converted.
open class NSImage: NSObject, @unchecked Sendable {
  // Sendable: as with Apple's class, each object is used by only one owner at a time.

  /// The name of an image.
  public typealias Name = String

  let bytes: Data

  /// The width and height that the app set; images are not decoded.
  open var size: NSSize

  /// A Boolean value that indicates whether the image is a template; stored, but has no effect.
  open var isTemplate = false

  private let imageName: Name?

  init(bytes: Data, size: NSSize, name: Name?) {
    self.bytes = bytes
    self.size = size
    imageName = name
    super.init()
  }

  /// Creates an image from a file in the app's bundle; nil if the file does not exist.
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

  /// Creates an image that refers to a system symbol by name and has no bytes.
  public convenience init?(
    systemSymbolName name: String, accessibilityDescription description: String?
  ) {
    self.init(bytes: Data(), size: .zero, name: name)
  }

  /// Creates an image from a file; nil if the file cannot be read.
  public convenience init?(contentsOfFile fileName: String) {
    guard let bytes = FileManager.default.contents(atPath: fileName) else { return nil }
    self.init(bytes: bytes, size: .zero, name: nil)
  }

  /// Creates an image from the file at a URL; nil if the file cannot be read.
  public convenience init?(contentsOf url: URL) {
    guard let bytes = try? Data(contentsOf: url) else { return nil }
    self.init(bytes: bytes, size: .zero, name: nil)
  }

  /// Creates an image from the bytes of a file; nil if the data is empty.
  public convenience init?(data: Data) {
    guard !data.isEmpty else { return nil }
    self.init(bytes: data, size: .zero, name: nil)
  }

  /// Creates an empty image with the given size.
  public convenience init(size: NSSize) { self.init(bytes: Data(), size: size, name: nil) }

  /// Returns the name that was used to find the image; nil if it was created from bytes.
  open func name() -> NSImage.Name? { imageName }
}
