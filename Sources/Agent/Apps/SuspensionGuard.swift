import Glibc
import System

/// A small program beside the agent that lets what is suspended run on when the agent is gone, however it
/// ended: nothing is left stopped for good.
///
/// It reads from a pipe what is suspended and what is not any more. The kernel closes the other end with
/// the agent, killed or not.
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
  /// What it has to wake: process groups and units, by name.
  private var suspended: Set<String> = []

  /// The program is started when something is suspended for the first time.
  init(environment: [String: String]) { self.environment = environment }

  /// Registers what is about to be suspended; returns false when it would not be woken after the agent.
  func add(_ name: String) -> Bool {
    guard suspended.insert(name).inserted else { return true }
    if child != nil, write("+ \(name)\n") { return true }
    guard start() else {
      suspended.remove(name)
      return false
    }
    return true
  }

  /// Something runs again, or is gone.
  func remove(_ name: String) {
    guard suspended.remove(name) != nil, !write("- \(name)\n") else { return }
    _ = start()
  }

  /// Starts the program, and tells it all that is suspended.
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
    assert(text.utf8.count <= 4_096 || child != nil, "a pipe takes short lines whole")
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

  /// Wakes all that is suspended: nothing else could.
  func wakeAll() {
    suspended = []
    close()
  }

  /// Ends the program, which wakes what is still suspended.
  private func close() {
    if input >= 0 { Glibc.close(input) }
    input = -1
    guard let child else { return }
    // It may still have something to wake: the agent's end does not wait for that.
    waitpid(child, nil, WNOHANG)
    self.child = nil
  }

  deinit { close() }
}
