import BelfryWire

/// All that the agent decides: apps, permission, delivery, responses, background work, schedule, places.
///
/// Knows no clock, no socket and no disk: an event and the time come in, effects to be carried out go
/// out. A shell hands over what happens by `handle`, then carries out what `takeEffects` gives.
struct AgentModel: ~Copyable {
  /// What the agent was started with.
  struct Configuration {
    var policy = GrantPolicy.ask
    /// Another one for each run of the agent: random, and part of every token that it hands out.
    var agentRun: String
    /// Whose apps are served.
    var userID: UInt32
    /// This program, absolute; nil when the machine does not tell.
    var agentExecutable: String?
    var hasGateway = false
    /// Whether time and zone move by command alone.
    var hasManualClock = false
    /// The languages of the agent's environment.
    var languages = ["en"]
    /// Pending local notifications kept per app, the soonest.
    var pendingLimit = ScheduleLimits.pendingPerApp

    init(agentRun: String, userID: UInt32) {
      self.agentRun = agentRun
      self.userID = userID
    }
  }

  /// What the model may look up while it decides.
  ///
  /// Each has the same answer until an event changes it.
  struct LookUps {
    /// Finds a text in an app's language files, in the first of the languages that has it.
    var text: (LocalApp, [String], NotificationText) -> String = { $2.text }
    /// The durable record of a scheduled request; nil when there is none.
    var requestRecord: (AppNotificationID) -> [UInt8]? = { _ in nil }
  }

  /// What the machine says of itself.
  struct Conditions: Hashable, Sendable {
    var isLocked = false
    var hasFocus = false
    var isBatteryLow = false
    var isPowerSaver = false
    var isMetered = false
    /// The app that the person looks at, once something told; `none` is none of them.
    var front: String?
    /// The desktop's own do-not-disturb: it holds banners back by itself, and nothing sounds.
    var isDesktopQuiet = false

    var isAsleep = false
    /// Whether the session's own service has locked the screen, not a command.
    var isLockedBySession = false

    /// Whether work in the background waits (S2-17).
    var holdsBackground: Bool { isBatteryLow || isPowerSaver || isMetered }

    /// What the gateway is told.
    var deviceState: DeviceState {
      var state: DeviceState = []
      if isBatteryLow || isPowerSaver { state.insert(.powerRestricted) }
      if isBatteryLow { state.insert(.batteryLow) }
      if isMetered { state.insert(.metered) }
      if isAsleep { state.insert(.asleep) }
      return state
    }
  }

  /// Why a question was asked.
  enum QuestionPurpose: Hashable, Sendable {
    case willPresent(AppNotificationID, DeliveredNotification)
    case fetch(AppID, String)
    case response(AppID, String)
    case extend(String)
  }

  let configuration: Configuration
  let lookUps: LookUps
  var now = AgentTime(wall: 0, elapsed: 0, awake: 0)
  var hasStarted = false
  var isLinkUp = false
  var conditions = Conditions()
  /// The window that the person looks at, where a desktop tells.
  var focusedWindow: FocusedWindow?
  /// The device's languages: those of its settings, else of the agent's environment.
  var languages: [String]
  var scheduled: ScheduledNotifications
  var pendingRequests: PendingRequests
  var regions = WatchedRegions()
  var prompts: [PromptID: Prompt] = [:]
  var armedBackground: Int64?

  private(set) var apps: [AppID: LocalApp] = [:]
  var peers: [ConnectionID: AppPeer] = [:]
  var questions: [Question: QuestionPurpose] = [:]
  var delivered = DeliveredList()
  var seen = SeenPushes(limit: Limits.rememberedPushes)
  /// Asks that wait for a person, by app.
  var undecided: [AppID: [Ask]] = [:]
  /// Notifications of commands that wait for a person, by app.
  var undecidedNotify: [AppID: [(Ask, NotificationRequest)]] = [:]
  var undecidedLocation: [AppID: [Ask]] = [:]
  /// Whether the app that waits for an answer asked for its place at all times.
  var wantsAlways: [AppID: Bool] = [:]
  /// Whether places are told to anyone on this device.
  var isLocationOn = true
  /// What a person did while the app could not be told, oldest first.
  var waitingResponses: [AppID: [WaitingResponse]] = [:]
  /// How often each app may be woken.
  var budgets: [AppID: BackgroundBudget] = [:]
  /// The latest background push of each app that must not be woken now.
  var heldFetches: [AppID: RemoteArrival] = [:]
  /// What a person chose on the locked screen and needs an unlocked one, oldest first.
  var waitingForUnlock: [LockedChoice] = []
  /// Pushes that wait for the app that is being started.
  var waitingFetches: [AppID: [RemoteArrival]] = [:]
  /// Apps that run because of a push, and have not come to the front since.
  var startedForPush: Set<AppID> = []
  /// What `hello` will name, for apps that were started and have not connected yet.
  var launches: [AppID: String] = [:]
  /// Service extensions that run, by what their `hello` names.
  var extensions: [String: ExtensionOrder] = [:]
  private(set) var nextOrder: UInt64 = 1
  var effects: [AgentEffect] = []

  init(_ configuration: Configuration, zones: ZoneFolder, lookUps: LookUps = LookUps()) {
    self.configuration = configuration
    self.lookUps = lookUps
    languages = configuration.languages
    scheduled = ScheduledNotifications(
      pendingLimit: configuration.pendingLimit, zones: zones,
      isManual: configuration.hasManualClock)
    pendingRequests = PendingRequests(readRecord: lookUps.requestRecord)
  }

  var policy: GrantPolicy { configuration.policy }
  var agentRun: String { configuration.agentRun }
  var userID: UInt32 { configuration.userID }
  var agentExecutable: String? { configuration.agentExecutable }
  var hasGateway: Bool { configuration.hasGateway }

  /// A number that was not given before.
  mutating func takeOrder() -> UInt64 {
    defer { nextOrder += 1 }
    return nextOrder
  }

  /// What is to be done since the last time this was asked.
  mutating func takeEffects() -> [AgentEffect] {
    defer { effects = [] }
    return effects
  }

  mutating func emit(_ effect: AgentEffect) { effects.append(effect) }

  // MARK: - Apps

  /// Puts a kept app back, at the start.
  mutating func restore(_ record: LocalApp) { apps[record.id] = record }

  /// Changes an app's record and keeps it.
  mutating func update(_ id: AppID, _ change: (inout LocalApp) -> Void) {
    guard var record = apps[id] else { return }
    change(&record)
    guard record != apps[id] else { return }
    apps[id] = record
    emit(.persist(.put(.apps, key: id.text, record.json.bytes)))
  }

  /// Makes an app known, or replaces what is known of its installation.
  mutating func add(_ record: LocalApp) {
    apps[record.id] = record
    emit(.persist(.put(.apps, key: record.id.text, record.json.bytes)))
  }

  mutating func forget(_ id: AppID) {
    apps[id] = nil
    emit(.persist(.remove(.apps, key: id.text)))
  }

  func settings(of id: AppID) -> NotificationSettings {
    apps[id]?.settings ?? NotificationSettings()
  }

  func languages(of id: AppID) -> [String] { apps[id]?.languages ?? languages }

  func text(_ text: NotificationText, of id: AppID) -> String {
    guard let app = apps[id], text.key != nil else { return text.text }
    return lookUps.text(app, languages(of: id), text)
  }

  // MARK: - Connections

  mutating func admit(
    _ connection: ConnectionID, role: AppHello.Role, app: AppID?, _ state: AppState,
    process: Int32
  ) {
    peers[connection] = AppPeer(
      connection: connection, role: role, app: app, process: process, state: state,
      order: nextOrder)
    nextOrder += 1
  }

  /// The app's own connections, the latest first; those in front before those behind.
  func peers(of app: AppID) -> [AppPeer] {
    peers.values.filter { $0.app == app && $0.role == .app }
      .sorted {
        ($0.state == .foreground ? 1 : 0, $0.order) > ($1.state == .foreground ? 1 : 0, $1.order)
      }
  }

  func presence(of app: AppID) -> Routing.AppPresence {
    guard let first = peers(of: app).first else { return .notRunning }
    return first.state == .foreground ? .foreground : .background
  }

  /// Whether an app in front still has to say what to show.
  var isAskingWhatToShow: Bool {
    questions.values.contains { if case .willPresent = $0 { true } else { false } }
  }

  /// Tells every running instance of an app.
  mutating func tellAll(_ app: AppID, _ event: AppEvent) {
    for peer in peers(of: app) { emit(.tell(peer.connection, event)) }
  }

  /// Asks the app's instance that is most in front; nil when none runs.
  mutating func question(
    _ app: AppID, _ event: AppEvent, _ purpose: QuestionPurpose, timeoutMilliseconds: Int64
  ) -> Question? {
    guard let connection = peers(of: app).first?.connection,
      let question = peers[connection]?.question()
    else { return nil }
    questions[question] = purpose
    emit(.ask(question, event, timeoutMilliseconds: timeoutMilliseconds))
    return question
  }
}

/// What a person chose on the locked screen.
struct LockedChoice: Hashable, Sendable {
  let key: AppNotificationID
  let action: String
  let text: String?
}

/// A response that waits for its app.
struct WaitingResponse: Hashable, Sendable {
  let key: String
  let response: NotificationResponse
}

/// The ids of the latest pushes, so that one that comes again is not shown again.
struct SeenPushes: Sendable {
  private let limit: Int
  private var numbers: [NotificationID: UInt64] = [:]
  private var order: [UInt64: NotificationID] = [:]
  private var next: UInt64 = 1
  private var oldest: UInt64 = 1

  init(limit: Int) { self.limit = limit }

  func contains(_ id: NotificationID) -> Bool { numbers[id] != nil }

  /// The ids, oldest first.
  var ids: [NotificationID] { order.sorted { $0.key < $1.key }.map(\.value) }

  /// Remembers an id under a number; gives the number, and those that are forgotten for it.
  mutating func insert(_ id: NotificationID) -> (number: UInt64, forgotten: [UInt64]) {
    let number = next
    restore(id, number: number)
    var forgotten: [UInt64] = []
    while numbers.count > limit, oldest < next {
      if let id = order.removeValue(forKey: oldest) {
        numbers[id] = nil
        forgotten.append(oldest)
      }
      oldest += 1
    }
    return (number, forgotten)
  }

  /// Puts a kept id back.
  mutating func restore(_ id: NotificationID, number: UInt64) {
    if numbers.isEmpty { oldest = number }
    oldest = min(oldest, number)
    numbers[id] = number
    order[number] = id
    next = max(next, number &+ 1)
  }
}
