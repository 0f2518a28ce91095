public import Foundation

extension URL {
  /// Returns whether the file, such as a notification's attachment, can be read.
  ///
  /// There are no security scopes on this system, so access does not have to be released.
  public func startAccessingSecurityScopedResource() -> Bool {
    isFileURL && FileManager.default.isReadableFile(atPath: path)
  }

  /// Has no effect, because there are no security scopes on this system.
  public func stopAccessingSecurityScopedResource() {}
}
