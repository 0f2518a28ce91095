import BelfryWire
import Glibc
import Synchronization
import System

/// The output of commands: results on standard output, and everything else on standard error.
enum Output {
  /// Writes a line of the result and flushes the output, so that the reader of a pipe sees the line immediately.
  static func line(_ text: String) {
    write(text + "\n", to: .output)
  }

  /// Writes text that already includes line endings.
  static func text(_ text: String) { write(text, to: .output) }

  /// Writes the help of a command.
  static func help(_ table: OptionTable) { text(table.help(columns: helpColumns)) }

  /// Writes the help of several commands, each followed by an empty line.
  static func help(_ tables: [OptionTable]) {
    for table in tables { text(table.help(columns: helpColumns) + "\n") }
  }

  /// The width, in characters, to which help is wrapped; nil if standard output is not a terminal.
  static var helpColumns: Int? { RawTerminal.outputWidth.map { min($0, helpColumnsMax) } }

  /// The maximum width of help, in characters: longer lines are hard to read.
  private static let helpColumnsMax = 100

  /// Writes a JSON object as a line.
  static func json(_ value: JSONValue) { line(value.text) }

  /// Writes an error message that states the problem and the advice.
  static func error(_ what: String, do advice: String) {
    error("\(what): \(advice)")
  }

  /// Writes a message that already includes advice.
  static func error(_ message: String) {
    write("belfry: \(message.showingControlCharacters)\n", to: .error)
  }

  /// Writes an error whose description already includes advice.
  static func error(_ failure: any Error) {
    error("\(failure)")
  }

  /// The error number of the first failed write of the result; 0 if every write succeeded.
  private static let failure = Atomic<Int32>(0)

  /// Returns the exit status of a command: `status`, or 1 if part of the result couldn't be written.
  ///
  /// This method also reports the failure. It is not a failure if the reader closed the pipe, if the terminal was
  /// disconnected, or if the command was asked to exit and the reader didn't read the remaining output in time.
  static func status(_ status: Int32) -> Int32 {
    let number = failure.load(ordering: .relaxed)
    guard ![0, EPIPE, EIO, ETIMEDOUT].contains(number) else { return status }
    error(
      "cannot write the output (\(SystemFailure.message(number)))",
      do: "redirect it to a file, or to a program that reads all of it")
    return status == 0 ? 1 : status
  }

  /// Returns a number with a noun: "1 device" or "2 devices".
  static func counted(_ number: some CustomStringConvertible, _ noun: String) -> String {
    "\(number) \(noun)\("\(number)" == "1" ? "" : "s")"
  }

  /// Returns a number of bytes with a decimal unit: "5.2 GB".
  static func bytes(_ count: Double) -> String {
    var (value, unit) = (count, 0)
    while value >= 1_000, unit < 4 {
      value /= 1_000
      unit += 1
    }
    let tenths = unit == 0 ? "\(Int(value))" : "\((value * 10).rounded() / 10)"
    return "\(tenths) \(["bytes", "kB", "MB", "GB", "TB"][unit])"
  }

  private static func write(_ text: String, to stream: StandardStream) {
    let number = stream.write(text.utf8)
    guard number != 0, stream == .output else { return }
    _ = failure.compareExchange(expected: 0, desired: number, ordering: .relaxed)
  }
}

extension String {
  /// The text with control characters escaped, except line endings and tabs, so that text from a file or a peer can't
  /// move the terminal's cursor.
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
