import Agent
import BelfryWire
import AppWire

/// The record of the agent's promises and their outcomes.
///
/// The ledger checks every decision that the agent makes and every effect that it carries out. After a crash, only
/// durable promises apply: each part saves its state at every commit, and restores that state when the agent is killed.
final class AgentLedger {
  let conversations: ConversationLedger
  let notifications: NotificationLedger
  let schedule: ScheduleLedger
  let responses: ResponseLedger
  let attachments: AttachmentLedger
  let content: ContentLedger
  private let decisions: DecisionLedger
  private let answers: AnswerLedger
  let suspension: SuspensionLedger
  let knowledge: AppKnowledgeLedger
  private let registrations: RegistrationLedger
  private let background: BackgroundLedger
  private let screen: ScreenLedger
  let places: LocationLedger
  private let front: FrontLedger
  private let waiting: WaitingLedger
  private unowned let world: AgentSimulation
  /// The records as decided by this run of the agent, whether durable or not.
  private(set) var mirror = RecordMirror()
  /// The apps in the records.
  private(set) var apps: [AppID: LocalApp] = [:]
  private(set) var conditions = SimulatedConditions()
  private(set) var shownCount = 0
  /// True if this run of the agent has completed its startup.
  private(set) var hasStarted = false

  init(in world: AgentSimulation) {
    self.world = world
    conversations = ConversationLedger(in: world)
    notifications = NotificationLedger(in: world)
    schedule = ScheduleLedger(in: world)
    responses = ResponseLedger(in: world)
    attachments = AttachmentLedger(in: world)
    content = ContentLedger(in: world)
    decisions = DecisionLedger(in: world)
    answers = AnswerLedger(in: world)
    suspension = SuspensionLedger(in: world)
    knowledge = AppKnowledgeLedger(in: world)
    registrations = RegistrationLedger(in: world)
    background = BackgroundLedger(in: world)
    screen = ScreenLedger(in: world)
    places = LocationLedger(in: world)
    front = FrontLedger(in: world)
    waiting = WaitingLedger(in: world)
  }

  /// The notifications on which the user can act, in a fixed order.
  var deliveredKeys: [AppNotificationID] {
    mirror[.delivered].keys.compactMap(Self.notification(recordKey:))
  }

  static func notification(recordKey: String) -> AppNotificationID? {
    // Split the bytes rather than the characters, because a combining mark after the slash would form one character
    // with the slash.
    let (bytes, slash) = (recordKey.utf8, UInt8(ascii: "/"))
    guard let end = bytes.firstIndex(of: slash), let app = AppID(String(recordKey[..<end])),
      let id = String(bytes[bytes.index(after: end)...])
    else { return nil }
    return AppNotificationID(app: app, id: id)
  }

  /// Returns the notification with this key in the delivered list.
  func delivered(_ key: AppNotificationID) -> DeliveredList.Entry? {
    mirror[.delivered][key.recordKey].flatMap(DeliveredList.Entry.init(record:))
  }

  // MARK: Places

  private var isLocationOn: Bool {
    mirror[.device][DeviceSettingsChange.locationKey] != Array("off".utf8)
  }

  /// Returns true if an app is allowed to know the device's location.
  func mayLocate(_ app: AppID) -> Bool {
    [.always, .whenInUse].contains(locationStatus(of: app))
  }

  /// Returns the location permission that the agent should report to an app.
  func locationStatus(of app: AppID) -> LocationStatus {
    let status = apps[app]?.locationStatus ?? .notDetermined
    return isLocationOn || status == .notDetermined ? status : .denied
  }

  // MARK: Runs of the agent

  func agentStarts() {
    mirror = world.records.durable
    apps = [:]
    for (key, value) in mirror[.apps] { readApp(key, value) }
    conditions = SimulatedConditions()
    hasStarted = false
    checkRecords("at startup")
    notifications.agentStarts()
    schedule.agentStarts()
    registrations.agentStarts()
    screen.agentStarts()
  }

  func agentCrashed() {
    conversations.agentCrashed()
    notifications.agentCrashed()
    schedule.agentCrashed()
    responses.agentCrashed()
    content.agentCrashed()
    suspension.agentCrashed()
    knowledge.agentCrashed()
    background.agentCrashed()
    places.agentCrashed()
    front.agentCrashed()
    waiting.agentCrashed()
  }

  /// Records that all decisions so far are durable.
  func onDurable() {
    notifications.onDurable()
    schedule.onDurable()
    responses.onDurable()
    background.onDurable()
    waiting.onDurable()
  }

  // MARK: Decisions

  func willHandle(_ event: AgentEvent) {
    screen.willHandle(wasLocked: conditions.isLocked)
    conditions.apply(event)
    if case .started = event { hasStarted = true }
    background.willHandle(event)
    places.willHandle(event)
    front.willHandle(event)
    knowledge.willHandle(event)
    registrations.willHandle(event)
    conversations.willHandle(event)
    notifications.willHandle(event)
    responses.willHandle(event)
    content.willHandle(event)
    decisions.willHandle()
    suspension.willHandle(event)
  }

  func onHandled(_ event: AgentEvent, _ effects: [AgentEffect]) {
    for effect in effects {
      if case .persist(let change) = effect { apply(change, event) }
      conversations.onDecided(effect, event)
      responses.onDecided(effect, event)
      suspension.onDecided(effect)
      notifications.onDecided(effect, event)
      content.onDecided(effect, event)
      decisions.onDecided(effect, event)
      answers.onDecided(effect, event)
      attachments.onDecided(effect)
      knowledge.onDecided(effect, event)
      registrations.onDecided(effect)
      screen.onDecided(effect, event)
      places.onDecided(effect, event)
      front.onDecided(effect, event)
    }
    schedule.onDecided(effects, event)
    conversations.onHandled(event)
    notifications.onHandled(event)
    responses.onHandled(event, effects)
    content.onHandled(event, effects)
    decisions.onHandled()
    knowledge.onHandled()
    registrations.onHandled()
    background.onHandled(event, effects)
    suspension.onHandled(event)
    screen.onHandled(event)
    places.onHandled()
    front.onHandled(event, effects)
    waiting.onHandled(event, effects)
  }

  private func apply(_ change: RecordChange, _ event: AgentEvent) {
    mirror.apply(change)
    switch change {
    case .put(.apps, let key, let value):
      let before = AppID(key).flatMap { apps[$0] }
      readApp(key, value)
      guard let id = AppID(key), let after = apps[id] else {
        return world.fail("the record of the app \(key) cannot be decoded")
      }
      checkPermission(from: before ?? LocalApp(id: id), to: after, event)
      knowledge.onChanged(from: before ?? LocalApp(id: id), to: after)
    case .remove(.apps, let key): if let id = AppID(key) { apps[id] = nil }
    default: break
    }
  }

  private func readApp(_ key: String, _ value: [UInt8]) {
    guard let id = AppID(key), let object = (try? JSONValue(parsing: value))?.objectValue,
      let record = LocalApp(json: object)
    else { return world.fail("the record of the app \(key) cannot be decoded") }
    apps[id] = record
  }

  /// Checks that permission is granted and revoked only by the user or the policy.
  private func checkPermission(from before: LocalApp, to after: LocalApp, _ event: AgentEvent) {
    let id = after.id
    if before.status != after.status {
      let isDecided =
        switch after.status {
        case .authorized:
          conversations.wasAnswered(id, .notifications, isAllowed: true)
            || Self.changes(event, id, "notifications", "on")
            || Self.decidesProvisional(event, before, isKept: true) || world.profile.policy != .ask
            || isFreeOfQuestion(before, event)
        case .denied:
          conversations.wasAnswered(id, .notifications, isAllowed: false)
            || Self.changes(event, id, "notifications", "off")
            || Self.decidesProvisional(event, before, isKept: false)
            || world.profile.policy == .none
        case .provisional:
          if case .appRequested(_, .requestAuthorization(let options, _)) = event {
            options.contains(.provisional)
          } else {
            false
          }
        case .notDetermined: false
        }
      world.expect(
        isDecided, "the notification status of \(id) became \(after.status) without a decision")
    }
    if before.locationStatus != after.locationStatus {
      let isDecided =
        conversations.wasAnswered(id, .location, isAllowed: false)
        && after.locationStatus == .denied
        || conversations.wasAnswered(id, .location, isAllowed: true)
          && after.locationStatus == conversations.answeredExtent
        || Self.changes(event, id, "location", after.locationStatus.rawValue)
        || Self.notifiesOfPlace(event, id) || world.profile.policy != .ask
      world.expect(
        isDecided, "the location status of \(id) became \(after.locationStatus) without a decision")
    }
  }

  /// Returns true if the event is a notification from a Mac app that uses the older interface and has never requested
  /// permission.
  private func isFreeOfQuestion(_ before: LocalApp, _ event: AgentEvent) -> Bool {
    guard case .appRequested(let ask, .add(let request)) = event else { return false }
    return request.content.generation == .desktop && before.status == .notDetermined
      && before.requested.isEmpty && conversations.app(of: ask.connection) == before.id
  }

  /// Returns true if a notification is held until the user has decided about its app.
  func isKeptForDecision(_ key: AppNotificationID) -> Bool {
    guard let entry = delivered(key), apps[key.app]?.status == .notDetermined else { return false }
    return entry.retained.content.generation != .userNotification && entry.needsPresentation
      && !entry.isListed
  }

  private static func changes(
    _ event: AgentEvent, _ app: AppID, _ name: String, _ word: String
  ) -> Bool {
    guard case .appRequested(_, .control(.changeSettings(app.text, let changes))) = event else {
      return false
    }
    return changes[name] == word
  }

  /// Returns true if the event is the user's decision about an app that notifies quietly.
  private static func decidesProvisional(
    _ event: AgentEvent, _ before: LocalApp, isKept: Bool
  ) -> Bool {
    guard case .provisionalDecided(before.id, isKept) = event else { return false }
    return before.status == .provisional
  }

  private static func notifiesOfPlace(_ event: AgentEvent, _ app: AppID) -> Bool {
    guard case .appRequested(_, .control(.notify(app.text, let request))) = event,
      case .region? = request.trigger
    else { return false }
    return true
  }

  // MARK: Carried-out effects

  func onCarriedOut(_ effect: AgentEffect) {
    switch effect {
    case .present: shownCount += 1
    case .acknowledge(let id): notifications.checkAcknowledged(id)
    default: break
    }
  }

  // MARK: The end of the run

  func checkEnd() {
    guard world.agent.isUp else {
      return world.fail("the agent is not running at the end of the run")
    }
    checkRecords("at the end of the run")
    conversations.checkEnd()
    responses.checkEnd()
    waiting.checkEnd()
    attachments.checkEnd()
    registrations.checkEnd()
    let pushes = world.pushService.unacknowledged
    world.expect(
      pushes.isEmpty, "pushes are unacknowledged at the end of the run: \(pushes.map(\.low))")
    let held = mirror[.fetches].keys
    world.expect(held.isEmpty, "background pushes are still held at the end of the run: \(held)")
  }

  /// Checks that related records exist together, and that no record belongs to a removed app.
  private func checkRecords(_ when: String) {
    let requests = Set(mirror[.pending].keys)
    var waiting: Set<String> = []
    for key in mirror[.schedule].keys where key != ScheduleRecord.clockKey {
      waiting.insert(key.replacing("\n", with: "/", maxReplacements: 1))
    }
    for name in mirror[.regions].keys {
      if case .request(let key)? = RegionRecord.key(name) { waiting.insert(key.recordKey) }
    }
    let odd = requests.symmetricDifference(waiting).sorted()
    world.expect(
      odd.isEmpty, "\(when), the pending requests do not match the scheduled triggers: \(odd)")
    let owners =
      (mirror[.delivered].keys + requests.sorted() + mirror[.responses].keys
      + mirror[.waiting].keys
      + mirror[.fetches].keys)
      .map { String($0.unicodeScalars.prefix { $0 != "/" }) }
    for owner in owners where AppID(owner).flatMap({ apps[$0] }) == nil {
      world.fail("\(when), records of the removed app \(owner) remain")
    }
  }
}

/// The conditions of the device that affect what can be displayed.
struct SimulatedConditions {
  private(set) var isLocked = false
  private(set) var hasFocus = false
  private(set) var isDesktopQuiet = false
  private var isBatteryLow = false
  private var isPowerSaver = false
  private var isMetered = false
  private var isLockedBySession = false

  /// True if background work is postponed.
  var holdsBackgroundWork: Bool { isBatteryLow || isPowerSaver || isMetered }

  mutating func apply(_ event: AgentEvent) {
    switch event {
    case .conditionChanged(.sessionLocked(let isLocked)):
      self.isLocked = isLocked
      isLockedBySession = isLocked
    case .conditionChanged(.sessionEnded):
      if isLockedBySession { isLocked = false }
      isLockedBySession = false
    case .conditionChanged(.desktopQuiet(let isQuiet)): isDesktopQuiet = isQuiet
    case .conditionChanged(.batteryLow(let isLow)): isBatteryLow = isLow
    case .conditionChanged(.powerSaver(let isOn)): isPowerSaver = isOn
    case .conditionChanged(.metered(let isMetered)): self.isMetered = isMetered
    case .conditionChanged(.servicesLost):
      isBatteryLow = false
      isPowerSaver = false
      isMetered = false
    case .appRequested(_, .control(.state(let changes))):
      if let word = changes["locked"] { isLocked = word == "on" }
      if let word = changes["focus"] { hasFocus = word == "on" }
      if let word = changes["metered"] { isMetered = word == "on" }
      if let word = changes["battery"] { isBatteryLow = word == "low" }
    default: break
    }
  }
}
