import BelfryWire

@testable import Agent

/// A device model with apps that a test moves.
struct ModelBench {
  static let burger: AppID = {
    guard let id = AppID("org.example.burger") else { preconditionFailure("a valid id") }
    return id
  }()
  var model: DeviceModel
  private var nextConnection: UInt64 = 1
  private var nextNumber: Int64 = 100
  var now: Int64 = 1_000

  init(policy: GrantPolicy = .all) {
    model = DeviceModel(policy: policy, agentRun: "run", userID: 7)
    model.hasGateway = true
    model.isLinkUp = true
  }

  /// An app connects; what that brought is dropped.
  @discardableResult
  mutating func connect(
    _ app: AppID = burger, state: AppState = .background, role: AppHello.Role = .app,
    process: ProcessIdentity = ProcessIdentity(pid: 1, uid: 7), launch: String? = nil
  ) -> (ConnectionID, [AgentEffect]) {
    let connection = ConnectionID(number: nextConnection)
    nextConnection += 1
    var hello = AppHello(
      role: role, appID: role == .control ? nil : app.text, isDevelopment: true, state: state)
    hello.launch = launch
    model.greeted(Ask(connection: connection, number: 1), hello, by: process)
    return (connection, model.takeEffects())
  }

  /// An app asks; gives the effects that are not about keeping.
  @discardableResult
  mutating func ask(_ connection: ConnectionID, _ request: AppRequest) -> [AgentEffect] {
    nextNumber += 1
    model.asked(
      Ask(connection: connection, number: nextNumber), request, atUnixMilliseconds: now)
    return take()
  }

  mutating func take() -> [AgentEffect] {
    model.takeEffects().filter { if case .keep = $0 { false } else { true } }
  }

  /// An app with permission for alerts, sounds and badges.
  mutating func authorized(
    _ app: AppID = burger, state: AppState = .background,
    options: Set<AuthorizationOption> = [.alert, .sound, .badge]
  ) -> ConnectionID {
    let (connection, _) = connect(app, state: state)
    ask(connection, .requestAuthorization(options))
    return connection
  }

  /// A push for an app that is registered for it.
  mutating func push(
    _ payload: String, app: AppID = burger, kind: TokenKind = .alert, id: UInt64 = 1,
    collapse: String = ""
  ) -> [AgentEffect] {
    if model.apps[app]?.registrations[kind] == nil {
      model.update(app) { $0.registrations[kind] = LocalApp.Registration(token: [1]) }
      _ = model.takeEffects()
    }
    model.pushed(
      DeviceModel.Push(
        id: NotificationID(high: 0, low: id), uniqueID: NotificationID(high: 1, low: id), app: app,
        kind: kind, payload: Array(payload.utf8), collapseID: collapse,
        expiration: .max, priority: 10), atUnixMilliseconds: now)
    return take()
  }

  static func request(
    _ id: String = "n", title: String = "T", badge: Int64? = nil, sound: Bool = false,
    category: String = ""
  ) -> NotificationRequest {
    var content = NotificationContent()
    content.title = NotificationText(title)
    content.badge = badge
    content.sound = sound ? NotificationSound() : nil
    content.category = category
    return NotificationRequest(id: id, content: content)
  }
}

extension [AgentEffect] {
  var extensions: [ExtensionOrder] {
    compactMap { if case .startExtension(let order) = $0 { order } else { nil } }
  }
  var presented: [Presentation] {
    compactMap { if case .present(let presentation) = $0 { presentation } else { nil } }
  }
  var suppressed: [Routing.Suppression] {
    compactMap { if case .suppressed(_, let reason) = $0 { reason } else { nil } }
  }
  var told: [AppEvent] {
    compactMap { if case .tell(_, let event) = $0 { event } else { nil } }
  }
  var asked: [(Question, AppEvent)] {
    compactMap { if case .ask(let question, let event, _) = $0 { (question, event) } else { nil } }
  }
  var answers: [AppAnswer] {
    compactMap { if case .answer(_, let answer) = $0 { answer } else { nil } }
  }
  var refusals: [AppLinkFailure.Reason] {
    compactMap { if case .refuse(_, let failure) = $0 { failure.reason } else { nil } }
  }
  var badges: [Int64] {
    compactMap { if case .badge(_, let badge) = $0 { badge } else { nil } }
  }
  var sounds: Int { count { if case .sound = $0 { true } else { false } } }
  var launches: [AppLaunch.Reason] {
    compactMap { if case .launch(let order) = $0 { order.reason } else { nil } }
  }
  var prompts: Int { count { if case .prompt = $0 { true } else { false } } }
}
