import BelfryWire
import System

extension AgentModel {
  /// Fires what is due; on a journey of a manual clock each moment, until an app in front has to say
  /// what to show.
  mutating func settleSchedule() {
    if scheduled.isOnJourney {
      advanceJourney()
    } else {
      fireWhatIsDue()
    }
    scheduled.arm(at: now.moment, &effects)
  }

  private mutating func advanceJourney() {
    guard scheduled.standsOnJourney, !isAskingWhatToShow else { return }
    fireWhatIsDue()
    guard !isAskingWhatToShow,
      let ask = scheduled.advance(at: now.moment, &effects)
    else { return }
    emit(.answer(ask, .rows([clockRow])))
  }

  private mutating func fireWhatIsDue() {
    while let step = scheduled.step(at: now.moment, &effects) {
      switch step {
      case .fire(let key, let isLast): firePending(key, isLast: isLast)
      case .expire(let key):
        emit(.log(.notificationExpired(key)))
        pendingRequests.remove(key, &effects)
      }
    }
  }

  /// Shows a request that waited; `isLast` when it does not any more.
  mutating func firePending(_ key: AppNotificationID, isLast: Bool) {
    let request = pendingRequests.request(key)
    if isLast { pendingRequests.remove(key, &effects) }
    if let request { fire(key, request, atUnixMilliseconds: now.wall) }
  }

  // MARK: - Requests

  /// Adds a request that an app may add.
  mutating func schedule(
    _ key: AppNotificationID, _ request: NotificationRequest, _ trigger: NotificationTrigger,
    _ ask: Ask
  ) {
    do throws(AppLinkFailure) {
      if case .region(let region, let repeats) = trigger {
        try regions.add(.request(key), region, repeats: repeats, &effects)
        _ = scheduled.remove([key], &effects)
        pendingRequests.put(key, request, &effects)
      } else {
        let dropped = try scheduled.add(key, trigger, at: now.moment, &effects)
        regions.remove([.request(key)], &effects)
        pendingRequests.put(key, request, &effects)
        for key in dropped { pendingRequests.remove(key, &effects) }
      }
      emit(.answer(ask, AppAnswer()))
    } catch {
      emit(.refuse(ask, error))
    }
  }

  /// Takes requests out.
  mutating func unschedule(_ keys: [AppNotificationID]) {
    for key in scheduled.remove(keys, &effects) { pendingRequests.remove(key, &effects) }
    for key in regions.remove(keys.map(RegionKey.request), &effects) {
      if case .request(let key) = key { pendingRequests.remove(key, &effects) }
    }
  }

  /// The names under which requests wait.
  func waiting(of app: String?) -> [AppNotificationID] {
    scheduled.pending(of: app, at: now.moment).map(\.key)
      + regions.waiting(of: nil).filter { app == nil || $0.app.text == app }
  }

  func pending(of app: String?) -> [(AppNotificationID, PendingNotification)] {
    let timed = scheduled.pending(of: app, at: now.moment).map { ($0.key, Int64?.some($0.next)) }
    let placed = regions.waiting(of: nil).filter { app == nil || $0.app.text == app }
      .map { ($0, Int64?.none) }
    return (timed + placed).compactMap { key, next in
      pendingRequests.request(key).map {
        (key, PendingNotification(request: $0, nextUnixMilliseconds: next))
      }
    }
  }

  // MARK: - Commands

  mutating func listPending(_ ask: Ask, _ app: String?) {
    let rows = pending(of: app).map { key, waiting -> JSONObject in
      let content = waiting.request.content
      return [
        "app": .string(key.app.text), "id": .string(key.id),
        "next": waiting.nextUnixMilliseconds.map(JSONValue.integer) ?? .null,
        "title": .string(text(content.title, of: key.app)),
        "body": .string(text(content.body, of: key.app)),
        "trigger": .string(Presentation.Origin(waiting.request.trigger).rawValue),
        "repeats": .bool(waiting.request.trigger?.repeats ?? false),
      ]
    }
    emit(.answer(ask, .rows(rows)))
  }

  mutating func cancel(_ ask: Ask, _ app: String?, _ id: String?) {
    if let id {
      guard let key = onlyPending(ask, app, id) else { return }
      unschedule([key])
    } else {
      unschedule(waiting(of: app))
    }
    emit(.answer(ask, AppAnswer()))
  }

  mutating func nextDates(_ ask: Ask, _ app: String?, _ id: String, _ count: Int64) {
    guard let key = onlyPending(ask, app, id) else { return }
    let dates = scheduled.moments(
      of: key, count: Int(clamping: min(count, Limits.datesAsked)), at: now.moment)
    emit(.answer(ask, .dates(dates)))
  }

  private mutating func onlyPending(
    _ ask: Ask, _ app: String?, _ id: String
  ) -> AppNotificationID? {
    let keys = waiting(of: app).filter { $0.id == id }
    if keys.count > 1 {
      let apps = keys.map(\.app.text).joined(separator: ", ")
      refuse(ask, .invalidArgument, "\(id) is a notification of \(apps): add --app")
    } else if keys.isEmpty {
      refuse(ask, .unknownNotification, "nothing named \(id) waits: see 'belfry notify list'")
    }
    return keys.count == 1 ? keys.first : nil
  }

  mutating func travel(_ ask: Ask, _ command: ScheduledNotifications.ClockCommand) {
    do throws(AppLinkFailure) {
      try scheduled.travel(command, ask, at: now.moment, &effects)
    } catch {
      emit(.refuse(ask, error))
    }
  }

  var clockRow: JSONObject {
    [
      "time": .string(Timestamp.rfc3339(unixMilliseconds: now.wall)),
      "date": .integer(now.wall), "zone": .string(scheduled.zoneName),
    ]
  }
}
