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
      a notification to that token. For a name such as 'backups', the command creates an app; if NAME is an app ID, the
      command uses that app. The command also gives the app permission to show notifications. To unsubscribe, run
      'belfry app remove' with the app's ID.
      """,
    positionals: "NAME", positionalCount: 1...1,
    [
      .value(
        "gateway", "FILE", default: "the current user's gateway",
        "the gateway.json file for the curl command"),
      .value("timeout", "SECONDS", default: "60", "time limit for receiving the token"),
      AgentControl.jsonOption, AgentControl.socketOption,
    ])

  static func run(_ arguments: [String]) -> Int32 {
    // Ctrl-C ends the wait for the token rather than the process, so that the command can remove the app.
    SignalWatcher.blockSignals([.terminate, .interrupt])
    return AgentControl.run(arguments, table) { options, agent in
      let app = try ShellApp(subscription: options.positionals[0])
      let known = try AgentControl(options).ask(.apps).rows.first {
        $0["app"]?.stringValue == app.id
      }
      let isKnown = known != nil
      let wasOff = known?["authorization"]?.stringValue == "denied"
      let (token, curl): (String, String?)
      do {
        token = try Self.token(of: app, options, agent)
        curl = try Self.curl(app, token, options)
      } catch {
        // An app that existed before keeps its settings and token.
        if !isKnown { _ = try? AgentControl(options).ask(.removeApp(app.id)) }
        throw error
      }
      if wasOff { Output.error("notifications were off for \(app.id), and are on now") }
      if let former = known?["name"]?.stringValue, !former.utf8.elementsEqual(app.name.utf8) {
        Output.error("\(app.id) is now called '\(app.name)' instead of '\(former)'")
      }
      guard options.has("json") else {
        Output.line(token)
        Output.line(curl ?? sendLine(app, token))
        return
      }
      Output.json([
        "app": .string(app.id), "topic": .string(app.id), "name": .string(app.name),
        "token": .string(token), "curl": curl.map(JSONValue.string) ?? .null,
        "send": .string(sendLine(app, token)),
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
    // The app requests permission, which the user has implicitly granted by subscribing.
    connection.send(.requestAuthorization([.alert, .sound, .badge])) { _ in }
    _ = try connection.call(.settings, timeoutMilliseconds: 60_000)
    _ = try agent.ask(.changeSettings(app: app.id, ["notifications": "on"]))
    _ = try connection.call(.register(.alert), timeoutMilliseconds: 60_000)
    guard arrived.wait(timeout: .now() + .seconds(seconds)) == .success,
      let result = outcome.withLock({ $0 })
    else {
      throw AppLinkFailure(
        .agentUnavailable,
        "timed out: received no token within \(seconds) s: run 'belfry doctor' to check the link to the gateway"
      )
    }
    return try result.get()
  }

  /// Returns the curl command line, or nil if the gateway and its keys are on another machine.
  private static func curl(
    _ app: ShellApp, _ token: String, _ options: CommandLineOptions
  ) throws -> String? {
    let file = options.value("gateway").map(FileSystem.absolute) ?? DeviceGateway.usersFile
    if options.value("gateway") == nil, !FileSystem.exists(file) { return nil }
    let gateway = try SendTarget.gatewayFile(file)
    let folder = FileSystem.parent(of: file)
    let isUsual = StateFolders.isKnown && folder == StateFolders.usualGateway
    let data = isUsual ? "" : " --data \(ShellWords.quoted(folder))"
    return CurlLine.text(
      host: gateway.endpoint.host, port: Int64(gateway.endpoint.port),
      caFile: gateway.authorityFile, topic: app.id, token: token,
      providerToken: "$(\(ShellWords.belfry) key jwt\(data))",
      title: app.name, body: "Hello")
  }

  private static func sendLine(_ app: ShellApp, _ token: String) -> String {
    let title = ShellWords.quoted(app.name)
    return "belfry send \(token) --topic \(app.id) --title \(title) --body Hello"
  }
}
