import CConfinement
import Glibc

/// `belfry-focus`: reports the active window of an X server.
///
/// This is a separate process because the agent also runs without X11.
@main
enum Program {
  private static let usage = """
    belfry-focus: reports the foreground window of the X server in DISPLAY.

      belfry-focus
          prints one JSON object per line, first immediately, then at each change: window, which is
          null if there is no window; otherwise, it contains process (null if the window does not
          report it) and names (the app's names, if any)

    Exits 0 when the X server or the reader has exited, 1 without an X server, 2 on incorrect usage.

    """

  /// The time, in milliseconds, during which a window manager that switches windows can report that no window is
  /// active.
  private static let settlingMilliseconds: Int64 = 100

  static func main() {
    // Ignore SIGPIPE, so that writes fail after the reader has exited.
    _ = signal(SIGPIPE, SIG_IGN)
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  private static func run(_ arguments: [String]) -> Int32 {
    if arguments == ["--help"] || arguments == ["-h"] {
      _ = writeLine(usage, on: STDOUT_FILENO)
      return 0
    }
    guard arguments.isEmpty else {
      _ = writeLine("belfry: incorrect usage: see belfry-focus --help\n", on: STDERR_FILENO)
      return 2
    }
    guard let display = XDisplay() else {
      _ = writeLine(
        "belfry: no X server: set DISPLAY, and XAUTHORITY if the server requires it\n",
        on: STDERR_FILENO)
      return 1
    }
    // From this point, the program reads properties that other programs set, so confine it. It needs only the
    // connection that is already open.
    let lacking = belfry_confine(nil, 0)
    if lacking != 0 {
      let names = [
        (BELFRY_LACKS_NO_NEW_PRIVILEGES, "no_new_privs"), (BELFRY_LACKS_LANDLOCK, "Landlock"),
        (BELFRY_LACKS_SECCOMP, "seccomp"),
      ].filter { lacking & $0.0 != 0 }.map(\.1).joined(separator: ", ")
      guard writeLine("{\"lacking\":\"\(names)\"}\n", on: STDOUT_FILENO) else { return 0 }
    }
    watch(display)
    return 0
  }

  private static func watch(_ display: XDisplay) {
    var told: String?
    while true {
      let window = display.activeWindow
      if window == nil {
        switch display.wait(milliseconds: settlingMilliseconds) {
        case .changed: continue
        case .ended: return
        case .quiet: break
        }
      }
      let line = FocusedWindow.line(window)
      if line != told {
        guard writeLine(line + "\n", on: STDOUT_FILENO) else { return }
        told = line
      }
      guard display.wait(milliseconds: nil) == .changed else { return }
    }
  }

  private static func writeLine(_ text: String, on descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe write(descriptor, bytes.baseAddress, bytes.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
