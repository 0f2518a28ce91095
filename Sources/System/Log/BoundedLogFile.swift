import CLinux
import Glibc
import Synchronization

/// A log file of limited size that only its owner can read; can be used from any thread.
///
/// A full file is renamed to `PATH.1`, which replaces the file with that name. Several processes can append to the same
/// file.
final class BoundedLogFile: Sendable {
  private let path: String
  private let bytesMax: Int
  private let descriptor = Mutex<Int32>(-1)

  /// Creates a log at `path`; the file is opened when the first line is appended.
  init(_ path: String, bytesMax: Int = Limits.logFileBytes) {
    precondition(bytesMax > 0, "a log file has room for a line")
    self.path = path
    self.bytesMax = bytesMax
  }

  deinit {
    let descriptor = descriptor.withLock { $0 }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Appends a line.
  ///
  /// Returns false if the file cannot be written.
  func append(_ line: String) -> Bool {
    let bytes = Array((line + "\n").utf8)
    return descriptor.withLock { descriptor in
      if descriptor < 0 { descriptor = open() }
      if let size = size(of: descriptor), size > 0, size + bytes.count > bytesMax {
        _ = unsafe rename(path, path + ".1")
        close(descriptor)
        descriptor = open()
      }
      guard descriptor >= 0 else { return false }
      // If a full disk truncates a line, the line is not written again.
      return unsafe bytes.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, $0.count)
      } == bytes.count
    }
  }

  private func open() -> Int32 {
    unsafe belfry_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
  }

  private func size(of descriptor: Int32) -> Int? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : nil
  }
}
