import BelfryProvider
import AppLink
import BelfryWire
import AppWire
import Dispatch
import Synchronization
import System

/// `belfry subscribe`: obtains a token that others can use to send notifications to this desktop.
enum SubscribeCommand {
  static let table = OptionTable(
    command: "belfry subscribe",
    summary: """
      Registers this desktop for notifications under a name, and prints its device token and a curl command that sends
      a notification to that token. If the gateway is on another machine, prints a 'belfry send' command to run there
      instead of the curl command. For a name such as 'backups', the command creates an app; if NAME is an app ID, the
      command uses that app. The command also gives the app permission to show notifications. To unsubscribe, run
      'belfry app remove' with the app's ID.
      """,
    positionals: "NAME", positionalCount: 1...1,
    [
      .value(
        "gateway", "FILE", default: "the current user's gateway",
        "the gateway.json file for the curl command"),
      .value(
        "keep", "1|N|all", default: "\(SubscriptionStorage.usualCount) for a new name",
        "number of messages that the gateway stores while this desktop is off; requires the gateway's folder"
      ),
      .value("timeout", "SECONDS", default: "60", "time limit for receiving the token"),
      AgentControl.jsonOption, AgentControl.socketOption,
    ])

  static func run(_ arguments: [String]) -> Int32 {
    // Ctrl-C ends the wait for the token rather than the process, so that the command can remove the app.
    SignalWatcher.blockSignals([.terminate, .interrupt])
    return AgentControl.run(arguments, table) { options, agent in
      let given = try ShellApp(subscription: options.positionals[0])
      // Read the file first, so that an invalid one has no effect on the agent.
      let gateway = try Self.gateway(options)
      let known = try AgentControl(options).ask(.apps).rows.first {
        $0["app"]?.stringValue == given.id
      }
      let app = given.keepingName(known?["name"]?.stringValue)
      let isKnown = known != nil
      let wasOff = known?["authorization"]?.stringValue == "denied"
      let storage = try SubscriptionStorage(
        of: app, isKnown: isKnown, inGateway: gateway.map { FileSystem.parent(of: $0.file) },
        options)
      let token: String
      do {
        token = try Self.token(of: app, options, agent)
      } catch {
        // An app that existed before keeps its settings and token.
        if !isKnown { _ = try? AgentControl(options).ask(.removeApp(app.id)) }
        throw error
      }
      if wasOff { Output.error("notifications were off for \(app.id), and are on now") }
      // The agent removes characters that could deceive the user.
      let present = try? AgentControl(options).ask(.apps).rows.first {
        $0["app"]?.stringValue == app.id
      }
      if let former = known?["name"]?.stringValue, let name = present?["name"]?.stringValue,
        !former.utf8.elementsEqual(name.utf8)
      {
        Output.error("\(app.id) is now called '\(name)' instead of '\(former)'")
      }
      let key = gateway.map { SubscriptionKey.find(for: app.id, of: $0.content, in: $0.folder) }
      let curl = gateway.map { Self.curl(app, token, $0, key) }
      warnOfMissingLink(options)
      if let gateway { warnOfOtherGateway(gateway, options) }
      defer { storage.apply() }
      if let gateway, case .missing(let team) = key { warnOfMissingKey(of: team, app, gateway) }
      guard options.has("json") else {
        Output.line(token)
        Output.line(curl ?? sendLine(app, token, nil, nil))
        if curl == nil {
          let file = DeviceGateway.usersFile
          let other = DeviceGateway.example(insteadOf: file)
          let example = other.map { ", for example \($0)" } ?? ""
          Output.error(
            "the printed command is for the gateway's machine, because there is no gateway.json in "
              + FileSystem.parent(of: file),
            do: "run the printed command on the gateway's machine, or specify the gateway.json "
              + "with --gateway\(example)")
        }
        return
      }
      Output.json([
        "app": .string(app.id), "topic": .string(app.id), "name": .string(app.name),
        "token": .string(token), "curl": curl.map(JSONValue.string) ?? .null,
        "send": .string(sendLine(app, token, gateway, key)),
      ])
    }
  }

  /// Registers as the app, allows it to notify, and returns its token.
  private static func token(
    of app: ShellApp, _ options: CommandLineOptions, _ agent: AgentControl
  ) throws -> String {
    let seconds = try options.integer("timeout", in: 1...86_400) ?? 60
    let arrived = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<String, any Error>?>(nil)
    @Sendable func end(_ result: Result<String, any Error>) {
      outcome.withLock { $0 = $0 ?? result }
      arrived.signal()
    }
    let signals = SignalInterruption { end(.failure($0)) }
    defer { withExtendedLifetime(signals) {} }
    let connection = AppLinkConnection(
      socketPath: options.value("socket") ?? StateFolders.socket, reconnects: false,
      greetingMilliseconds: AgentControl.greetingMilliseconds(options),
      hello: { app.hello },
      handler: { event in
        switch event {
        case .event(.token(.alert, let token), _): end(.success(Hexadecimal.encode(token)))
        case .event(.registrationFailed(.alert, let failure), _):
          // The token arrives once the link is up; an agent that has just been started is about to connect.
          if failure.reason == .gatewayUnreachable { return }
          end(.failure(failure))
        case .refused(let failure), .disconnected(let failure): end(.failure(failure))
        case .connected, .event: break
        }
      })
    connection.start()
    defer { connection.close() }
    // The answer shows that the agent knows the app.
    _ = try connection.call(.settings, timeoutMilliseconds: 60_000)
    // By subscribing, the user has granted permission. Record that before the app requests permission, so that the
    // agent doesn't ask.
    _ = try agent.ask(.changeSettings(app: app.id, ["notifications": "on"]))
    connection.send(.requestAuthorization([.alert, .sound, .badge])) { _ in }
    _ = try connection.call(.register(.alert), timeoutMilliseconds: 60_000)
    let early = min(seconds, earlySeconds)
    var isInTime = arrived.wait(timeout: .now() + .seconds(early)) == .success
    if !isInTime, seconds > early {
      warnOfMissingLink(options)
      isInTime = arrived.wait(timeout: .now() + .seconds(seconds - early)) == .success
    }
    guard isInTime,
      let result = outcome.withLock({ $0 })
    else {
      let what = "timed out: received no token within \(seconds) s"
      guard let problem = linkProblem(options) else {
        throw AppLinkFailure(
          .agentUnavailable, "\(what): run 'belfry doctor' to check the link to the gateway")
      }
      throw AppLinkFailure(
        .agentUnavailable,
        "\(what), because the agent is not connected to its gateway (\(problem.reason)): "
          + problem.advice)
    }
    return try result.get()
  }

  /// The time, in seconds, within which a token normally arrives.
  private static let earlySeconds = 5

  /// A gateway whose keys are on this machine.
  private struct LocalGateway {
    let file: String
    let content: GatewayFile

    var folder: String { FileSystem.parent(of: file) }
    /// The option that specifies the folder; empty if commands use the folder by default.
    var dataOption: String {
      let isUsual = StateFolders.isKnown && folder == StateFolders.usualGateway
      return isUsual ? "" : " --data \(ShellWords.quoted(folder))"
    }
  }

  /// Returns the gateway for the curl command, or nil if the gateway and its keys are on another machine.
  private static func gateway(_ options: CommandLineOptions) throws -> LocalGateway? {
    let file = options.value("gateway").map(FileSystem.absolute) ?? DeviceGateway.usersFile
    if options.value("gateway") == nil, !FileSystem.exists(file) { return nil }
    do throws(SendFailure) {
      return LocalGateway(file: file, content: try SendTarget.gatewayFile(file))
    } catch {
      guard case .badGatewayFile(let path, let reason) = error else { throw error }
      throw SendFailure.badLocalGateway(path, reason: reason)
    }
  }

  /// Warns if the agent has a gateway but no link to it.
  private static func warnOfMissingLink(_ options: CommandLineOptions) {
    guard let problem = linkProblem(options) else { return }
    Output.error(
      "the agent is not connected to its gateway (\(problem.reason)), so notifications do not arrive",
      do: problem.advice)
  }

  /// Returns the reason that the agent has no link to its gateway, and the advice, as `belfry doctor` shows them; nil if
  /// the link is up or the agent has no gateway.
  private static func linkProblem(_ options: CommandLineOptions) -> (
    reason: String, advice: String
  )? {
    let rows = (try? AgentControl(options).ask(.diagnose).rows) ?? []
    guard let row = rows.first(where: { $0["feature"] == "gateway" }), row["state"] != "ok",
      row["address"] != nil, let reason = row["detail"]?.stringValue
    else { return nil }
    let advice = row["do"]?.stringValue ?? ""
    return (reason, advice.isEmpty ? "run 'belfry doctor' to check the link" : advice)
  }

  /// Warns if the agent has joined another gateway, which issued the token, so that the curl command would fail.
  private static func warnOfOtherGateway(_ gateway: LocalGateway, _ options: CommandLineOptions) {
    guard let rows = try? AgentControl(options).ask(.diagnose).rows,
      let joined = AgentGateway(diagnosis: rows),
      let described = try? DeviceGateway(file: gateway.file, readsAuthority: false),
      !joined.isDescribed(by: described)
    else { return }
    Output.error(
      "the agent belongs to the gateway at \(joined.address), not to the one in \(gateway.file), so "
        + "the curl command will fail",
      do: "specify the gateway.json of the agent's gateway with --gateway FILE")
  }

  /// Warns if no key can send to the app, so that the curl command would fail.
  private static func warnOfMissingKey(
    of team: String, _ app: ShellApp, _ gateway: LocalGateway
  ) {
    Output.error(
      "the app \(app.id) belongs to team \(team), but \(gateway.folder) contains no valid provider key of this team, "
        + "so the curl command will fail",
      do:
        "create a key with 'belfry key add --team \(team)\(gateway.dataOption)', then run this command again"
    )
  }

  private static func curl(
    _ app: ShellApp, _ token: String, _ gateway: LocalGateway, _ key: SubscriptionKey?
  ) -> String {
    var signing = gateway.dataOption
    if case .other(let id, _, _) = key { signing = " --id \(id)" + signing }
    return CurlLine.text(
      host: gateway.content.endpoint.host, port: Int64(gateway.content.endpoint.port),
      caFile: gateway.content.authorityFile, topic: app.id, token: token,
      providerToken: "$(\(ShellWords.belfry) key jwt\(signing))",
      title: app.name, body: "Hello")
  }

  private static func sendLine(
    _ app: ShellApp, _ token: String, _ gateway: LocalGateway?, _ key: SubscriptionKey?
  ) -> String {
    let title = ShellWords.quoted(app.name)
    var line = "belfry send \(token) --topic \(app.id) --title \(title) --body Hello"
    if case .other(let id, let team, let file) = key {
      line += " --key \(ShellWords.quoted(file)) --key-id \(id) --team \(team)"
    }
    guard let gateway, gateway.file != DeviceGateway.usersFile else { return line }
    return line + " --gateway \(ShellWords.quoted(gateway.file))"
  }
}
