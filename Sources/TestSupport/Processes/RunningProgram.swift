import Dispatch
import Foundation
import Glibc
import Synchronization

/// A process that a test started, with its input, its output lines, and its exit status.
///
/// The process is killed when its last reference is released or when the tests exit, whichever happens first.
public final class RunningProgram: Sendable {
  /// The ID of the process.
  public let pid: Int32
  /// The program's name, as used in messages.
  public let name: String
  private let errorsFile: String
  private let input: Mutex<Int32>
  private let state = Mutex(State())

  private struct State {
    var lines: [String] = []
    /// The JSON lines that no test has waited for yet.
    var untaken: [JSONLine] = []
    /// The other lines that no test has waited for yet.
    var untakenTexts: [String] = []
    var outputEnded = false
    var status: Int32?
    var waiters: [UUID: @Sendable (inout State) -> Bool] = [:]
  }

  /// Starts `arguments`, whose first element is the program's path.
  public init(
    _ arguments: [String], name: String? = nil, environment: [String: String] = [:],
    errorsFile: String
  ) throws {
    let whole = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let spawned = try ProgramSpawner.spawn(
      arguments, environment: whole, errors: errorsFile)
    self.pid = spawned.pid
    self.name = name ?? URL(fileURLWithPath: arguments[0]).lastPathComponent
    self.errorsFile = errorsFile
    self.input = Mutex(spawned.input)
    readLines(of: spawned.output)
    awaitEnd()
  }

  deinit {
    signal(SIGKILL)
    closeInput()
  }

  // MARK: Output

  /// Waits for the next line that has the event `name` and satisfies `matches`.
  ///
  /// Other lines stay available.
  public func event(
    _ name: String, within limit: Duration = TestTimeout.standard,
    where matches: @escaping @Sendable (JSONLine) -> Bool = { _ in true }
  ) async throws -> JSONLine {
    try await line(called: "the event '\(name)'", within: limit) {
      $0["event"].string == name && matches($0)
    }
  }

  /// Waits for the next line that satisfies `matches`.
  ///
  /// Other lines stay available.
  public func line(
    called what: String, within limit: Duration = TestTimeout.standard,
    where matches: @escaping @Sendable (JSONLine) -> Bool
  ) async throws -> JSONLine {
    let found = Mutex<JSONLine?>(nil)
    try await wait(for: what, within: limit) { state in
      guard let index = state.untaken.firstIndex(where: matches) else { return false }
      found.withLock { $0 = state.untaken.remove(at: index) }
      return true
    }
    guard let line = found.withLock({ $0 }) else {
      throw ProgramFailure.unreadable("\(name): \(what) was lost")
    }
    return line
  }

  /// Waits until `isEnough` returns true for all lines printed so far, and returns those lines.
  public func output(
    called what: String, within limit: Duration = TestTimeout.standard,
    until isEnough: @escaping @Sendable ([String]) -> Bool
  ) async throws -> [String] {
    try await wait(for: what, within: limit) { isEnough($0.lines) }
    return lines
  }

  /// Waits for the next line that is not JSON and begins with `beginning`.
  ///
  /// Other lines stay available.
  public func text(_ beginning: String, within limit: Duration = TestTimeout.standard) async throws
    -> String
  {
    let found = Mutex<String?>(nil)
    try await wait(for: "a line that begins with '\(beginning)'", within: limit) { state in
      guard let index = state.untakenTexts.firstIndex(where: { $0.hasPrefix(beginning) }) else {
        return false
      }
      found.withLock { $0 = state.untakenTexts.remove(at: index) }
      return true
    }
    guard let line = found.withLock({ $0 }) else {
      throw ProgramFailure.unreadable("\(name): a line was lost")
    }
    return line
  }

  /// All lines printed so far.
  public var lines: [String] { state.withLock { $0.lines } }

  /// The JSON lines printed so far that no test has waited for yet.
  public var untaken: [JSONLine] { state.withLock { $0.untaken } }

  /// The text written to standard error so far.
  public var errors: String { (try? String(contentsOfFile: errorsFile, encoding: .utf8)) ?? "" }

  // MARK: Input and signals

  /// Writes a line to the program's standard input.
  public func tell(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    input.withLock { descriptor in
      guard descriptor >= 0 else { return }
      _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
  }

  /// Closes the program's standard input.
  public func closeInput() {
    input.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  /// Sends a signal to the process if it has not exited.
  public func signal(_ number: Int32) {
    state.withLock { state in
      // The process has not been reaped yet, so its process ID has not been reused.
      if state.status == nil { kill(pid, number) }
    }
  }

  /// Waits until the process exits, and returns its exit status; if a signal terminated the process, returns 128 plus
  /// the signal number.
  @discardableResult
  public func end(within limit: Duration = TestTimeout.standard) async throws -> Int32 {
    try await wait(for: "its exit", within: limit) { $0.status != nil && $0.outputEnded }
    return state.withLock { $0.status ?? -1 }
  }

  /// Asks the program to exit, and waits until it has exited.
  @discardableResult
  public func stop(within limit: Duration = TestTimeout.standard) async throws -> Int32 {
    signal(SIGTERM)
    return try await end(within: limit)
  }

  /// True if the process has not exited.
  public var isRunning: Bool { state.withLock { $0.status == nil } }

  // MARK: Waiting

  /// Waits until `isMet` returns true, the program exits, or `limit` is reached.
  ///
  /// The condition is checked after every change.
  private func wait(
    for what: String, within limit: Duration, _ isMet: @escaping @Sendable (inout State) -> Bool
  ) async throws {
    let id = UUID()
    enum Outcome { case met, ended, late }
    let outcome: Outcome = await withCheckedContinuation { continuation in
      let once = Mutex<CheckedContinuation<Outcome, Never>?>(continuation)
      @Sendable func resume(_ outcome: Outcome) {
        once.withLock { waiting in
          waiting?.resume(returning: outcome)
          waiting = nil
        }
      }
      state.withLock { state in
        let check: @Sendable (inout State) -> Bool = { state in
          if isMet(&state) {
            resume(.met)
          } else if state.status != nil && state.outputEnded {
            resume(.ended)
          } else {
            return false
          }
          return true
        }
        if !check(&state) { state.waiters[id] = check }
      }
      let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
        self?.state.withLock { _ = $0.waiters.removeValue(forKey: id) }
        resume(.late)
      }
    }
    switch outcome {
    case .met: return
    case .ended:
      throw ProgramFailure.ended(program: name, awaiting: what, printed: lines, errors: errors)
    case .late:
      throw ProgramFailure.timedOut(
        program: name, awaiting: what, printed: lines, errors: errors)
    }
  }

  private static func change(_ program: RunningProgram?, _ body: (inout State) -> Void) {
    program?.state.withLock { state in
      body(&state)
      for (id, check) in state.waiters where check(&state) { state.waiters[id] = nil }
    }
  }

  private func readLines(of output: Int32) {
    Thread.detachNewThread { [weak self] in
      var rest: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(output, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        rest.append(contentsOf: buffer[..<count])
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: rest[..<end], as: UTF8.self)
          rest.removeFirst(end + 1)
          let value = JSONLine(line)
          Self.change(self) { state in
            state.lines.append(line)
            if let value { state.untaken.append(value) } else { state.untakenTexts.append(line) }
          }
        }
      }
      close(output)
      Self.change(self) { $0.outputEnded = true }
    }
  }

  private func awaitEnd() {
    let pid = pid
    Thread.detachNewThread { [weak self] in
      // Do not reap the process yet: its ID must not be reused before `status` is set.
      var information = siginfo_t()
      while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
      var status: Int32 = 0
      func reap() { while waitpid(pid, &status, 0) < 0 && errno == EINTR {} }
      guard self != nil else { return reap() }
      Self.change(self) { state in
        reap()
        state.status = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
      }
    }
  }
}
