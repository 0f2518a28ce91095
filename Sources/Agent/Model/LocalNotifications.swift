import BelfryWire
import AppWire
import Scheduling
import System

/// Local notifications that wait for a date or a region, and the regions that apps watch.
struct LocalNotifications: ~Copyable {
  /// A notification that is due.
  struct Due {
    let key: AppNotificationID
    let request: NotificationRequest
  }

  private var scheduled: ScheduledNotifications
  private var requests: ScheduledRequests
  private var regions = WatchedRegions()

  /// Creates an empty set.
  init(
    _ configuration: AgentModel.Configuration, _ lookUps: AgentModel.LookUps, _ zones: ZoneFolder
  ) {
    scheduled = ScheduledNotifications(
      pendingLimit: configuration.pendingLimit, zones: zones,
      isManual: configuration.hasManualClock)
    requests = ScheduledRequests(readRecord: lookUps.requestRecord)
  }

  /// Restores the stored records.
  mutating func restore(_ records: RestoredRecords, _ context: inout AgentContext) {
    scheduled.restore(records[.schedule], at: context.now.moment, &context.effects)
    regions.restore(records[.regions], atAwake: context.now.awake, &context.effects)
  }

  /// Handles the confirmation that every record is durable.
  mutating func onRecordsPersisted() { requests.onRecordsPersisted() }

  // MARK: - Requests

  /// Adds a request, replacing any request with the same identifier.
  mutating func add(
    _ key: AppNotificationID, _ request: NotificationRequest, _ trigger: NotificationTrigger,
    _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    assert(request.trigger == trigger, "a request is added with its own trigger")
    try checkRoom(for: request, key, context)
    guard case .region(let region, let repeats) = trigger else {
      let dropped = try scheduled.add(key, trigger, at: context.now.moment, &context.effects)
      guard let dropped else {
        // As on iOS, the app receives no error. The request replaces an earlier one but is never shown.
        remove([key], &context)
        context.release(request.content.attachments, of: key.app)
        context.emit(.log(.notificationExpired(key)))
        return
      }
      regions.remove([.request(key)], &context.effects)
      put(key, request, &context)
      for key in dropped { forget(key, &context) }
      return
    }
    try regions.add(.request(key), region, repeats: repeats, &context.effects)
    _ = scheduled.remove([key], &context.effects)
    put(key, request, &context)
  }

  /// Throws if the app's pending requests would together use too much memory.
  private func checkRoom(
    for request: NotificationRequest, _ key: AppNotificationID, _ context: AgentContext
  ) throws(AppLinkFailure) {
    let bytes = request.encoded.count
    assert(bytes > 0 && request.id == key.id, "a request is not empty and matches its key")
    guard bytes > Limits.smallRequestBytes else { return }
    let others = waiting(of: key.app.text, context).reduce(0) { sum, other in
      other == key ? sum : sum + requests.byteCount(other)
    }
    guard others + bytes <= Limits.pendingBytesPerApp else {
      throw AppLinkFailure(
        .invalidArgument,
        "the app's pending notifications have more than \(Limits.pendingBytesPerApp >> 20) MiB: remove some first"
      )
    }
  }

  /// Throws if a request with this trigger could never be shown.
  func check(_ trigger: NotificationTrigger, _ context: AgentContext) throws(AppLinkFailure) {
    if case .region = trigger { return }
    try scheduled.check(trigger, at: context.now.moment)
  }

  private mutating func put(
    _ key: AppNotificationID, _ request: NotificationRequest, _ context: inout AgentContext
  ) {
    context.release(requests.request(key)?.content.attachments ?? [], of: key.app)
    requests.put(key, request, &context.effects)
  }

  /// Removes the stored content of a notification.
  private mutating func forget(_ key: AppNotificationID, _ context: inout AgentContext) {
    context.release(requests.request(key)?.content.attachments ?? [], of: key.app)
    requests.remove(key, &context.effects)
  }

  /// Returns the attachments of an app's pending notifications.
  func attachments(of app: AppID, _ context: AgentContext) -> [NotificationAttachment] {
    waiting(of: app.text, context).flatMap { requests.request($0)?.content.attachments ?? [] }
  }

  /// Removes requests; identifiers without a request are ignored.
  mutating func remove(_ keys: [AppNotificationID], _ context: inout AgentContext) {
    for key in scheduled.remove(keys, &context.effects) { forget(key, &context) }
    for case .request(let key) in regions.remove(keys.map(RegionKey.request), &context.effects) {
      forget(key, &context)
    }
  }

  /// Removes all requests of an app, and the regions that it watches.
  mutating func removeAll(of app: AppID, _ context: inout AgentContext) {
    remove(waiting(of: app.text, context), &context)
    regions.remove(regions.keys(of: app), &context.effects)
  }

  /// Returns the pending requests of one app or of all apps: soonest first, then those that wait for a region.
  func waiting(of app: String?, _ context: AgentContext) -> [AppNotificationID] {
    scheduled.pending(of: app, at: context.now.moment).map(\.key) + waitingForPlaces(of: app)
  }

  private func waitingForPlaces(of app: String?) -> [AppNotificationID] {
    guard let app else { return regions.waiting(of: nil) }
    return AppID(app).map { regions.waiting(of: $0) } ?? []
  }

  /// Returns the pending requests of one app or of all apps, with their next dates.
  func pending(
    of app: String?, _ context: AgentContext
  ) -> [(key: AppNotificationID, waiting: PendingNotification)] {
    let timed = scheduled.pending(of: app, at: context.now.moment)
      .map { ($0.key, Int64?.some($0.next)) }
    return (timed + waitingForPlaces(of: app).map { ($0, nil) }).compactMap { key, next in
      requests.request(key).map {
        (key, PendingNotification(request: $0, nextUnixMilliseconds: next))
      }
    }
  }

  /// Returns the next dates of a request, in milliseconds since 1970.
  func dates(_ key: AppNotificationID, count: Int64, _ context: AgentContext) -> [Int64] {
    let bounded = Int(clamping: min(count, Limits.datesAsked))
    return scheduled.moments(of: key, count: bounded, at: context.now.moment)
  }

  /// Returns the rows that `belfry notify list` prints: those of pending notifications, followed by those of
  /// `unpermitted` notifications.
  ///
  /// Throws if the rows are too long for an answer.
  func rows(
    of app: String?, _ unpermitted: [WaitingNotification], _ context: AgentContext
  ) throws(AppLinkFailure) -> [JSONObject] {
    var bytes = 0
    var rows: [JSONObject] = []
    let all =
      pending(of: app, context).map { ($0.key, $0.waiting, false) }
      + unpermitted.map {
        ($0.key, PendingNotification(request: $0.request, nextUnixMilliseconds: nil), true)
      }
    for (key, waiting, waitsForPermission) in all {
      let content = waiting.request.content
      let title = context.text(content.title, of: key.app)
      let body = context.text(content.body, of: key.app)
      bytes += key.id.utf8.count + title.utf8.count + body.utf8.count
      guard bytes < Limits.sentFrameBytes else {
        throw AppLinkFailure(
          .invalidArgument, "the list is too long: request that of one app (--app)")
      }
      rows.append([
        "app": .string(key.app.text), "id": .string(key.id),
        "next": waiting.nextUnixMilliseconds.map(JSONValue.integer) ?? .null,
        "title": .string(title), "body": .string(body),
        "trigger": .string(Presentation.Origin(waiting.request.trigger).rawValue),
        "repeats": .bool(waiting.request.trigger?.repeats ?? false),
        "waitsForPermission": .bool(waitsForPermission),
        "every": waiting.request.trigger?.repetitionInterval.map(JSONValue.string) ?? .null,
      ])
    }
    return rows
  }

  // MARK: - Time

  /// Returns the row that `belfry clock` prints.
  func clockRow(_ context: AgentContext) -> JSONObject {
    [
      "time": .string(Timestamp.rfc3339(unixMilliseconds: context.now.wall)),
      "date": .integer(context.now.wall), "zone": .string(scheduled.zoneName),
    ]
  }

  /// Moves a manual clock in response to a command, which is answered when the move is complete.
  mutating func travel(
    _ requestID: RequestID, _ command: ScheduledNotifications.ClockCommand,
    _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    try scheduled.travel(command, requestID, at: context.now.moment, &context.effects)
  }

  /// Handles the schedule's timer or the machine's wake-up: in either case, the alarms might have fired.
  mutating func onWakeUp() { scheduled.onWakeUp() }

  /// Handles a change to the machine's clock.
  mutating func onClockSet(_ context: inout AgentContext) {
    scheduled.onClockSet(at: context.now.moment, &context.effects)
  }

  /// Handles the completion of one step of a manual clock's move.
  mutating func onClockMoved(_ context: inout AgentContext) {
    scheduled.onClockMoved(at: context.now.moment, &context.effects)
  }

  /// Handles a change to the time zone or to the time-zone database.
  mutating func onZonesChanged(to zones: ZoneFolder, _ context: inout AgentContext) {
    let requestID = scheduled.onZonesChanged(to: zones, at: context.now.moment, &context.effects)
    if let requestID { context.answer(requestID, .rows([clockRow(context)])) }
  }

  /// Returns the next due notification.
  ///
  /// Returns nil if no notification is due, while a manual clock is moving, or while a foreground app has not yet
  /// answered the question about an earlier notification.
  mutating func nextDue(_ context: inout AgentContext) -> Due? {
    guard scheduled.mayFire(isAsking: context.connections.areAskedWhatToShow) else { return nil }
    while let step = scheduled.step(at: context.now.moment, &context.effects) {
      switch step {
      case .fire(let key, let isLast):
        if let due = due(key, isLast: isLast, &context) { return due }
      case .expire(let key):
        context.emit(.log(.notificationExpired(key)))
        forget(key, &context)
      }
    }
    return nil
  }

  private mutating func due(
    _ key: AppNotificationID, isLast: Bool, _ context: inout AgentContext
  ) -> Due? {
    let request = requests.request(key)
    if isLast { forget(key, &context) }
    if request == nil { context.emit(.log(.damagedRecord(.pending, key: key.recordKey))) }
    return request.map { Due(key: key, request: $0) }
  }

  // MARK: - Location

  /// Sets the location by command; returns the notifications that are due there.
  mutating func onPlaceCommand(
    latitude: Double, longitude: Double, _ context: inout AgentContext
  ) throws(AppLinkFailure) -> [Due] {
    guard let place = Place(latitude: latitude, longitude: longitude, certainty: .exact) else {
      throw AppLinkFailure(
        .invalidArgument, "invalid location: use degrees, such as 48.86,2.29")
    }
    guard !regions.isToldByService else {
      throw AppLinkFailure(
        .invalidArgument, "a location service provides the location: stop it first")
    }
    return onPlace(place, &context)
  }

  /// Handles a location; returns the notifications that are due there.
  mutating func onPlace(_ place: Place, _ context: inout AgentContext) -> [Due] {
    let due = onCrossings(regions.onPlace(place, atAwake: context.now.awake), &context)
    for (connection, app) in regions.following { tell(place, to: connection, of: app, &context) }
    return due
  }

  /// True if a region needs the location, and no location is known.
  var lacksPlace: Bool { regions.lacksPlace }

  /// The apps with notifications that wait for a place.
  var appsWaitingForPlaces: Set<AppID> { Set(regions.waiting(of: nil).map(\.app)) }

  /// Handles the end of the services' location reports.
  mutating func onLocationServiceEnded() { regions.onServiceEnded() }

  /// Handles a beacon's advertisement; returns the notifications that are due.
  mutating func onBeacon(_ beacon: Beacon, _ context: inout AgentContext) -> [Due] {
    onCrossings(regions.onBeacon(beacon, atAwake: context.now.awake), &context)
  }

  /// Handles the passage of time, after which a region crossing can count; returns the notifications that are due.
  mutating func onRegionsDue(_ context: inout AgentContext) -> [Due] {
    onCrossings(regions.onTimePassed(atAwake: context.now.awake), &context)
  }

  private mutating func onCrossings(
    _ crossings: [WatchedRegions.Crossing], _ context: inout AgentContext
  ) -> [Due] {
    var result: [Due] = []
    for crossing in crossings {
      // An app without location permission is not notified, and its request remains (S1-73).
      guard crossing.isWanted, context.apps.mayLocate(crossing.key.app) else {
        regions.persist(crossing, &context.effects)
        continue
      }
      let isLast = regions.use(crossing, &context.effects)
      switch crossing.key {
      case .request(let key):
        if let due = due(key, isLast: isLast, &context) { result.append(due) }
      case .watched(let app, _):
        context.tell(app, .regionChanged(crossing.region, crossing.state))
      }
    }
    return result
  }

  /// Starts watching a region for an app.
  mutating func watch(
    _ app: AppID, _ region: NotificationRegion, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    let key = RegionKey.watched(app, UTF8Text(region.id))
    // Any state is suitable for this check, because the record's size does not depend on the state.
    if case .put(let collection, let name, let value) =
      RegionRecord.put(key, region, repeats: true, .unknown)
    {
      try context.checkRoom(for: app, collection, key: name, bytes: value.count)
    }
    try regions.add(key, region, repeats: true, &context.effects)
  }

  /// Stops watching a region for an app.
  mutating func unwatch(_ app: AppID, _ id: String, _ context: inout AgentContext) {
    regions.remove([.watched(app, UTF8Text(id))], &context.effects)
  }

  /// Returns the regions that an app watches.
  func watched(by app: AppID) -> [NotificationRegion] { regions.watched(by: app) }

  /// Returns the device's state relative to an app's region, if the app has location permission.
  func state(of app: AppID, _ id: String, _ context: AgentContext) -> RegionState {
    context.apps.mayLocate(app) ? regions.state(of: .watched(app, UTF8Text(id))) : .unknown
  }

  /// Starts or stops sending every location to a connection of an app.
  mutating func follow(
    _ connection: ConnectionID, _ app: AppID, isOn: Bool, _ context: inout AgentContext
  ) {
    regions.setFollower(connection, isOn ? app : nil)
    if isOn, let place = regions.place { tell(place, to: connection, of: app, &context) }
  }

  private func tell(
    _ place: Place, to connection: ConnectionID, of app: AppID, _ context: inout AgentContext
  ) {
    guard context.apps.mayLocate(app) else { return }
    var accuracy = 0.0
    if case .measured(let metres) = place.certainty { accuracy = metres ?? 0 }
    context.tell(
      connection,
      .place(
        latitude: place.latitude, longitude: place.longitude, accuracy: accuracy,
        unixMilliseconds: context.now.wall))
  }

  /// Handles a lost connection.
  mutating func onDisconnected(_ connection: ConnectionID) {
    regions.setFollower(connection, nil)
    scheduled.onDisconnected(connection)
  }

  /// Handles a possible change to location permissions.
  mutating func onPermissionChanged() { regions.onPermissionChanged() }

  // MARK: - After each event

  /// Continues a manual clock's move once nothing more is due, sets the alarms, and starts or stops location services.
  mutating func settle(_ context: inout AgentContext) {
    if scheduled.mayFire(isAsking: context.connections.areAskedWhatToShow),
      let requestID = scheduled.advance(at: context.now.moment, &context.effects)
    {
      context.answer(requestID, .rows([clockRow(context)]))
    }
    scheduled.arm(at: context.now.moment, &context.effects)
    if let apps = regions.appsToAllow {
      let allowed = apps.filter { context.apps.mayLocate($0) }
      regions.updateNeeds(allowed: allowed, &context.effects)
    }
    regions.arm(&context.effects)
  }

  /// Traps in debug builds if the pending notifications are inconsistent.
  func checkInvariants() {
    scheduled.checkInvariants()
    requests.checkInvariants()
    regions.checkInvariants()
  }
}
