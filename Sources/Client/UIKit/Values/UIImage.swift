public import Foundation

/// An image that stores the bytes of its file.
///
/// Images are not drawn, decoded, or converted.
open class UIImage: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  package let bytes: Data

  /// The name that was used to find the image; nil if it was created from bytes.
  let name: String?

  init(bytes: Data, name: String?) {
    self.bytes = bytes
    self.name = name
    super.init()
  }

  /// Creates an image without data.
  public override convenience init() { self.init(bytes: Data(), name: nil) }

  /// Creates an image from a file in the app's bundle; nil if the file does not exist.
  public convenience init?(named name: String) { self.init(named: name, in: nil) }

  /// Creates an image from a file in a bundle, or in the app's bundle if the bundle is nil; nil if the file does not
  /// exist.
  public convenience init?(named name: String, in bundle: Bundle?) {
    let parts = (name as NSString)
    let types = parts.pathExtension.isEmpty ? ["png", "jpg", "jpeg", "gif"] : [parts.pathExtension]
    for type in types {
      let path = (bundle ?? .main).path(
        forResource: parts.deletingPathExtension.isEmpty ? name : parts.deletingPathExtension,
        ofType: type)
      if let path, let bytes = FileManager.default.contents(atPath: path) {
        self.init(bytes: bytes, name: name)
        return
      }
    }
    return nil
  }

  /// Creates an image that refers to a system image by name and has no bytes.
  public convenience init?(systemName name: String) { self.init(bytes: Data(), name: name) }

  /// Creates an image from a file; nil if the file cannot be read.
  public convenience init?(contentsOfFile path: String) {
    guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
    self.init(bytes: bytes, name: nil)
  }

  /// Creates an image from the bytes of a file; nil if the data is empty.
  public convenience init?(data: Data) {
    guard !data.isEmpty else { return nil }
    self.init(bytes: data, name: nil)
  }

  /// Creates an image from the bytes of a file; the scale is not stored.
  public convenience init?(data: Data, scale: CGFloat) { self.init(data: data) }

  /// The width and height of the image; always zero because images are not decoded.
  open var size: CGSize { .zero }

  /// The number of pixels per point; always 1.
  open var scale: CGFloat { 1 }

  /// Returns the bytes if they are a PNG file; otherwise, returns nil.
  open func pngData() -> Data? { starts(with: [0x89, 0x50, 0x4E, 0x47]) }

  /// Returns the bytes if they are a JPEG file, regardless of the quality; otherwise, returns nil.
  open func jpegData(compressionQuality: CGFloat) -> Data? { starts(with: [0xFF, 0xD8, 0xFF]) }

  private func starts(with signature: [UInt8]) -> Data? {
    bytes.starts(with: signature) ? bytes : nil
  }
}
