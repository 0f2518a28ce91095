import Glibc

/// A real gateway on free ports, with the contents of its ready file.
public struct GatewayProgram: Sendable {
  /// The process of the gateway.
  public let program: RunningProgram
  /// The gateway's data folder.
  public let data: String
  /// The object from the ready file.
  public let ready: JSONLine
  fileprivate(set) var options: [String]
  let environment: [String: String]

  /// The address that all listeners share.
  public var host: String { ready["host"].string ?? "127.0.0.1" }
  /// The path of the gateway's certificate authority.
  public var caFile: String { ready["caFile"].string ?? "" }
  /// The ID of the first team.
  public var teamID: String { ready["teamID"].string ?? "" }
  /// The ID of the first team's key.
  public var keyID: String { ready["keyID"].string ?? "" }
  /// The path of the first team's key in `.p8` format.
  public var keyFile: String { ready["keyFile"].string ?? "" }
  /// The gateway's enrollment code.
  public var enrollmentCode: String { ready["enrollmentCode"].string ?? "" }
  /// The path of the ready file, which contains all of this information.
  public var file: String { data + "/gateway.json" }

  /// Returns the port of a listener: `provider`, `device`, `binary`, `feedback`, or `console`.
  public func port(_ listener: String) -> Int { ready["ports"][listener].integer ?? 0 }

  /// Asks the gateway to drain and exit, and waits until it has exited.
  @discardableResult
  public func stop() async throws -> Int32 { try await program.stop() }

  /// Kills the gateway with SIGKILL, as in a crash or a power cut.
  public func crash() async throws {
    program.signal(SIGKILL)
    try await program.end()
  }
}

extension Scenario {
  /// The names of the gateway's listeners, as they appear in the port options.
  private static let listeners = ["provider", "device", "binary", "feedback", "console"]

  /// Starts a gateway with an empty folder and free ports, and waits until it is ready.
  ///
  /// `wrapper` is a command that executes the gateway, for example a command that sets its limits.
  public func gateway(
    _ name: String = "gateway", options: [String] = [], environment: [String: String] = [:],
    wrapper: [String] = []
  ) async throws -> GatewayProgram {
    try await gateway(
      data: folder.file(name), ports: [:], options: options, environment: environment,
      wrapper: wrapper)
  }

  /// Restarts a gateway that has exited, on the same ports as before.
  ///
  /// `options` and `wrapper` apply only to this start.
  public func restart(
    _ gateway: GatewayProgram, options: [String] = [], wrapper: [String] = []
  ) async throws -> GatewayProgram {
    var ports: [String: Int] = [:]
    for listener in Self.listeners { ports[listener] = gateway.port(listener) }
    var again = try await self.gateway(
      data: gateway.data, ports: ports, options: gateway.options + options,
      environment: gateway.environment, wrapper: wrapper)
    again.options = gateway.options
    return again
  }

  /// Starts a gateway with an empty folder on the ports of a gateway that has exited, as if a load balancer replaced it.
  public func gateway(
    _ name: String, on other: GatewayProgram, options: [String]
  ) async throws -> GatewayProgram {
    var ports: [String: Int] = [:]
    for listener in Self.listeners { ports[listener] = other.port(listener) }
    return try await gateway(
      data: folder.file(name), ports: ports, options: options, environment: [:])
  }

  private func gateway(
    data: String, ports: [String: Int], options: [String], environment: [String: String],
    wrapper: [String] = []
  ) async throws -> GatewayProgram {
    let readyFile = data + "-ready.json"
    unlink(readyFile)
    var arguments = ["gateway", "--data", data, "--ready-file", readyFile]
    for listener in Self.listeners {
      arguments += ["--\(listener)-port", String(ports[listener] ?? ReservedPorts.next())]
    }
    let program = try start(
      wrapper + [Installation.belfry] + arguments + options, name: "belfry gateway",
      environment: environment)
    do {
      let text = try await ScratchFolder.contents(of: readyFile) { !program.isRunning }
      guard let ready = JSONLine(text) else {
        throw ProgramFailure.unreadable("\(readyFile) does not contain JSON: \(text)")
      }
      return GatewayProgram(
        program: program, data: data, ready: ready, options: options, environment: environment)
    } catch {
      throw ProgramFailure.ended(
        program: "belfry gateway", awaiting: "its ready file (\(error))", printed: program.lines,
        errors: program.errors)
    }
  }
}
