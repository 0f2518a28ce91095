import BelfryWire
import Storage
import System

/// The schedule: what is due, what apps and commands ask of it, and the manual clock.
extension AgentDaemon {
  /// Takes in what was scheduled before; what was missed is shown now.
  func startSchedule() throws(StorageFailure) {
    let scheduler = Scheduler(
      clock: clock,
      policy: Schedule<ZoneFolder>.Policy(pendingLimit: configuration.pendingLimit),
      makeCalendar: { FoundationCalendar(named: $0) }, listener: self)
    self.scheduler = scheduler
    var kept: [(key: String, value: [UInt8])] = []
    try records.forEach(.schedule) { kept.append(($0, $1)) }
    let damaged = scheduler.start(kept)
    guard !damaged.isEmpty else { return }
    log.warning("damaged scheduled notifications are dropped", ["count": "\(damaged.count)"])
    for key in damaged { model.emit(.keep(.remove(.schedule, key: key))) }
  }

  // MARK: - Requests

  /// Adds a request that an app may add.
  func schedule(_ key: AppNotificationID, _ request: NotificationRequest, _ ask: Ask) {
    guard let scheduler, let trigger = request.trigger else { return }
    if case .region(let region, let repeats) = trigger {
      return watch(key, request, region, repeats: repeats, ask)
    }
    do {
      guard let outcome = try scheduler.add(key.scheduleKey, trigger) else {
        return refuse(ask, .invalidArgument, "only a gateway sends what a push sets off")
      }
      _ = unwatch([key])
      keep(outcome.changes)
      keep(key, request)
      for dropped in outcome.dropped.compactMap(AppNotificationID.init) { keep(dropped, nil) }
      model.emit(.answer(ask, AppAnswer()))
      isScheduleUnsettled = true
    } catch {
      let failure = Self.failure(error)
      refuse(ask, failure.reason, failure.message)
    }
    flush()
  }

  /// Adds a request that waits for a crossing, in place of one with the same name.
  private func watch(
    _ key: AppNotificationID, _ request: NotificationRequest, _ region: NotificationRegion,
    repeats: Bool, _ ask: Ask
  ) {
    do throws(AppLinkFailure) {
      try watch(key, region, repeats: repeats)
      keep(scheduler?.remove([key.scheduleKey]) ?? [])
      keep(key, request)
      model.emit(.answer(ask, AppAnswer()))
    } catch {
      refuse(ask, error.reason, error.message)
    }
    flush()
  }

  /// A request's region was crossed.
  func fireAtPlace(_ key: AppNotificationID, isLast: Bool) {
    let request = request(key)
    if isLast { keep(key, nil) }
    if let request { model.fire(key, request, atUnixMilliseconds: clock.now.wall) }
  }

  /// Takes requests out.
  func unschedule(_ keys: [AppNotificationID]) {
    guard let scheduler, !keys.isEmpty else { return }
    let changes = scheduler.remove(keys.map(\.scheduleKey))
    guard !unwatch(keys).isEmpty || !changes.isEmpty else { return }
    keep(changes)
    for key in keys { keep(key, nil) }
    flush()
  }

  /// The names under which requests wait.
  func waiting(of app: String?) -> [AppNotificationID] {
    (scheduler?.pending(of: app) ?? []).compactMap { AppNotificationID($0.entry.key) }
      + waitingForPlaces(of: app)
  }

  private func keep(_ changes: [ScheduleRecord.Change]) {
    for change in changes {
      switch change {
      case .put(let key, let value): model.emit(.keep(.put(.schedule, key: key, value)))
      case .remove(let key): model.emit(.keep(.remove(.schedule, key: key)))
      }
    }
  }

  private func keep(_ key: AppNotificationID, _ request: NotificationRequest?) {
    unkeptRequests[key] = .some(request)
    let change: RecordChange =
      if let request {
        .put(.pending, key: key.recordKey, request.encoded)
      } else {
        .remove(.pending, key: key.recordKey)
      }
    model.emit(.keep(change))
  }

  /// Memory holds the schedule alone: what is to be shown is read when it is needed.
  private func request(_ key: AppNotificationID) -> NotificationRequest? {
    if let request = unkeptRequests[key] { return request }
    do {
      return try records.value(.pending, key: key.recordKey)
        .flatMap { try? NotificationRequest(decoding: $0) }
    } catch {
      log.error("a scheduled notification cannot be read", ["why": "\(error)"])
      return nil
    }
  }

  private func pending(of app: String?) -> [(AppNotificationID, PendingNotification)] {
    let timed = (scheduler?.pending(of: app) ?? []).compactMap { waiting in
      AppNotificationID(waiting.entry.key).map { ($0, Int64?.some(waiting.next)) }
    }
    return (timed + waitingForPlaces(of: app).map { ($0, nil) }).compactMap { key, next in
      request(key).map { (key, PendingNotification(request: $0, nextUnixMilliseconds: next)) }
    }
  }

  // MARK: - What is asked

  /// What an app asks of its own requests; false when it is none of that.
  func scheduleAsked(_ ask: Ask, _ app: AppID, _ request: AppRequest) -> Bool {
    switch request {
    case .pending: model.emit(.answer(ask, .pending(pending(of: app.text).map(\.1))))
    case .removePending(let ids):
      unschedule(
        ids?.map { AppNotificationID(app: app, id: $0) } ?? waiting(of: app.text))
      model.emit(.answer(ask, AppAnswer()))
    default: return false
    }
    return true
  }

  /// What a command asks of the schedule and the clock; false when it is none of that.
  func scheduleControlled(_ ask: Ask, _ request: ControlRequest) -> Bool {
    switch request {
    case .scheduled(let app): listPending(ask, app)
    case .cancel(let app, let id?):
      guard let key = onlyPending(ask, app, id) else { break }
      unschedule([key])
      model.emit(.answer(ask, AppAnswer()))
    case .cancel(let app, nil):
      unschedule(waiting(of: app))
      model.emit(.answer(ask, AppAnswer()))
    case .nextDates(let app, let id, let count):
      guard let key = onlyPending(ask, app, id) else { break }
      let dates = scheduler?.moments(of: key.scheduleKey, count: Int(clamping: min(count, 10_000)))
      model.emit(.answer(ask, .dates(dates ?? [])))
    case .clock: model.emit(.answer(ask, .rows([clockRow])))
    case .setClock(let milliseconds): travel(ask, to: milliseconds)
    case .advanceClock(let milliseconds):
      let target = clock.now.wall.addingReportingOverflow(max(0, milliseconds))
      travel(ask, to: target.overflow ? .max : target.partialValue)
    case .setZone(let name): travel(ask, toZone: name)
    default: return false
    }
    return true
  }

  private func refuse(_ ask: Ask, _ reason: AppLinkFailure.Reason, _ message: String) {
    model.emit(.refuse(ask, AppLinkFailure(reason, message)))
  }

  private func listPending(_ ask: Ask, _ app: String?) {
    let rows = pending(of: app).map { key, waiting -> JSONObject in
      let content = waiting.request.content
      return [
        "app": .string(key.app.text), "id": .string(key.id),
        "next": waiting.nextUnixMilliseconds.map(JSONValue.integer) ?? .null,
        "title": .string(model.text(content.title, of: key.app)),
        "body": .string(model.text(content.body, of: key.app)),
        "trigger": .string(Presentation.Origin(waiting.request.trigger).rawValue),
        "repeats": .bool(waiting.request.trigger?.repeats ?? false),
      ]
    }
    model.emit(.answer(ask, .rows(rows)))
  }

  private func onlyPending(_ ask: Ask, _ app: String?, _ id: String) -> AppNotificationID? {
    let keys = waiting(of: app).filter { $0.id == id }
    if keys.count > 1 {
      let apps = keys.map(\.app.text).joined(separator: ", ")
      refuse(ask, .invalidArgument, "\(id) is a notification of \(apps): add --app")
    } else if keys.isEmpty {
      refuse(ask, .unknownNotification, "nothing named \(id) waits: see 'belfry notify list'")
    }
    return keys.count == 1 ? keys.first : nil
  }

  private static func failure(_ refusal: Trigger.Refusal) -> AppLinkFailure {
    switch refusal {
    case .intervalOutOfRange:
      AppLinkFailure(.invalidArgument, "the interval must be longer than 0 s: choose another")
    case .repeatsTooOften:
      AppLinkFailure(
        .invalidArgument,
        "a repeating interval must be at least \(ScheduleLimits.shortestRepeatSeconds) s: "
          + "choose a longer one, or do not repeat")
    case .neverFires:
      AppLinkFailure(.notificationInvalidNoDate, "no such moment lies ahead: choose another")
    case .unknownZone(let name):
      AppLinkFailure(.invalidArgument, "no time zone \(name): use one like Europe/Paris")
    case .unknownCalendar(let name):
      AppLinkFailure(.invalidArgument, "no calendar \(name): use one like gregorian")
    }
  }

  // MARK: - The manual clock

  private func travel(_ ask: Ask, to milliseconds: Int64) {
    let isOnTheWay = scheduler?.travel(to: milliseconds) { [weak self] in
      guard let self else { return }
      self.model.emit(.answer(ask, .rows([self.clockRow])))
      self.flush()
    }
    if isOnTheWay != true { refuseClock(ask) }
  }

  private func travel(_ ask: Ask, toZone name: String) {
    guard clock.zones.zone(named: name) != nil else {
      return refuse(ask, .invalidArgument, "no time zone \(name): use one like Europe/Paris")
    }
    guard scheduler?.travel(toZone: name) == true else { return refuseClock(ask) }
    model.emit(.answer(ask, .rows([clockRow])))
  }

  private func refuseClock(_ ask: Ask) {
    let isManual = scheduler?.isManual ?? false
    refuse(
      ask, .invalidArgument,
      isManual
        ? "the clock is being moved already: wait for that"
        : "the agent follows the machine: start it with --clock manual")
  }

  private var clockRow: JSONObject {
    [
      "time": .string(Timestamp.rfc3339(unixMilliseconds: clock.now.wall)),
      "date": .integer(clock.now.wall), "zone": .string(clock.zone.name),
    ]
  }
}

extension AgentDaemon: ScheduleListener {
  func scheduleFired(_ firing: Firing, _ changes: [ScheduleRecord.Change]) {
    keep(changes)
    guard let key = AppNotificationID(firing.key) else { return }
    let request = request(key)
    if firing.remaining == nil { keep(key, nil) }
    if let request { model.fire(key, request, atUnixMilliseconds: clock.now.wall) }
    flush()
  }

  func scheduleDropped(_ keys: [ScheduleKey], _ changes: [ScheduleRecord.Change]) {
    keep(changes)
    for key in keys.compactMap(AppNotificationID.init) {
      log.info(
        "a notification will not be shown: its time is over",
        ["app": key.app.text, "id": key.id])
      keep(key, nil)
    }
    flush()
  }

  func scheduleChanged(_ changes: [ScheduleRecord.Change]) {
    keep(changes)
    flush()
  }

  func scheduleMayPass() -> Bool {
    // What happened at this moment is shown with this moment's time.
    turnEnded()
    return !model.isAskingWhatToShow
  }
}

extension AppNotificationID {
  /// Its name in the schedule.
  fileprivate var scheduleKey: ScheduleKey { ScheduleKey(app: app.text, id: id) }

  /// The notification of a name in the schedule; nil when its app is none.
  fileprivate init?(_ key: ScheduleKey) {
    guard let app = AppID(key.app) else { return nil }
    self.init(app: app, id: key.id)
  }
}
