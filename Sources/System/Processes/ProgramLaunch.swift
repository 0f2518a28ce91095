import CLinux
import Glibc

/// A program to start, either as a new process or in place of this process.
public struct ProgramLaunch: Sendable {
  /// The path of the executable.
  public var executable: String
  /// The arguments that follow the program's name.
  public var arguments: [String]
  /// The environment variables, as `NAME=VALUE`.
  public var environment: [String]
  /// The descriptor that becomes standard output; nil for this process's standard output.
  public var output: Int32?
  /// The file that becomes standard error and, if `output` is nil, standard output; nil for this process's standard
  /// error.
  public var logFile: String?
  /// True if the program has an empty standard input and its own process group, which Ctrl-C in the terminal does not
  /// reach.
  public var isBackground = false

  /// Creates a launch that uses this process's standard streams.
  public init(_ executable: String, _ arguments: [String], environment: [String: String]) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment.map { "\($0.key)=\($0.value)" }
  }

  /// Starts the program with no signals blocked or ignored, and returns its process number.
  public func start() throws(SystemFailure) -> Int32 {
    assert(executable.hasPrefix("/"), "the path of the executable is absolute: '\(executable)'")
    // If only standard error is redirected to a file, the program can inherit this process's standard output, or write
    // its output to this process's standard error.
    assert(output.map { $0 > 0 } ?? true, "the output is open and is not standard input")
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    let group = isBackground ? POSIX_SPAWN_SETPGROUP : 0
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if isBackground {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    if let output { unsafe posix_spawn_file_actions_adddup2(&actions, output, 1) }
    if let logFile {
      unsafe posix_spawn_file_actions_addopen(
        &actions, 2, logFile, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      if output == nil { unsafe posix_spawn_file_actions_adddup2(&actions, 2, 1) }
    }
    var child = Int32()
    let result = unsafe Self.withCStrings([executable] + arguments) { words in
      unsafe Self.withCStrings(environment) { variables in
        unsafe posix_spawn(&child, executable, &actions, &attributes, words, variables)
      }
    }
    guard result == 0 else {
      throw .call(name: "posix_spawn", errno: result, subject: executable)
    }
    assert(child > 0, "the process number is positive")
    return child
  }

  /// Replaces this process with the program that the first element of `words` names, searching `PATH`.
  ///
  /// Returns only on failure, with the error number.
  public static func replaceThisProcess(with words: [String]) -> Int32 {
    guard let name = words.first else { return ENOENT }
    return unsafe withCStrings(words) { words in
      _ = unsafe execvp(name, words)
      return errno
    }
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
