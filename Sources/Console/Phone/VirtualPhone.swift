internal import Agent
internal import AppLink
internal import BelfryWire
internal import Gateway
internal import Synchronization
internal import System

/// A virtual phone: a real agent with real apps, whose screen is a page of the console.
///
/// Any thread. The page's taps are the commands of `belfry center`, `settings` and `state`; what it shows is what the
/// agent presents and lists.
final class VirtualPhone: Sendable {
  private struct State {
    var apps: [String: PhoneApp] = [:]
    var tokens: [String: String] = [:]
    /// Apps that wait for the person's permission.
    var prompts: [String] = []
    var isLinked = false
    var isRefreshing = false
    /// Something has changed since the refresh began.
    var isStale = false
    var isOff = false
  }

  /// The phone's number among those of this gateway.
  let number: Int
  /// What happens on it.
  let events = PhoneEvents()
  private let state = Mutex(State())
  private let agent: Mutex<PhoneAgent?>
  private let control: Mutex<AppLinkConnection?>

  /// Turns a phone on whose data is in `folder`, with the apps that it had.
  init(
    number: Int, folder: String, gateway: AgentConfiguration.Gateway
  ) throws(AdministrationFailure) {
    self.number = number
    agent = Mutex(nil)
    control = Mutex(nil)
    let started = try PhoneAgent(
      name: "console's phone \(number)", folder: folder, gateway: gateway,
      log: Log(subsystem: "phone-\(number)", level: .error)
    ) { [weak self] line in self?.agentPrinted(line) }
    let socket = started.socket
    let connection = AppLinkConnection(
      socketPath: socket,
      hello: { AppHello(role: .control, appID: nil, state: .background) }, handler: { _ in })
    connection.start()
    agent.withLock { $0 = started }
    control.withLock { $0 = connection }
    let known = (try? ask(.apps)) ?? []
    for app in known.compactMap({ $0["app"]?.stringValue }) { add(app, isQuiet: false) }
    refresh()
  }

  /// Turns the phone off; its data stays.
  func turnOff() {
    let apps = state.withLock { state in
      state.isOff = true
      defer { state.apps = [:] }
      return Array(state.apps.values)
    }
    for app in apps { app.close() }
    control.withLock { control in
      control?.close()
      control = nil
    }
    let agent = agent.withLock { agent in
      defer { agent = nil }
      return agent
    }
    agent?.stop()
    events.end()
  }

  /// Removes every app, so that its token dies.
  func removeApps() {
    let apps = state.withLock { Array($0.apps.keys) }
    for app in apps { _ = try? ask(.removeApp(app)) }
  }

  // MARK: What a person does

  /// Does what the object asks for: its `do` names it.
  func perform(_ object: JSONObject) throws(AdministrationFailure) {
    var fields = AdministrationFields(object)
    let verb = try fields.text("do")
    switch verb {
    case "install": try install(try appID(&fields), isQuiet: try fields.optionalBool("quiet") ?? false)
    case "remove":
      let app = try appID(&fields)
      state.withLock { state in
        state.tokens[app] = nil
        state.prompts.removeAll { $0 == app }
        return state.apps.removeValue(forKey: app)
      }?.close()
      _ = try ask(.removeApp(app))
    case "front":
      let front = try fields.optionalText("app")
      for app in state.withLock({ Array($0.apps.values) }) {
        app.become(app.id == front ? .foreground : .background)
      }
    case "answer":
      let app = try appID(&fields)
      let isAllowed = try fields.optionalBool("allow") ?? false
      _ = try ask(.changeSettings(app: app, ["notifications": isAllowed ? "on" : "off"]))
      state.withLock { state in state.prompts.removeAll { $0 == app } }
    case "settings":
      let app = try appID(&fields)
      _ = try ask(.changeSettings(app: app, [try fields.text("name"): try fields.text("value")]))
    case "open": _ = try ask(.open(app: try appID(&fields), id: try fields.text("id")))
    case "act":
      _ = try ask(
        .act(
          app: try appID(&fields), id: try fields.text("id"), action: try fields.text("action"),
          text: try fields.optionalText("text")))
    case "dismiss":
      _ = try ask(
        .dismiss(app: try fields.optionalText("app"), id: try fields.optionalText("id")))
    case "state":
      _ = try ask(.state([try fields.text("name"): try fields.text("value")]))
    default:
      throw AdministrationFailure(
        .invalid, "'\(verb)' is nothing that a phone can do", do: "see docs/admin-api.md")
    }
    try fields.end()
    refresh()
  }

  private func appID(
    _ fields: inout AdministrationFields
  ) throws(AdministrationFailure) -> String {
    let app = try fields.text("app")
    let bytes = Array(app.utf8)
    guard TopicParts.isWellFormed(bytes.span) else {
      throw AdministrationFailure(
        .invalid, "'\(app)' is no bundle identifier", do: "give one such as com.example.app")
    }
    return app
  }

  private func install(_ app: String, isQuiet: Bool) throws(AdministrationFailure) {
    let count = state.withLock { $0.apps.count }
    guard count < Limits.appsOfPhone else {
      throw AdministrationFailure(
        .conflict, "the phone has \(count) apps", do: "remove one of them first")
    }
    add(app, isQuiet: isQuiet)
  }

  private func add(_ id: String, isQuiet: Bool) {
    guard let socket = agent.withLock({ $0?.socket }) else { return }
    let app = PhoneApp(id: id, socket: socket, isQuiet: isQuiet) { [weak self] event in
      self?.appReported(event)
    }
    state.withLock { state in
      // The newer one asks again, as an app does that is installed over itself.
      defer { state.apps[id] = app }
      return state.apps[id]
    }?.close()
  }

  private func ask(_ request: ControlRequest) throws(AdministrationFailure) -> [JSONObject] {
    guard let control = control.withLock({ $0 }) else {
      throw AdministrationFailure(.conflict, "the phone is off", do: "turn it on")
    }
    do throws(AppLinkFailure) {
      return try control.call(
        .control(request), timeoutMilliseconds: Limits.phoneAnswerMilliseconds
      ).rows
    } catch {
      let parts = error.message.split(separator: ": ", maxSplits: 1).map(String.init)
      throw AdministrationFailure(
        .conflict, parts.first ?? "the phone refuses it",
        do: parts.count > 1 ? parts[1] : "look at what the phone shows")
    }
  }

  // MARK: What happens

  private func agentPrinted(_ line: String) {
    guard let event = (try? JSONValue(parsing: line))?.objectValue else { return }
    let app = event["app"]?.stringValue ?? ""
    state.withLock { state in
      switch event["event"]?.stringValue {
      case "link": state.isLinked = event["state"] == "up"
      case "prompt" where event["subject"] == "notifications":
        if !state.prompts.contains(app) { state.prompts.append(app) }
      case "promptWithdrawn": state.prompts.removeAll { $0 == app }
      default: break
      }
    }
    events.post(event)
    refresh()
  }

  private func appReported(_ event: JSONObject) {
    if let app = event["app"]?.stringValue, let token = event["token"]?.stringValue {
      state.withLock { $0.tokens[app] = token }
    }
    events.post(event)
    refresh()
  }

  /// Shows the pages how the phone stands, now and once more where something changes meanwhile.
  private func refresh() {
    let isFirst = state.withLock { state in
      state.isStale = state.isRefreshing
      defer { state.isRefreshing = true }
      return !state.isRefreshing && !state.isOff
    }
    guard isFirst, let control = control.withLock({ $0 }) else { return }
    collect([.apps, .appSettings(app: nil), .center(app: nil), .state([:])], [], control)
  }

  /// Asks for one list of rows after the other, without a thread that waits.
  private func collect(
    _ requests: ArraySlice<ControlRequest>, _ rows: [JSONValue], _ control: AppLinkConnection
  ) {
    guard let request = requests.first else { return collected(rows) }
    control.send(.control(request), timeoutMilliseconds: Limits.phoneAnswerMilliseconds) {
      [weak self] result in
      guard let self else { return }
      let answer = (try? result.get())?.rows ?? []
      collect(
        requests.dropFirst(), rows + [.array(answer.map(JSONValue.object))], control)
    }
  }

  private func collected(_ rows: [JSONValue]) {
    assert(rows.count == 4, "each request has one answer")
    let (snapshot, isStale) = state.withLock { state -> (JSONObject, Bool) in
      state.isRefreshing = false
      let tokens = state.tokens.sorted { $0.key < $1.key }
      let snapshot: JSONObject = [
        "event": "snapshot", "phone": .integer(Int64(number)), "linked": .bool(state.isLinked),
        "apps": rows[0], "settings": rows[1], "center": rows[2], "state": rows[3],
        "prompts": .array(state.prompts.map { .string($0) }),
        "tokens": .object(JSONObject(tokens.map { ($0.key, .string($0.value)) })),
      ]
      return (snapshot, state.isStale)
    }
    events.show(snapshot)
    if isStale { refresh() }
  }
}
