import Glibc

/// A terminal in raw mode that shows an alternate screen.
///
/// The terminal's previous state is restored at the end.
final class RawTerminal {
  private var before: termios

  /// Switches the terminal to raw mode.
  ///
  /// Returns nil if standard input or output is not a terminal.
  init?() {
    var attributes = termios()
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      unsafe tcgetattr(STDIN_FILENO, &attributes) == 0
    else { return nil }
    before = attributes
    unsafe cfmakeraw(&attributes)
    guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes) == 0 else { return nil }
    // Switch to the alternate screen and hide the cursor.
    Output.text("\u{1B}[?1049h\u{1B}[?25l")
  }

  /// Restores the previous state of the terminal.
  func close() {
    Output.text("\u{1B}[?25h\u{1B}[?1049l")
    _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
  }

  /// The size of the terminal in columns and lines.
  var size: (width: Int, height: Int) { Self.outputSize }

  /// The width, in columns, of the terminal to which standard output is written; nil if it is not a terminal.
  static var outputWidth: Int? { isatty(STDOUT_FILENO) == 1 ? outputSize.width : nil }

  private static var outputSize: (width: Int, height: Int) {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
      size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Clears the screen and shows these lines.
  func show(_ lines: [String]) {
    Output.text("\u{1B}[H\u{1B}[2J" + lines.joined(separator: "\r\n"))
  }

  /// Waits for the next supported key; returns nil if no key is pressed within `milliseconds`.
  ///
  /// The end of input counts as the quit key.
  func key(withinMilliseconds milliseconds: Int32) -> PageKey? {
    while true {
      guard hasInput(withinMilliseconds: milliseconds) else { return nil }
      guard let byte = byte() else { return .quit }
      switch byte {
      case UInt8(ascii: "q"), 0x03, 0x04: return .quit
      case UInt8(ascii: "k"): return .up
      case UInt8(ascii: "j"): return .down
      case UInt8(ascii: "h"): return .left
      case UInt8(ascii: "l"): return .right
      case UInt8(ascii: "c"): return .clear
      case 0x0D, 0x0A, UInt8(ascii: " "): return .enter
      case 0x7F, 0x08: return .back
      case 0x1B:
        guard isMoreThere else { return .back }
        if let key = arrow() { return key }
      default: break
      }
    }
  }

  /// Allows the user to type a line; `lines` converts the typed text into the lines to display.
  ///
  /// Returns nil if the user presses the Escape key or the input ends.
  func text(_ lines: (String) -> [String]) -> String? {
    var typed: [UInt8] = []
    while true {
      let text = String(decoding: typed, as: UTF8.self)
      show(lines(text))
      guard let byte = byte() else { return nil }
      switch byte {
      case 0x0D, 0x0A: return text
      case 0x1B:
        guard isMoreThere else { return nil }
        // Arrow keys have no effect here.
        _ = arrow()
      case 0x03, 0x04: return nil
      case 0x7F, 0x08: typed = Array(text.dropLast().utf8)
      case 0x20...: if typed.count < Self.textBytes { typed.append(byte) }
      default: break
      }
    }
  }

  /// The maximum length of a typed line, in bytes: enough for a long message.
  private static let textBytes = 4_096

  /// Reads the rest of an arrow key's sequence: ESC [ A or ESC O A.
  private func arrow() -> PageKey? {
    guard let second = byte(), second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else {
      return nil
    }
    switch byte() {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "C"): return .right
    case UInt8(ascii: "D"): return .left
    default: return nil
    }
  }

  private func byte() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      return count == 1 ? byte : nil
    }
  }

  /// True if another byte follows immediately, as for an arrow key but not for the Escape key.
  private var isMoreThere: Bool { hasInput(withinMilliseconds: 50) }

  private func hasInput(withinMilliseconds milliseconds: Int32) -> Bool {
    var wish = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wish, 1, milliseconds) == 1
  }
}
