import BelfryWire
import Glibc

/// The output of commands: answers on stdout, everything else on stderr.
enum Output {
  /// One line of the answer; flushed, so that a pipe's reader sees it at once.
  static func line(_ text: String) {
    write(text + "\n", to: STDOUT_FILENO)
  }

  /// Text with its own end of line.
  static func text(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// One JSON object a line.
  static func json(_ value: JSONValue) { line(value.text) }

  /// An error message: what is wrong, and what to do.
  static func error(_ what: String, do advice: String) {
    write("belfry: \(what): \(advice)\n", to: STDERR_FILENO)
  }

  /// A message that already says what to do.
  static func error(_ message: String) { write("belfry: \(message)\n", to: STDERR_FILENO) }

  /// The same for an error whose description already says what to do.
  static func error(_ failure: any Error) {
    write("belfry: \(failure)\n", to: STDERR_FILENO)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }
}
