import Foundation
import Glibc
import System

/// Programs that end with this process, whatever ends it, and all that they have started.
///
/// Two processes do that. The command itself starts the second and passes signals on. The second, the keeper,
/// has the programs: the kernel tells it when the first is gone, and tells the programs when it is gone itself.
final class ProgramSupervisor {
  /// A signal to end came while programs were being started.
  struct Interruption: Error {
    let signal: Int32
  }

  private let signals: SignalQueue
  private let parent: pid_t
  private var programs: [SupervisedProgram] = []
  private var pending: [SignalQueue.Signal] = []

  /// Makes this process the keeper of what it starts; `parent` is the command's own process.
  init(keeperOf parent: pid_t) throws(SystemFailure) {
    self.parent = parent
    signals = try SignalQueue()
    guard ProcessTree.endWithParent(parent, signal: SIGTERM) else { exit(1) }
    try ProcessTree.adoptOrphans()
  }

  // MARK: - The command's own process

  /// The word that makes an executable `belfry` a keeper, followed by its parent's number.
  static let keeperWord = "supervise-programs"
  /// The word that makes it another program, which ends with its parent.
  static let programWord = "become-program"

  /// Runs `belfry` again as a keeper with these arguments, passes signals on to it; returns its status.
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

  /// Becomes a program, with `words` its parent's number, its name and its arguments.
  static func becomeProgram(_ words: [String]) -> Int32 {
    guard let parent = words.first.flatMap({ pid_t($0) }),
      ProcessTree.endWithParent(parent, signal: SIGKILL)
    else { return 1 }
    let number = ProgramLaunch.replaceThisProcess(with: Array(words.dropFirst()))
    Output.error(
      "'\(words.dropFirst().first ?? "")' cannot be run (\(SystemFailure.message(number)))",
      do: "give a program that is on PATH, or its path")
    // As a shell says it.
    return number == ENOENT ? 127 : 126
  }

  /// This executable, also when its file was replaced meanwhile.
  static let executable = "/proc/self/exe"

  // MARK: - The keeper

  /// Starts a program that ends with this process.
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

  /// Starts one of this executable's own commands in the background; `onLine` is called with each line that it
  /// prints.
  func startBelfry(
    _ arguments: [String], logFile: String, onLine: ((String) -> Void)? = nil
  ) throws(SystemFailure) -> SupervisedProgram {
    let pipe = try onLine.map { _ throws(SystemFailure) in try PipeEnds.make() }
    defer { if let pipe { close(pipe.write) } }
    // By its name, so that messages and lists of processes have it, and not by /proc/self/exe.
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

  /// Handles events until `isDone`.
  ///
  /// - Throws: `Interruption` where somebody wants it to end.
  func wait(until isDone: () -> Bool) throws(Interruption) {
    while !isDone() {
      handleEvents(milliseconds: Self.pollMilliseconds)
      if let signal = pending.first { throw Interruption(signal: signal.number) }
    }
  }

  /// Handles events until `program` has ended, to which signals are passed on, or `isHopeless`; returns its
  /// status.
  func wait(for program: SupervisedProgram, unless isHopeless: () -> Bool) -> Int32? {
    while program.status == nil {
      if isHopeless() { return nil }
      handleEvents(milliseconds: -1)
      for signal in pending where !signal.isFromKernel { program.signal(signal.number) }
      pending = []
    }
    return program.status
  }

  /// Ends a program in order, or by force when it takes longer than it may.
  func stop(_ program: SupervisedProgram) {
    program.signal(SIGTERM)
    let end = ContinuousClock.now + Self.stopLimit
    while !program.hasEnded, ContinuousClock.now < end {
      handleEvents(milliseconds: Self.pollMilliseconds)
    }
    program.signal(SIGKILL)
  }

  /// Ends all that is left.
  func killAll() { ProcessTree.killDescendants() }

  /// Milliseconds between two looks at what no descriptor tells, such as a file that is to appear.
  private static let pollMilliseconds: Int32 = 20
  /// Time for a gateway or devices to say goodbye.
  private static let stopLimit: Duration = .seconds(10)

  private func handleEvents(milliseconds: Int32) {
    let reading = programs.compactMap(\.lines).filter { !$0.isAtEnd }
    let ready = Self.wait(
      for: [signals.descriptor] + reading.map(\.descriptor), milliseconds: milliseconds)
    for reader in reading where ready.contains(reader.descriptor) { reader.read() }
    while let signal = signals.next() {
      guard signal.number == SIGCHLD else {
        // The command itself is gone: what it wanted is wanted no more.
        if getppid() != parent { abandon() }
        pending.append(signal)
        continue
      }
    }
    reap()
  }

  /// Notes which programs have ended; what those have left behind, and is ended too, is reaped with them.
  private func reap() {
    var status: Int32 = 0
    while true {
      let pid = unsafe waitpid(-1, &status, WNOHANG)
      guard pid > 0 else { return }
      programs.first { $0.pid == pid }?.status = Self.exitStatus(status)
    }
  }

  /// What else is to be done when the command's own process was killed.
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

  /// A child's exit status, or 128 and the signal's number; nil while it runs.
  private static func exitStatus(of pid: pid_t) -> Int32? {
    var status: Int32 = 0
    guard unsafe waitpid(pid, &status, WNOHANG) == pid else { return nil }
    return exitStatus(status)
  }

  private static func exitStatus(_ status: Int32) -> Int32 {
    status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
  }
}

/// A program of a supervisor.
final class SupervisedProgram {
  let pid: pid_t
  /// Where its messages are.
  let logFile: String?
  /// The exit status, or 128 and the signal's number; nil while it runs.
  fileprivate(set) var status: Int32?
  fileprivate(set) var lines: LineReader?

  fileprivate init(pid: pid_t, logFile: String?) {
    self.pid = pid
    self.logFile = logFile
  }

  /// Whether it is gone and everything that it printed was read.
  var hasEnded: Bool { status != nil && lines?.isAtEnd != false }

  func signal(_ number: Int32) {
    // Not reaped yet, so the number is still this process's.
    if status == nil { kill(pid, number) }
  }
}
