import Glibc

/// A real agent, with the socket to which apps connect.
public struct AgentProgram: Sendable {
  /// The process of the agent.
  public let program: RunningProgram
  /// The agent's data folder.
  public let data: String
  /// The path of the socket for apps.
  public let socket: String
  /// The object from the ready file.
  public let ready: JSONLine
}

/// Virtual devices, with the token of each registration.
public struct DevicesProgram: Sendable {
  /// The process of the devices.
  public let program: RunningProgram
  /// The folder that contains the devices' identities.
  public let data: String

  /// Waits for the next registration and returns its token.
  public func token(topic: String? = nil, type: String? = nil) async throws -> String {
    let line = try await program.event("registered") { line in
      (topic == nil || line["topic"].string == topic)
        && (type == nil || line["type"].string == type)
    }
    guard let token = line["token"].string else {
      throw ProgramFailure.unreadable("a 'registered' event has no token: \(line)")
    }
    return token
  }

  /// Disconnects the device from the gateway and waits until its link is down.
  public func goOffline() async throws {
    program.tell(#"{"do":"offline"}"#)
    _ = try await program.event("link") {
      // Ignore the link that enrollment uses, which closes separately.
      $0["state"].string == "down" && $0["reason"].string != "enrolled"
    }
  }

  /// Tells the device to reconnect to the gateway.
  public func goOnline() { program.tell(#"{"do":"online"}"#) }

  /// Waits for the next notification that a device receives and that satisfies `matches`.
  public func received(
    within limit: Duration = TestTimeout.standard,
    where matches: @escaping @Sendable (JSONLine) -> Bool = { _ in true }
  ) async throws -> JSONLine {
    try await program.event("received", within: limit, where: matches)
  }
}

extension Scenario {
  /// Returns the options that are needed to join `gateway`.
  public func joining(_ gateway: GatewayProgram) -> [String] {
    [
      "--gateway", "\(gateway.host):\(gateway.port("device"))", "--ca", gateway.caFile,
      "--enroll", gateway.enrollmentCode,
    ]
  }

  /// Starts an agent and waits until apps can connect.
  ///
  /// The agent prints JSON lines and grants everything unless the options specify otherwise.
  public func agent(
    _ name: String = "agent", of gateway: GatewayProgram?, presenters: [String] = ["json"],
    options: [String] = [], environment: [String: String] = [:]
  ) async throws -> AgentProgram {
    let data = folder.file(name)
    let socket = data + ".sock"
    let readyFile = data + "-ready.json"
    unlink(readyFile)
    var arguments = [
      "agent", "--data", data, "--socket", socket, "--ready-file", readyFile,
    ]
    if !options.contains("--grant") { arguments += ["--grant", "all"] }
    if let gateway { arguments += joining(gateway) }
    for presenter in presenters { arguments += ["--presenter", presenter] }
    let program = try belfry(arguments + options, environment: environment)
    do {
      let text = try await ScratchFolder.contents(of: readyFile) { !program.isRunning }
      guard let ready = JSONLine(text) else {
        throw ProgramFailure.unreadable("\(readyFile) does not contain JSON: \(text)")
      }
      return AgentProgram(program: program, data: data, socket: socket, ready: ready)
    } catch {
      throw ProgramFailure.ended(
        program: "belfry agent", awaiting: "its ready file (\(error))", printed: program.lines,
        errors: program.errors)
    }
  }

  /// Runs an app that registers with `agent`, and returns the app's process and its token.
  public func app(
    _ appID: String, on agent: AgentProgram, options: [String] = ["--state", "background"]
  ) async throws -> (program: RunningProgram, token: String) {
    let program = try belfry(
      [
        "app", "run", appID, "--authorize", "alert,sound,badge", "--register", "--socket",
        agent.socket,
      ] + options)
    let registered = try await program.event("registered")
    guard let token = registered["token"].string else {
      throw ProgramFailure.unreadable("a 'registered' event has no token: \(registered)")
    }
    return (program, token)
  }

  /// Starts virtual devices for `gateway` with these topics (`BUNDLE-ID` or `BUNDLE-ID:TYPE,…`).
  ///
  /// `words` contains the options that are needed to join the gateway, if they differ from the defaults.
  public func devices(
    _ name: String = "devices", of gateway: GatewayProgram, topics: [String],
    options: [String] = [], joining words: [String]? = nil
  ) throws -> DevicesProgram {
    let data = folder.file(name)
    var arguments = ["device", "run", "--data", data] + (words ?? joining(gateway))
    for topic in topics { arguments += ["--app", topic] }
    return DevicesProgram(program: try belfry(arguments + options), data: data)
  }
}
