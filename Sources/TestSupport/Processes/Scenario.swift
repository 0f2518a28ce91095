import Foundation
import Glibc
import Synchronization
import System

/// The environment for a test with real programs: a folder of its own, and the programs that the test starts.
///
/// When the test passes, fails, or throws, the folder is deleted and the programs are killed.
public final class Scenario: Sendable {
  /// The output of a command and its exit status.
  public struct CommandResult: Sendable {
    /// The exit status, or 128 plus the signal number.
    public let status: Int32
    /// The lines of standard output.
    public let lines: [String]
    /// The text on standard error.
    public let errors: String

    /// Standard output as text.
    public var output: String { lines.joined(separator: "\n") }
    /// The lines that are JSON.
    public var values: [JSONLine] { lines.compactMap { JSONLine($0) } }
  }

  /// The folder for all files that the programs write.
  public let folder: ScratchFolder
  private let programs = Mutex<[RunningProgram]>([])
  private let started = Mutex(0)

  private init() throws { self.folder = try ScratchFolder() }

  /// Runs `body` in a new scenario and cleans up afterward.
  ///
  /// Pass `needsPlace: false` for work that other scenarios wait for. Those scenarios can occupy all places, so the
  /// work would otherwise never start.
  public static func run<Result>(
    needsPlace: Bool = true, _ body: (Scenario) async throws -> Result
  ) async throws -> Result {
    guard needsPlace, !ScenarioPlaces.isInside else { return try await runNow(body) }
    await ScenarioPlaces.shared.enter()
    do {
      let result = try await ScenarioPlaces.$isInside.withValue(true) {
        try await withTaskExecutorPreference(ScenarioExecutor.shared) { try await runNow(body) }
      }
      await ScenarioPlaces.shared.leave()
      return result
    } catch {
      await ScenarioPlaces.shared.leave()
      throw error
    }
  }

  private static func runNow<Result>(
    _ body: (Scenario) async throws -> Result
  ) async throws -> Result {
    let scenario = try Scenario()
    do {
      let result = try await body(scenario)
      await scenario.clear()
      return result
    } catch {
      await scenario.clear()
      throw error
    }
  }

  /// Starts a program that runs concurrently with the test.
  public func start(
    _ arguments: [String], name: String? = nil, environment: [String: String] = [:]
  ) throws -> RunningProgram {
    let number = started.withLock { count in
      count += 1
      return count
    }
    let program = try RunningProgram(
      arguments, name: name, environment: self.environment.merging(environment) { $1 },
      errorsFile: folder.file("errors-\(number)"))
    programs.withLock { $0.append(program) }
    return program
  }

  /// Starts `belfry` with these arguments.
  public func belfry(_ arguments: [String], environment: [String: String] = [:]) throws
    -> RunningProgram
  {
    try start(
      [Installation.belfry] + arguments, name: "belfry " + (arguments.first ?? ""),
      environment: environment)
  }

  /// Runs a command until it exits.
  ///
  /// If `succeeding` is true, any exit status other than 0 is a failure.
  public func command(
    _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
    succeeding: Bool = true, within limit: Duration = TestTimeout.standard
  ) async throws -> CommandResult {
    let program = try start(arguments, environment: environment)
    if let input { program.tell(input) }
    program.closeInput()
    let status = try await program.end(within: limit)
    let result = CommandResult(status: status, lines: program.lines, errors: program.errors)
    programs.withLock { $0.removeAll { $0 === program } }
    guard status == 0 || !succeeding else {
      throw ProgramFailure.status(
        program: arguments.joined(separator: " "), status: status, printed: result.output,
        errors: result.errors)
    }
    return result
  }

  /// Runs `belfry` with these arguments until it exits.
  public func belfryCommand(
    _ arguments: [String], input: String? = nil, succeeding: Bool = true
  ) async throws -> CommandResult {
    try await command([Installation.belfry] + arguments, input: input, succeeding: succeeding)
  }

  /// The environment of all programs, which hides the user's own gateway, agent, and desktop.
  private var environment: [String: String] {
    [
      Self.mark: folder.path, "XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
      "BELFRY_SOCKET": folder.file("agent.sock"), "HOME": folder.path,
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent", "DISPLAY": "", "WAYLAND_DISPLAY": "",
    ]
  }

  /// The arguments of each running program in the scenario, as visible to every user of the machine.
  public var visibleArguments: [[String]] {
    processes.compactMap { pid in
      guard let bytes = try? FileSystem.read("/proc/\(pid)/cmdline", limit: 1 << 20) else {
        return nil
      }
      return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private func clear() async {
    let left = programs.withLock { $0 }
    // Kill the programs in reverse order: apps before their agent, and devices before their gateway.
    for program in left.reversed() where program.isRunning { program.signal(SIGKILL) }
    for program in left { _ = try? await program.end(within: .seconds(5)) }
    endLaunched()
  }

  /// Kills the apps that an agent launched.
  ///
  /// These apps should survive the agent, but not the test.
  private func endLaunched() {
    for pid in processes { kill(pid, SIGKILL) }
  }

  /// The environment variable with which a scenario finds all processes that its programs have started.
  private static let mark = "BELFRY_TEST_SCENARIO"

  /// The processes that have this scenario's environment.
  private var processes: [Int32] {
    let mark = "\(Self.mark)=\(folder.path)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap(Int32.init).filter { pid in
      guard pid != getpid(),
        let environment = try? FileSystem.read("/proc/\(pid)/environ", limit: 1 << 20)
      else { return false }
      return environment.split(separator: 0).contains { $0.elementsEqual(mark.utf8) }
    }
  }
}
