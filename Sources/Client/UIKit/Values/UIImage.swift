public import Foundation

/// An image as a value: the bytes of its file.
///
/// Nothing is drawn, decoded or converted.
open class UIImage: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  package let bytes: Data

  /// The name by which it was found; nil when it came from bytes.
  let name: String?

  init(bytes: Data, name: String?) {
    self.bytes = bytes
    self.name = name
    super.init()
  }

  /// An image without anything in it.
  public override convenience init() { self.init(bytes: Data(), name: nil) }

  /// An image file of the app's bundle; nil when there is none.
  public convenience init?(named name: String) { self.init(named: name, in: nil) }

  /// An image file of a bundle, of the app's when nil; nil when there is none.
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

  /// An image that the system brings, by its name; it has no bytes.
  public convenience init?(systemName name: String) { self.init(bytes: Data(), name: name) }

  /// An image file; nil when it cannot be read.
  public convenience init?(contentsOfFile path: String) {
    guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
    self.init(bytes: bytes, name: nil)
  }

  /// An image from the bytes of a file; nil when there are none.
  public convenience init?(data: Data) {
    guard !data.isEmpty else { return nil }
    self.init(bytes: data, name: nil)
  }

  /// An image from the bytes of a file; the scale is not stored.
  public convenience init?(data: Data, scale: CGFloat) { self.init(data: data) }

  /// Width and height: images are not decoded here, so always zero.
  open var size: CGSize { .zero }

  /// Pixels a point.
  open var scale: CGFloat { 1 }

  /// The bytes when they are a PNG file; nil else.
  open func pngData() -> Data? { starts(with: [0x89, 0x50, 0x4E, 0x47]) }

  /// The bytes when they are a JPEG file, whatever the quality; nil else.
  open func jpegData(compressionQuality: CGFloat) -> Data? { starts(with: [0xFF, 0xD8, 0xFF]) }

  private func starts(with signature: [UInt8]) -> Data? {
    bytes.starts(with: signature) ? bytes : nil
  }
}
