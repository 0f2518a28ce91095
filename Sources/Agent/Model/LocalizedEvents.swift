import AppWire

// On iOS, the system looks up the strings of a push before an app or a service extension reads them. The agent therefore
// adds the strings to the keys of each push that it passes to the app; the keys remain, so that the text still follows
// a later change of the languages.

extension AgentContext {
  /// Returns an event with the strings of its push.
  func localized(_ event: AppEvent, for connection: ConnectionID) -> AppEvent {
    guard let app = connections[connection]?.app else { return event }
    func find(_ text: NotificationText) -> String { self.text(text, of: app) }
    switch event {
    case .arrived(var arrival):
      arrival.notification = arrival.notification?.localized(find)
      return .arrived(arrival)
    case .willPresent(let notification): return .willPresent(notification.localized(find))
    case .response(let response): return .response(response.localized(find))
    case .openSettings(let notification): return .openSettings(notification?.localized(find))
    case .extend(var request, let payload):
      request.content.localize(find)
      return .extend(request, payload: payload)
    case .showContent(let notification): return .showContent(notification.localized(find))
    case .contentAction(let response): return .contentAction(response.localized(find))
    case .token, .registrationFailed, .state, .settings, .badge, .languages, .backgroundTimeEnds,
      .task, .locationStatus, .regionChanged, .place, .delivered, .extensionTimeEnds:
      return event
    }
  }

  /// Returns a response with the strings of its push.
  func localized(_ response: NotificationResponse, for app: AppID) -> NotificationResponse {
    response.localized { text($0, of: app) }
  }

  /// Returns an app's notifications with the strings of its pushes, up to a limit for all strings together.
  func localized(_ notifications: [DeliveredNotification], for app: AppID)
    -> [DeliveredNotification]
  {
    var room = Limits.listedTextBytes
    return notifications.map { notification in
      notification.localized { original in
        let found = text(original, of: app)
        guard found.utf8.count <= room else { return original.text }
        room -= found.utf8.count
        assert(room >= 0, "the strings of a list do not exceed their limit")
        return found
      }
    }
  }
}

extension NotificationResponse {
  fileprivate func localized(_ find: (NotificationText) -> String) -> NotificationResponse {
    var response = self
    response.notification = notification.localized(find)
    return response
  }
}

extension DeliveredNotification {
  /// Returns a push with its strings; an app's own notification already has them.
  fileprivate func localized(_ find: (NotificationText) -> String) -> DeliveredNotification {
    guard payload != nil else { return self }
    var notification = self
    notification.request.content.localize(find)
    return notification
  }
}

extension NotificationContent {
  fileprivate mutating func localize(_ find: (NotificationText) -> String) {
    title.localize(find)
    subtitle.localize(find)
    body.localize(find)
    actionTitle.localize(find)
  }
}

extension NotificationText {
  /// Sets the text to the string for the key, and keeps the key.
  fileprivate mutating func localize(_ find: (NotificationText) -> String) {
    if key != nil { text = find(self) }
  }
}
