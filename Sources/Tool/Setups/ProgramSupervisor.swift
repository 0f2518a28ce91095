import Foundation
import Glibc
import System

/// A supervisor that starts programs and stops them when this process exits for any reason.
///
/// All processes that the programs have started are stopped too. Two processes ensure this. The command itself starts
/// the second process, the keeper, and forwards signals to it. The keeper starts the programs. The kernel notifies the
/// keeper when the command exits, and notifies the programs when the keeper exits.
final class ProgramSupervisor {
  /// The error for a termination signal that was received while programs were being started.
  struct Interruption: Error {
    let signal: Int32
  }

  private let signals: SignalQueue
  private let parent: pid_t
  private var programs: [SupervisedProgram] = []
  private var pending: [SignalQueue.Signal] = []

  /// Makes this process the keeper of the programs that it starts; `parent` is the command's own process.
  init(keeperOf parent: pid_t) throws(SystemFailure) {
    self.parent = parent
    signals = try SignalQueue()
    guard ProcessTree.endWithParent(parent, signal: SIGTERM) else { exit(1) }
    try ProcessTree.adoptOrphans()
  }

  // MARK: - The command's own process

  /// The argument that makes an executable `belfry` a keeper, followed by the process ID of its parent.
  static let keeperWord = "supervise-programs"
  /// The argument that makes `belfry` become another program, which exits with its parent.
  static let programWord = "become-program"

  /// Runs `belfry` again as a keeper with these arguments, and forwards signals to the keeper.
  ///
  /// Returns the exit status of the keeper.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(SystemFailure) {
      let signals = try SignalQueue()
      let launch = ProgramLaunch(
        executable, [keeperWord, "\(getpid())"] + arguments,
        environment: ProcessInfo.processInfo.environment)
      let keeper = try launch.start()
      while true {
        wait(for: [signals.descriptor], milliseconds: -1)
        while let signal = signals.next() {
          if signal.number == SIGCHLD {
            if let status = exitStatus(of: keeper) { return status }
          } else if !signal.isFromKernel {
            kill(keeper, signal.number)
          }
        }
      }
    } catch {
      Output.error(error)
      return 1
    }
  }

  /// Replaces this process with a program.
  ///
  /// `words` are the parent's process ID, the program's name, and its arguments.
  static func becomeProgram(_ words: [String]) -> Int32 {
    guard let parent = words.first.flatMap({ pid_t($0) }),
      ProcessTree.endWithParent(parent, signal: SIGKILL)
    else { return 1 }
    let number = ProgramLaunch.replaceThisProcess(with: Array(words.dropFirst()))
    let program = words.dropFirst().first ?? ""
    Output.error(
      "cannot run '\(program)' (\(SystemFailure.message(number)))",
      do: adviceForProgram(program, error: number))
    // Return the exit statuses that a shell uses.
    return number == ENOENT ? 127 : 126
  }

  private static func adviceForProgram(_ program: String, error number: Int32) -> String {
    guard number == ENOENT else { return "use a file that is executable" }
    // A whole command in quotation marks is passed as the name of one program.
    guard !program.contains(where: \.isWhitespace) else {
      return "specify the program and its arguments as separate words, or use sh -c "
        + ShellWords.quoted(program)
    }
    return "use a program that is on PATH, or specify its path"
  }

  /// A path of this executable that works even if the file has been replaced since the start.
  static let executable = "/proc/self/exe"

  // MARK: - The keeper

  /// Starts a program that exits with this process.
  func start(_ words: [String], configure: (inout ProgramLaunch) -> Void) throws(SystemFailure)
    -> SupervisedProgram
  {
    var launch = ProgramLaunch(
      Self.executable, [Self.programWord, "\(getpid())"] + words,
      environment: ProcessInfo.processInfo.environment)
    configure(&launch)
    let program = SupervisedProgram(pid: try launch.start(), logFile: launch.logFile)
    programs.append(program)
    return program
  }

  /// Starts one of this executable's own commands in the background.
  ///
  /// `onLine` is called with each line that the command prints.
  func startBelfry(
    _ arguments: [String], logFile: String, onLine: ((String) -> Void)? = nil
  ) throws(SystemFailure) -> SupervisedProgram {
    let pipe = try onLine.map { _ throws(SystemFailure) in try PipeEnds.make() }
    defer { if let pipe { close(pipe.write) } }
    // Use the executable's path, not /proc/self/exe, so that messages and lists of processes show the path.
    let program = try start([Self.path] + arguments) {
      $0.isBackground = true
      $0.logFile = logFile
      $0.output = pipe?.write
    }
    if let pipe, let onLine { program.lines = LineReader(pipe.read, onLine) }
    return program
  }

  /// The path of this executable.
  static var path: String { (try? FileSystem.target(ofLink: executable)) ?? executable }

  /// Handles events until `isDone` returns true.
  ///
  /// - Throws: `Interruption` if a termination signal is received.
  func wait(until isDone: () -> Bool) throws(Interruption) {
    while !isDone() {
      handleEvents(milliseconds: Self.pollMilliseconds)
      if let signal = pending.first { throw Interruption(signal: signal.number) }
    }
  }

  /// Handles events, and forwards signals to `program`, until the program has exited or `isHopeless` returns true.
  ///
  /// Returns the exit status of `program`.
  func wait(for program: SupervisedProgram, unless isHopeless: () -> Bool) -> Int32? {
    while program.status == nil {
      if isHopeless() { return nil }
      handleEvents(milliseconds: -1)
      for signal in pending where !signal.isFromKernel { program.signal(signal.number) }
      pending = []
    }
    return program.status
  }

  /// Terminates a program gracefully, or forcibly if it exceeds the time limit.
  func stop(_ program: SupervisedProgram) {
    program.signal(SIGTERM)
    let end = ContinuousClock.now + Self.stopLimit
    while !program.hasEnded, ContinuousClock.now < end {
      handleEvents(milliseconds: Self.pollMilliseconds)
    }
    program.signal(SIGKILL)
  }

  /// Kills all remaining processes.
  func killAll() { ProcessTree.killDescendants() }

  /// The time, in milliseconds, between checks of conditions that no descriptor reports, such as the appearance of a
  /// file.
  private static let pollMilliseconds: Int32 = 20
  /// The maximum time for a gateway or devices to shut down.
  private static let stopLimit: Duration = .seconds(10)

  private func handleEvents(milliseconds: Int32) {
    let reading = programs.compactMap(\.lines).filter { !$0.isAtEnd }
    let ready = Self.wait(
      for: [signals.descriptor] + reading.map(\.descriptor), milliseconds: milliseconds)
    for reader in reading where ready.contains(reader.descriptor) { reader.read() }
    while let signal = signals.next() {
      guard signal.number == SIGCHLD else {
        // The command itself has exited, so its work is no longer needed.
        if getppid() != parent { abandon() }
        pending.append(signal)
        continue
      }
    }
    reap()
  }

  /// Records the programs that have exited.
  ///
  /// This method also reaps orphaned processes that have exited.
  private func reap() {
    var status: Int32 = 0
    while true {
      let pid = unsafe waitpid(-1, &status, WNOHANG)
      guard pid > 0 else { return }
      programs.first { $0.pid == pid }?.status = Self.exitStatus(status)
    }
  }

  /// A function that performs further cleanup after the command's own process was killed.
  var onAbandoned: () -> Void = {}

  private func abandon() -> Never {
    killAll()
    onAbandoned()
    exit(1)
  }

  @discardableResult
  private static func wait(for descriptors: [Int32], milliseconds: Int32) -> Set<Int32> {
    var wanted = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = unsafe poll(&wanted, nfds_t(wanted.count), milliseconds)
    guard count > 0 else { return [] }
    return Set(wanted.filter { $0.revents != 0 }.map(\.fd))
  }

  /// Returns a child's exit status, or 128 plus the signal number; nil while the child runs.
  private static func exitStatus(of pid: pid_t) -> Int32? {
    var status: Int32 = 0
    guard unsafe waitpid(pid, &status, WNOHANG) == pid else { return nil }
    return exitStatus(status)
  }

  private static func exitStatus(_ status: Int32) -> Int32 {
    status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
  }
}

/// A program that a supervisor started.
final class SupervisedProgram {
  let pid: pid_t
  /// The path of the program's log file.
  let logFile: String?
  /// The exit status, or 128 plus the signal number; nil while the program runs.
  fileprivate(set) var status: Int32?
  fileprivate(set) var lines: LineReader?

  fileprivate init(pid: pid_t, logFile: String?) {
    self.pid = pid
    self.logFile = logFile
  }

  /// True if the program has exited and all its output has been read.
  var hasEnded: Bool { status != nil && lines?.isAtEnd != false }

  func signal(_ number: Int32) {
    // The process hasn't been reaped yet, so its process ID hasn't been reused.
    if status == nil { kill(pid, number) }
  }
}
