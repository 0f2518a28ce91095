import BelfryWire
import AppWire
import PushWire
import Scheduling

@testable import Agent

/// A test bench for the model of an agent, with apps, a user, and a disk that the test controls.
final class ModelBench {
  static let burger: AppID = {
    guard let id = AppID("org.example.burger") else { preconditionFailure("a valid id") }
    return id
  }()
  private(set) var model: AgentModel
  let disk: BenchDisk
  private var nextConnection: UInt64 = 1
  private var nextNumber: Int64 = 100
  /// The time of the wall clock, in milliseconds since 1970.
  var now: Int64 {
    didSet { elapsed += max(0, now - oldValue) }
  }
  /// The elapsed time and the time awake, in milliseconds.
  ///
  /// Neither time decreases when the clock is set back.
  private var elapsed: Int64

  init(
    policy: GrantPolicy = .all, hasGateway: Bool = true, isLinkUp: Bool = true,
    hasManualClock: Bool = false, pendingLimit: Int = 64, disk: BenchDisk = BenchDisk(),
    agentRun: String = "run", developmentBytesMax: Int = Limits.developmentBytes,
    now: Int64 = 1_000,
    elapsed: Int64? = nil, isStarted: Bool = true, zone: Zone = .utc, isGatewayOff: Bool = false,
    programProblem: String? = nil, texts: [String: String] = [:], servesUnifiedPush: Bool = false
  ) {
    self.disk = disk
    self.now = now
    self.elapsed = elapsed ?? now
    var configuration = AgentModel.Configuration(agentRun: agentRun, userID: 7)
    configuration.policy = policy
    configuration.hasGateway = hasGateway
    configuration.isGatewayOff = isGatewayOff
    configuration.hasManualClock = hasManualClock
    configuration.pendingLimit = pendingLimit
    configuration.developmentBytesMax = developmentBytesMax
    configuration.servesUnifiedPush = servesUnifiedPush
    var lookUps = AgentModel.LookUps(
      text: { _, _, text in text.key.flatMap { texts[$0] } ?? text.text },
      requestRecord: { [disk] in disk[.pending, $0.recordKey] },
      programProblem: { _ in programProblem })
    lookUps.hasOutdatedProgram = { [disk] in disk.outdatedProcesses.contains($0) }
    model = AgentModel(configuration, zones: BenchDisk.zones(zone), lookUps: lookUps)
    guard isStarted else { return }
    model.handle(.recordsRestored(disk.records), at: time)
    model.handle(.started, at: time)
    if isLinkUp { model.handle(.linkChanged(isUp: true), at: time) }
    let effects = model.takeEffects()
    disk.commit(effects)
  }

  /// Returns a bench for the agent's next run, with the same disk.
  func restarted(
    policy: GrantPolicy = .all, pendingLimit: Int = 64,
    developmentBytesMax: Int = Limits.developmentBytes
  ) -> ModelBench {
    let next = ModelBench(
      policy: policy, pendingLimit: pendingLimit, disk: disk, agentRun: "again",
      developmentBytesMax: developmentBytesMax, now: now, isStarted: false)
    return next
  }

  var time: AgentTime { AgentTime(wall: now, elapsed: elapsed, awake: elapsed) }

  /// Sets the clock to the time `now`, which can be earlier than the current time.
  func move(to now: Int64) { self.now = now }

  /// Starts the agent if it hasn't been started yet, and returns the resulting effects.
  func start() -> [AgentEffect] {
    let before = handle(.recordsRestored(disk.records))
    return before + handle(.started)
  }

  /// Starts the agent and returns this bench.
  func started() -> ModelBench {
    _ = start()
    return self
  }

  /// The effects of events since the last call to `take`, except for the effects of requests and greetings.
  private var untaken: [AgentEffect] = []

  /// Returns the effects of the events since the last call.
  func take() -> [AgentEffect] {
    defer { untaken = [] }
    return untaken
  }

  /// Handles an event and returns its effects, except for disk writes and alarms.
  ///
  /// The next call to `take` also returns these effects.
  @discardableResult
  func handle(_ event: AgentEvent) -> [AgentEffect] {
    let effects = send(event)
    untaken += effects
    return effects
  }

  /// The alarm for the schedule.
  private(set) var armedSchedule: ScheduleWakeUp?
  /// The time of the next check of the regions, in milliseconds of time awake.
  private(set) var armedRegions: Int64?
  /// The time of the next check of background work.
  private(set) var armedBackgroundWork: Int64?
  /// The time of the next check of the apps' background time, in milliseconds of elapsed time.
  private(set) var armedBackgroundTime: Int64?

  /// Handles an event and returns all effects without writing them to the disk.
  func decide(_ event: AgentEvent) -> [AgentEffect] {
    model.handle(event, at: time)
    return model.takeEffects()
  }

  private func send(_ event: AgentEvent) -> [AgentEffect] {
    switch event {
    case .backgroundWorkDue: armedBackgroundWork = nil
    case .backgroundTimeDue: armedBackgroundTime = nil
    case .regionsDue: armedRegions = nil
    default: break
    }
    let effects = decide(event)
    for effect in effects {
      switch effect {
      case .armSchedule(let wakeUp): armedSchedule = wakeUp
      case .armRegions(let moment): armedRegions = moment
      case .armBackgroundWork(let moment): armedBackgroundWork = moment
      case .armBackgroundTime(let moment): armedBackgroundTime = moment
      default: break
      }
    }
    disk.commit(effects)
    openPrompts += effects.prompts
    openPrompts.removeAll { effects.withdrawnPrompts.map(\.id).contains($0.id) }
    model.handle(.recordsPersisted, at: time)
    precondition(model.takeEffects().isEmpty, "a commit has no effects")
    return effects.filter { effect in
      switch effect {
      case .persist, .persistClock, .armSchedule, .armRegions, .armBackgroundWork,
        .armBackgroundTime, .cancelTimeout:
        false
      default: true
      }
    }
  }

  /// Connects an app, and returns its connection and the resulting effects.
  @discardableResult
  func connect(
    _ app: AppID = burger, state: AppState = .background, role: AppHello.Role = .app,
    process: ProcessIdentity = ProcessIdentity(pid: 1, uid: 7), launch: String? = nil,
    change: (inout AppHello) -> Void = { _ in }
  ) -> (ConnectionID, [AgentEffect]) {
    let connection = ConnectionID(number: nextConnection)
    nextConnection += 1
    var hello = AppHello(
      role: role, appID: role == .control ? nil : app.text, isDevelopment: true, state: state)
    hello.launch = launch
    change(&hello)
    untaken = []
    var process = process
    if process.executable == nil { process.executable = "/opt/\(app)" }
    return (
      connection, send(.appGreeted(RequestID(connection: connection, number: 1), hello, process))
    )
  }

  /// Sends a request from an app.
  @discardableResult
  func ask(_ connection: ConnectionID, _ request: AppRequest) -> [AgentEffect] {
    nextNumber += 1
    untaken = []
    return send(.appRequested(RequestID(connection: connection, number: nextNumber), request))
  }

  /// Sends a command's request on a separate connection.
  @discardableResult
  func command(_ request: ControlRequest) -> [AgentEffect] {
    let (connection, _) = connect(role: .control)
    defer { _ = send(.appDisconnected(connection)) }
    return ask(connection, .control(request))
  }

  /// Installs an app, or updates its installation.
  @discardableResult
  func install(
    _ app: AppID = burger, modes: [String] = ["remote-notification", "fetch", "processing"],
    _ change: (inout LocalApp.Installation) -> Void = { _ in }
  ) -> [AgentEffect] {
    var record = LocalApp(id: app)
    record.backgroundModes = modes
    var installation = LocalApp.Installation(executable: "/opt/\(app)")
    change(&installation)
    record.installation = installation
    return send(
      .installationRead(
        RequestID(connection: ConnectionID(number: 0), number: nil), .success(record)))
  }

  /// Performs the user's action on a notification.
  @discardableResult
  func respond(
    _ id: String = "n", _ action: PersonAction, app: AppID = burger
  ) -> [AgentEffect] {
    handle(.notificationActedOn(AppNotificationID(app: app, id: id), action))
  }

  /// The prompts that the user sees, oldest first.
  private(set) var openPrompts: [Prompt] = []

  /// Answers the oldest prompt, as the user would.
  func answerPrompt(isAllowed: Bool) {
    guard let prompt = openPrompts.first else { return }
    handle(.promptAnswered(prompt.id, isAllowed: isAllowed))
  }

  /// Dismisses the oldest prompt without an answer.
  func postponePrompt() {
    guard let prompt = openPrompts.first else { return }
    handle(.promptPostponed(prompt.id))
  }

  /// Reports that a presenter has shown a notification.
  func shown(_ id: String) {
    handle(.notificationShown(AppNotificationID(app: Self.burger, id: id)))
  }

  /// Connects an app that has permission for alerts, sounds, and badges, and returns its connection.
  func authorized(
    _ app: AppID = burger, state: AppState = .background,
    options: Set<AuthorizationOption> = [.alert, .sound, .badge]
  ) -> ConnectionID {
    let (connection, _) = connect(app, state: state)
    ask(connection, .requestAuthorization(options))
    return connection
  }

  private var registered: [AppID: Set<TokenKind>] = [:]

  /// Gives the app a token of the given kind.
  func register(_ app: AppID = burger, _ kind: TokenKind = .alert) {
    guard registered[app, default: []].insert(kind).inserted else { return }
    let (connection, _) = connect(app, role: .app) { $0.launch = "registers" }
    ask(connection, .register(kind))
    _ = send(.registrationSucceeded(app, kind, token: [1]))
    _ = send(.appDisconnected(connection))
  }

  /// Delivers a push to an app that is registered for pushes.
  func push(
    _ payload: String, app: AppID = burger, kind: TokenKind = .alert, id: UInt64 = 1,
    collapse: String = ""
  ) -> [AgentEffect] {
    register(app, kind)
    untaken = []
    return send(
      .pushReceived(
        ReceivedPush(
          id: NotificationID(high: 0, low: id), uniqueID: NotificationID(high: 1, low: id),
          app: app, kind: kind, payload: Array(payload.utf8), collapseID: collapse)))
  }

  /// Returns the entries in Notification Center, oldest first.
  func center(_ app: AppID? = nil) -> [JSONObject] {
    command(.center(app: app?.text)).answers.first?.rows ?? []
  }

  /// Returns the identifiers of the entries in Notification Center, oldest first.
  func centerIDs(_ app: AppID? = nil) -> [String] {
    center(app).compactMap { $0["id"]?.stringValue }
  }

  /// Returns the settings of an app as the settings command reports them.
  func settings(_ app: AppID = burger) -> JSONObject {
    command(.appSettings(app: app.text)).answers.first?.rows.first ?? [:]
  }

  static func request(
    _ id: String = "n", title: String = "T", badge: Int64? = nil, sound: Bool = false,
    category: String = "", trigger: NotificationTrigger? = nil
  ) -> NotificationRequest {
    var content = NotificationContent()
    content.title = NotificationText(title)
    content.badge = badge
    content.sound = sound ? NotificationSound() : nil
    content.category = category
    return NotificationRequest(id: id, content: content, trigger: trigger)
  }
}

/// The records of an agent, as stored on its disk.
final class BenchDisk {
  private var collections: [RecordCollection: [UTF8Text: [UInt8]]] = [:]
  /// The processes whose program files were replaced or deleted.
  var outdatedProcesses: Set<Int32> = []

  static func zones(_ zone: Zone = .utc) -> ZoneFolder {
    ZoneFolder(.system, deviceZone: zone, makeCalendar: { FoundationCalendar(named: $0) })
  }

  subscript(collection: RecordCollection, key: String) -> [UInt8]? {
    get { collections[collection]?[UTF8Text(key)] }
    set { collections[collection, default: [:]][UTF8Text(key)] = newValue }
  }

  /// Returns the keys of a collection, in order.
  func keys(_ collection: RecordCollection) -> [String] {
    (collections[collection] ?? [:]).keys.sorted().map(\.string)
  }

  func commit(_ effects: [AgentEffect]) {
    for case .persist(let change) in effects {
      switch change {
      case .put(let collection, let key, let value): self[collection, key] = value
      case .remove(let collection, let key): self[collection, key] = nil
      }
    }
  }

  var records: RestoredRecords {
    var read: [RecordCollection: [(key: String, value: [UInt8])]] = [:]
    for (collection, values) in collections where collection != .pending {
      read[collection] = values.sorted { $0.key < $1.key }.map { ($0.key.string, $0.value) }
    }
    let pending = (collections[.pending] ?? [:]).map { (key: $0.key.string, bytes: $0.value.count) }
    return RestoredRecords(read, pendingBytes: pending)
  }
}

extension [AgentEffect] {
  var extensions: [ExtensionOrder] {
    compactMap { if case .startExtension(let order) = $0 { order } else { nil } }
  }
  var presented: [Presentation] {
    compactMap { if case .present(let presentation) = $0 { presentation } else { nil } }
  }
  var refreshed: [Presentation] {
    compactMap { if case .refresh(let presentation) = $0 { presentation } else { nil } }
  }
  var withdrawn: [AppNotificationID] {
    compactMap { if case .withdraw(let key) = $0 { key } else { nil } }
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
  /// The messages of the refusals.
  var refusalMessages: [String] {
    compactMap { if case .refuse(_, let failure) = $0 { failure.message } else { nil } }
  }
  var badges: [Int64] {
    compactMap { if case .badge(_, let badge) = $0 { badge } else { nil } }
  }
  var sounds: Int { count { if case .sound = $0 { true } else { false } } }
  var orders: [LaunchOrder] {
    compactMap { if case .launch(let order) = $0 { order } else { nil } }
  }
  /// The activation tokens that accompany the requests to raise an app's window.
  var raisingTokens: [String?] {
    compactMap { if case .raise(_, let token) = $0 { .some(token) } else { nil } }
  }
  var launches: [AppLaunch.Reason] { orders.map(\.reason) }
  var prompts: [Prompt] {
    compactMap { if case .prompt(let prompt) = $0 { prompt } else { nil } }
  }
  var withdrawnPrompts: [Prompt] {
    compactMap { if case .withdrawPrompt(let prompt) = $0 { prompt } else { nil } }
  }
}
