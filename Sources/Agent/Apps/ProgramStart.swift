import Glibc
import System

/// A launcher that starts each program in a session of its own.
enum ProgramStart {
  /// Starts a program.
  ///
  /// Standard input is empty, or the descriptor `input`. Standard output goes to the descriptor `output`, by default
  /// the agent's standard error. If `isMute` is true, the program's standard error is discarded.
  ///
  /// The program holds a copy of the descriptor `endHolder` while it runs.
  static func start(
    _ executable: String, _ arguments: [String], environment: [String: String],
    input: Int32? = nil, output: Int32 = STDERR_FILENO, isMute: Bool = false,
    endHolder: Int32? = nil
  ) throws(SystemFailure) -> pid_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // Reset signals for the program: the agent blocks some and ignores SIGPIPE.
    var noSignals = sigset_t()
    unsafe sigemptyset(&noSignals)
    unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
    var allSignals = sigset_t()
    unsafe sigfillset(&allSignals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &allSignals)
    // glibc's POSIX_SPAWN_SETSID, which its headers declare only for GNU sources.
    let newSession: Int16 = 0x80
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | newSession)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let input {
      unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    // The agent prints its own answers to standard output, so a program must not write there.
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    // Use the first number after the three standard descriptors.
    if let endHolder { unsafe posix_spawn_file_actions_adddup2(&actions, endHolder, 3) }
    if isMute { unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
    var child = pid_t()
    let result = unsafe withCStrings([executable] + arguments) { words in
      unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
        unsafe posix_spawn(&child, executable, &actions, &attributes, words, variables)
      }
    }
    guard result == 0 else {
      throw .call(name: "posix_spawn", errno: result, subject: executable)
    }
    DescriptorLimit.restore(ofChild: child)
    return child
  }

  /// Calls `body` with a null-terminated array of C strings.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe body(pointers + [nil])
  }
}
