import Glibc

extension FileSystem {
  /// The folder of this process's executable, which contains the other installed programs.
  ///
  /// The value is `nil` if `/proc` is not available.
  public static var programFolder: String? {
    var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &characters, characters.count)
    guard count > 0 else { return nil }
    let bytes = characters[..<count].map(UInt8.init(bitPattern:))
    return parent(of: String(decoding: bytes, as: UTF8.self))
  }
}
