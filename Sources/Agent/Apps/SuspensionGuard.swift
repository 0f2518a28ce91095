import Glibc
import System

/// A small helper process that resumes suspended processes after the agent exits for any reason, so that no process
/// stays suspended.
///
/// The helper reads the names of suspended and resumed processes from a pipe. The kernel closes the other end of the
/// pipe when the agent exits, even if the agent is killed.
final class SuspensionGuard {
  private static let script = """
    set -f
    trap '' TERM INT HUP
    suspended=
    while read -r sign name; do
      others=
      for one in $suspended; do
        [ "$one" = "$name" ] || others="$others $one"
      done
      suspended=$others
      [ "$sign" = + ] && suspended="$suspended $name"
    done
    for name in $suspended; do
      case $name in
        *.service)
          set -- --user call org.freedesktop.systemd1 /org/freedesktop/systemd1
          busctl "$@" org.freedesktop.systemd1.Manager ThawUnit s "$name"
          busctl "$@" org.freedesktop.systemd1.Manager KillUnit ssi "$name" all 18 ;;
        *) kill -s CONT -- "-$name" ;;
      esac
    done
    """

  private let environment: [String: String]
  private var child: pid_t?
  private var input: Int32 = -1
  /// The process groups and units to resume, by name.
  private var suspended: Set<String> = []

  /// Creates a guard.
  ///
  /// The helper process is started when the first name is added.
  init(environment: [String: String]) { self.environment = environment }

  /// Registers the name of a process group or unit that is about to be suspended.
  ///
  /// Returns false if nothing would resume the processes after the agent exits.
  func add(_ name: String) -> Bool {
    guard suspended.insert(name).inserted else { return true }
    if child != nil, write("+ \(name)\n") { return true }
    guard start() else {
      suspended.remove(name)
      return false
    }
    return true
  }

  /// Removes the name of a process group or unit whose processes are running again or have exited.
  func remove(_ name: String) {
    guard suspended.remove(name) != nil, !write("- \(name)\n") else { return }
    _ = start()
  }

  /// Starts the helper process and sends it all suspended names.
  private func start() -> Bool {
    close()
    do throws(SystemFailure) {
      let ends = try PipeEnds.make()
      input = ends.write
      defer { Glibc.close(ends.read) }
      child = try ProgramStart.start(
        "/bin/sh", ["-c", Self.script], environment: environment, input: ends.read, isMute: true)
    } catch {
      close()
      return false
    }
    return write(suspended.sorted().map { "+ \($0)\n" }.joined())
  }

  private func write(_ text: String) -> Bool {
    assert(
      text.utf8.count <= 4_096 || child != nil,
      "text longer than a pipe's atomic write needs a running child process")
    guard input >= 0 else { return false }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(input, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Resumes everything that is suspended, because the agent is exiting or has lost the bus through which it suspended
  /// units.
  func wakeAll() {
    suspended = []
    close()
  }

  /// Closes the pipe, so that the helper process resumes everything that is still suspended and then exits.
  private func close() {
    if input >= 0 { Glibc.close(input) }
    input = -1
    guard let child else { return }
    // The helper process might still be resuming other processes. Do not delay the agent's exit for that.
    waitpid(child, nil, WNOHANG)
    self.child = nil
  }

  deinit { close() }
}
