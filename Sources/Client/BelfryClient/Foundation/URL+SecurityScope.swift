public import Foundation

extension URL {
  /// Returns whether the file, such as a notification's attachment, can be read.
  ///
  /// This system has no security scopes, so access does not have to be released.
  public func startAccessingSecurityScopedResource() -> Bool {
    isFileURL && FileManager.default.isReadableFile(atPath: path)
  }

  /// Has no effect, because there are no security scopes on this system.
  public func stopAccessingSecurityScopedResource() {}
}
