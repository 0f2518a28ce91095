import CGtk
import Glibc

/// `belfry-center`: shows the agent's windows.
///
/// This is a separate process so that the agent neither requires GTK nor decodes images.
@main
enum Program {
  private static let usage = """
    belfry-center: shows notifications, questions, the Notification Center and the settings as windows.

      belfry-center
          reads one JSON object per line: {"do":"show","window":NAME,"app","icon","title","subtitle","body",
          "image","content":[{"text"} or {"picture"}],"direction","focus","buttons":[{"id","title","style",
          "hint","input":{"placeholder","send"},"confirm":{"title","cancel"}}]}, {"do":"center","title","empty",
          "buttons","groups"}, {"do":"settings","title","empty","problem","sections":[{"id","title",
          "rows":[{"id","title","value","choices":[{"value","title"}]}]}]}, {"do":"close","window":NAME}
          prints one JSON object per line: event shown, pressed (button, text; app and item in the Notification
          Center), changed (section, row, value) or closed, and window

    'belfry agent' starts this program. To open the Notification Center, run 'belfry center --window'; to
    open the settings, run 'belfry settings --window'.
    Exits 0 when standard input ends, 1 without a display, 2 on incorrect usage.

    """

  static func main() {
    // Ignore SIGPIPE, so that writes fail after the agent has exited.
    _ = signal(SIGPIPE, SIG_IGN)
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  private static func run(_ arguments: [String]) -> Int32 {
    if arguments == ["--help"] || arguments == ["-h"] {
      _ = write(usage, on: STDOUT_FILENO)
      return 0
    }
    guard arguments.isEmpty else {
      _ = write("belfry: incorrect usage: see belfry-center --help\n", on: STDERR_FILENO)
      return 2
    }
    unsafe g_set_prgname("belfry-center")
    unsafe g_set_application_name("Belfry")
    guard gtk_init_check() != 0 else {
      _ = write(
        "belfry: no display: set WAYLAND_DISPLAY or DISPLAY\n", on: STDERR_FILENO)
      return 1
    }
    let loop = unsafe g_main_loop_new(nil, 0)
    let windows = Windows { line in
      if !write(line + "\n", on: STDOUT_FILENO) { unsafe g_main_loop_quit(loop) }
    }
    _ = LineInput(
      onLine: { if let command = WindowCommand(line: $0) { windows.handle(command) } },
      onEnd: { unsafe g_main_loop_quit(loop) })
    unsafe g_main_loop_run(loop)
    return 0
  }

  private static func write(_ text: String, on descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
