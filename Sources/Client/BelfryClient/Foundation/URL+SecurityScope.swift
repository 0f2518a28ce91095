public import Foundation

extension URL {
  /// Whether the file, such as a notification's attachment, can be read.
  ///
  /// There are no scopes of access on this system; nothing has to be given back.
  public func startAccessingSecurityScopedResource() -> Bool {
    isFileURL && FileManager.default.isReadableFile(atPath: path)
  }

  /// Does nothing.
  public func stopAccessingSecurityScopedResource() {}
}
