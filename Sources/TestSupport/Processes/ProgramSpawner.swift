import Dispatch
import Foundation
import Glibc
import Synchronization
import System

/// A spawner of processes that never outlive this process, even if it crashes.
///
/// `PR_SET_PDEATHSIG` is bound to the thread that forked. All processes are therefore started by a single thread that
/// never exits.
enum ProgramSpawner {
  struct Spawned: Sendable {
    let pid: pid_t
    /// A descriptor that writes to the program's standard input.
    let input: Int32
    /// A descriptor that reads the program's standard output.
    let output: Int32
  }

  private struct Request: @unchecked Sendable {
    let body: () -> Void
  }

  private static let setpriv = "/usr/bin/setpriv"
  private static let requests = SpawnerThread()

  /// Starts a program.
  ///
  /// `arguments` begins with the program's path; standard error is written to the file `errors`.
  static func spawn(
    _ arguments: [String], environment: [String: String], errors: String
  ) throws -> Spawned {
    // setpriv, which every Debian system has, sets the parent-death signal and then executes the program.
    let whole = [setpriv, "--pdeathsig", "KILL", "--"] + arguments
    return try requests.perform {
      try spawnHere(whole, environment: environment, errors: errors)
    }
  }

  private static func spawnHere(
    _ arguments: [String], environment: [String: String], errors: String
  ) throws -> Spawned {
    let input = try PipeEnds.make()
    let output: (read: Int32, write: Int32)
    do { output = try PipeEnds.make() } catch {
      close(input.read)
      close(input.write)
      throw error
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.read, 0)
    posix_spawn_file_actions_adddup2(&actions, output.write, 1)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Use a separate process group, so that signals to the tests do not reach the program. Block no signals.
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let variables = environment.map { "\($0.key)=\($0.value)" }
    var pid: pid_t = 0
    let status = withCStrings(arguments) { arguments in
      withCStrings(variables) { variables in
        posix_spawn(&pid, setpriv, &actions, &attributes, arguments, variables)
      }
    }
    close(input.read)
    close(output.write)
    guard status == 0 else {
      close(input.write)
      close(output.read)
      throw ProgramFailure.notStarted(program: arguments[4], errno: status)
    }
    return Spawned(pid: pid, input: input.write, output: output.read)
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }

  /// The thread that starts the processes, and its requests.
  private final class SpawnerThread: Sendable {
    private let pending = Mutex<[Request]>([])
    private let arrived = DispatchSemaphore(value: 0)

    init() {
      // A program can exit while a test is still writing to it.
      signal(SIGPIPE, SIG_IGN)
      let thread = Thread { [self] in
        while true {
          arrived.wait()
          let request = pending.withLock { $0.removeFirst() }
          request.body()
        }
      }
      thread.name = "spawner"
      thread.start()
    }

    func perform<Value>(_ body: @escaping () throws -> Value) throws -> Value {
      var result: Result<Value, any Error>?
      let done = DispatchSemaphore(value: 0)
      pending.withLock { requests in
        requests.append(
          Request {
            result = Result { try body() }
            done.signal()
          })
      }
      arrived.signal()
      done.wait()
      guard let result else {
        throw ProgramFailure.notStarted(program: "the spawner", errno: ECANCELED)
      }
      return try result.get()
    }
  }
}
