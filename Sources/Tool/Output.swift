import BelfryWire
import Glibc
import Synchronization
import System

/// The output of commands: answers on stdout, everything else on stderr.
enum Output {
  /// One line of the answer; flushed, so that a pipe's reader sees it at once.
  static func line(_ text: String) {
    write(text + "\n", to: .output)
  }

  /// Text with its own end of line.
  static func text(_ text: String) { write(text, to: .output) }

  /// One JSON object a line.
  static func json(_ value: JSONValue) { line(value.text) }

  /// An error message: what is wrong, and what to do.
  static func error(_ what: String, do advice: String) {
    error("\(what): \(advice)")
  }

  /// A message that already says what to do.
  static func error(_ message: String) {
    write("belfry: \(message.showingControlCharacters)\n", to: .error)
  }

  /// The same for an error whose description already says what to do.
  static func error(_ failure: any Error) {
    error("\(failure)")
  }

  /// The error number of the answer's first write that failed; 0 while all of it is written.
  private static let failure = Atomic<Int32>(0)

  /// The exit status of a command that ends with `status`: 1 where a part of the answer could not be written.
  ///
  /// Such a failure is reported. A reader that has closed the pipe, one that read nothing while the command was told to
  /// end, and a terminal that is gone are no failure.
  static func status(_ status: Int32) -> Int32 {
    let number = failure.load(ordering: .relaxed)
    guard ![0, EPIPE, EIO, ETIMEDOUT].contains(number) else { return status }
    error(
      "the answer could not be written (\(SystemFailure.message(number)))",
      do: "send it to a file or a program that takes it")
    return status == 0 ? 1 : status
  }

  /// A number of things: "1 device", "2 devices".
  static func counted(_ number: some CustomStringConvertible, _ noun: String) -> String {
    "\(number) \(noun)\("\(number)" == "1" ? "" : "s")"
  }

  private static func write(_ text: String, to stream: StandardStream) {
    let number = stream.write(text.utf8)
    guard number != 0, stream == .output else { return }
    _ = failure.compareExchange(expected: 0, desired: number, ordering: .relaxed)
  }
}

extension String {
  /// The text with escapes for control characters, ends of lines and tabs apart: what a file or a peer wrote
  /// moves no terminal's cursor.
  fileprivate var showingControlCharacters: String {
    var text = ""
    for scalar in unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      if isControl, scalar != "\n", scalar != "\t" {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
