internal import Console
internal import Agent
internal import AppLink
internal import BelfryWire
internal import AppWire
internal import Gateway
internal import Synchronization
internal import System

/// A virtual phone: a real agent with real apps, whose screen is a page of the console.
///
/// The methods can be called on any thread. Taps on the page have the same effects as the commands `belfry center`,
/// `settings`, and `state`. The page shows everything that the agent presents and lists.
final class VirtualPhone: Sendable {
  private struct State {
    var apps: [String: PhoneApp] = [:]
    var tokens: [String: String] = [:]
    /// The apps that wait for the user's answer to their permission prompt.
    var prompts: [String] = []
    /// The notifications presented since the phone was last unlocked, oldest first.
    ///
    /// For an app that isn't in Notification Center, these notifications are the only source of the lock screen's
    /// content.
    var shown: [JSONObject] = []
    var isLinked = false
    var refresh = PhoneRefresh()
    var isOff = false
  }

  /// The phone's number among the virtual phones of this gateway.
  let number: Int
  /// The events on this phone.
  let events = PhoneEvents()
  private let state = Mutex(State())
  private let agent: Mutex<PhoneAgent?>
  private let control: Mutex<AppLinkConnection?>

  /// Turns on a phone whose data is in `folder`, and restores the apps that it had when it was last on.
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

  /// Turns the phone off; its data is retained.
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

  /// Removes every app, so that its tokens become invalid.
  func removeApps() {
    for app in state.withLock({ Array($0.apps.keys) }) { try? remove(app) }
  }

  // MARK: User actions

  /// Performs a command.
  func perform(_ command: PhoneCommand) throws(AdministrationFailure) {
    switch command {
    case .install(let app, let isQuiet): try install(app, isQuiet: isQuiet)
    case .remove(let app): try remove(app)
    case .front(let front):
      for app in state.withLock({ Array($0.apps.values) }) {
        app.become(app.id == front ? .foreground : .background)
      }
    case .answer(let app, let isAllowed):
      _ = try ask(.changeSettings(app: app, ["notifications": isAllowed ? "on" : "off"]))
      state.withLock { state in state.prompts.removeAll { $0 == app } }
    case .setting(let app, let name, let value):
      _ = try ask(.changeSettings(app: app, [name: value]))
    case .open(let app, let id): _ = try ask(.open(app: app, id: id))
    case .act(let app, let id, let action, let text):
      _ = try ask(.act(app: app, id: id, action: action, text: text))
    case .dismiss(let app, let id): _ = try ask(.dismiss(app: app, id: id))
    case .state(let name, let value): _ = try ask(.state([name: value]))
    }
    refresh()
  }

  private func remove(_ app: String) throws(AdministrationFailure) {
    // Remove the app here first, because it would reconnect as soon as the agent disconnects it.
    state.withLock { state in
      state.tokens[app] = nil
      state.prompts.removeAll { $0 == app }
      state.shown.removeAll { $0["app"]?.stringValue == app }
      return state.apps.removeValue(forKey: app)
    }?.close()
    _ = try ask(.removeApp(app))
  }

  private func install(_ app: String, isQuiet: Bool) throws(AdministrationFailure) {
    let count = state.withLock { $0.apps.count }
    guard count < Limits.appsOfPhone else {
      throw AdministrationFailure(
        .conflict, "limit of \(count) apps reached", do: "remove one first")
    }
    add(app, isQuiet: isQuiet)
  }

  private func add(_ id: String, isQuiet: Bool) {
    guard let socket = agent.withLock({ $0?.socket }) else { return }
    let app = PhoneApp(id: id, socket: socket, isQuiet: isQuiet) { [weak self] event in
      self?.appReported(event)
    }
    state.withLock { state in
      // The newer app requests permission again, like an app that is reinstalled.
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
      let text = ProblemText(error.message)
      throw AdministrationFailure(
        .conflict, text.problem.isEmpty ? "the phone rejected the request" : text.problem,
        do: text.advice ?? "check the phone's screen")
    }
  }

  // MARK: Events

  private func agentPrinted(_ line: String) {
    guard let event = (try? JSONValue(parsing: line))?.objectValue else { return }
    let app = event["app"]?.stringValue ?? ""
    state.withLock { state in
      switch event["event"]?.stringValue {
      case "link": state.isLinked = event["state"] == "up"
      case "prompt" where event["subject"] == "notifications":
        if !state.prompts.contains(app) { state.prompts.append(app) }
      case "promptWithdrawn": state.prompts.removeAll { $0 == app }
      case "presented", "updated", "removed":
        state.shown.removeAll { $0["app"] == event["app"] && $0["id"] == event["id"] }
        guard event["event"] != "removed" else { break }
        state.shown.append(event)
        if state.shown.count > Limits.phoneEvents { state.shown.removeFirst() }
      default: break
      }
    }
    events.post(event)
    refresh()
  }

  private func appReported(_ event: JSONObject) {
    var event = event
    event["at"] = .string(Timestamp.rfc3339(unixMilliseconds: SystemClock.unixMilliseconds))
    if let app = event["app"]?.stringValue, let token = event["token"]?.stringValue {
      state.withLock { $0.tokens[app] = token }
    }
    events.post(event)
    refresh()
  }

  /// Sends a snapshot to the pages, and sends another snapshot if something changes in the meantime.
  private func refresh() {
    // The agent can print lines before the phone can query it. In that case, `init` refreshes later.
    guard let control = control.withLock({ $0 }) else { return }
    guard state.withLock({ !$0.isOff && $0.refresh.changed() }) else { return }
    collect(control)
  }

  private func collect(_ control: AppLinkConnection) {
    collect([.apps, .appSettings(app: nil), .center(app: nil), .state([:])], [], control)
  }

  /// Sends the requests one after another to collect their rows, without blocking a thread.
  private func collect(
    _ requests: ArraySlice<ControlRequest>, _ rows: [JSONValue], _ control: AppLinkConnection
  ) {
    guard let request = requests.first else {
      show(rows)
      return refreshEnded(isComplete: true, control)
    }
    control.send(.control(request), timeoutMilliseconds: Limits.phoneAnswerMilliseconds) {
      [weak self] result in
      guard let self else { return }
      guard let answer = try? result.get() else { return refreshEnded(isComplete: false, control) }
      collect(
        requests.dropFirst(), rows + [.array(answer.rows.map(JSONValue.object))], control)
    }
  }

  private func refreshEnded(isComplete: Bool, _ control: AppLinkConnection) {
    guard state.withLock({ $0.refresh.ended(isComplete: isComplete) && !$0.isOff }) else { return }
    collect(control)
  }

  private func show(_ rows: [JSONValue]) {
    assert(rows.count == 4, "each request has one answer")
    let snapshot = state.withLock { state -> JSONObject in
      let conditions = rows[3].arrayValue?.first?.objectValue
      if conditions?["locked"] == "off" { state.shown = [] }
      let tokens = state.tokens.sorted { $0.key < $1.key }
      return [
        "event": "snapshot", "phone": .integer(Int64(number)), "linked": .bool(state.isLinked),
        "apps": rows[0], "settings": rows[1], "center": rows[2], "state": rows[3],
        "shown": .array(state.shown.map(JSONValue.object)),
        "prompts": .array(state.prompts.map { .string($0) }),
        "tokens": .object(JSONObject(tokens.map { ($0.key, .string($0.value)) })),
      ]
    }
    events.show(snapshot)
  }
}
