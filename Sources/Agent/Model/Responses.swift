import BelfryWire
package import AppWire

/// User responses to notifications, retained until the apps have handled them.
package struct Responses {
  /// A response that waits for its app.
  package struct Waiting: Hashable, Sendable {
    /// The response's key on disk.
    let key: String
    package let retained: RetainedNotification
    let action: String
    let text: String?

    /// The response as the app receives it.
    package var response: NotificationResponse {
      NotificationResponse(notification: retained.notification, action: action, text: text)
    }
  }

  /// An action that the user chose on the locked screen and that requires unlocking.
  struct LockedChoice: Hashable, Sendable {
    let key: AppNotificationID
    /// The position, in the order of delivery, of the notification on which the user chose the action.
    let order: Int64
    let action: PersonAction
    /// True if a content extension has handled the action and forwarded it to the app.
    let isHandledByExtension: Bool
  }

  /// The waiting responses of each app, oldest first.
  private var waiting: [AppID: [Waiting]] = [:]
  /// The keys of responses sent to an app and not yet handled.
  private var sent: Set<String> = []
  /// The choices on the locked screen, oldest first; at most one for each notification.
  private var lockedChoices: [LockedChoice] = []

  /// Restores a response at startup, and returns its position in the order of delivery; nil if the record is damaged.
  mutating func restore(key: String, record: [UInt8]) -> Int64? {
    let parts = key.split(separator: "/")
    guard parts.count == 2, let app = AppID(String(parts[0])), let order = Int64(parts[1]),
      let response = Waiting(key: key, record: record)
    else { return nil }
    waiting[app, default: []].append(response)
    return order
  }

  /// Sorts the restored responses by the order of delivery, because the store sorts their keys as text.
  mutating func sortRestored() {
    for app in waiting.keys {
      // The keys of an app's responses differ only in their numbers, so a shorter key has a smaller number.
      waiting[app]?.sort { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }
    }
  }

  /// Returns the attachments of notifications whose responses wait for an app.
  func attachments(of app: AppID) -> [NotificationAttachment] {
    (waiting[app] ?? []).flatMap(\.retained.attachments)
  }

  /// Returns the oldest response that waits for an app.
  func first(of app: AppID) -> Waiting? { waiting[app]?.first }

  /// Retains a choice until the screen is unlocked, replacing an earlier choice for the same notification.
  mutating func holdUntilUnlock(_ choice: LockedChoice) {
    lockedChoices.removeAll { $0.key == choice.key }
    lockedChoices.append(choice)
  }

  /// Returns and clears the choices that waited for the screen to be unlocked, oldest first.
  mutating func releaseLockedChoices() -> [LockedChoice] {
    defer { lockedChoices = [] }
    return lockedChoices
  }

  /// Retains a response until its app has handled it.
  mutating func add(
    _ entry: DeliveredList.Entry, _ action: PersonAction, _ context: inout AgentContext
  ) -> Waiting {
    let app = entry.key.app
    let response = Waiting(
      key: "\(app)/\(entry.order)", retained: entry.retained, action: action.id,
      text: action.text)
    assert(
      waiting[app]?.contains { $0.key == response.key } != true, "response keys are unique")
    waiting[app, default: []].append(response)
    context.persist(.put(.responses, key: response.key, response.record))
    if waiting[app, default: []].count > Limits.waitingResponsesPerApp,
      let dropped = waiting[app]?.removeFirst()
    {
      sent.remove(dropped.key)
      context.release(dropped.retained.attachments, of: app)
      context.persist(.remove(.responses, key: dropped.key))
    }
    return response
  }

  /// Returns true if an app may receive a user's response.
  ///
  /// A response to a region's notification is withheld while the app may not access the location (S1-66, S1-73).
  static func mayTell(
    _ notification: DeliveredNotification, to app: AppID, _ context: AgentContext
  ) -> Bool {
    guard case .region? = notification.request.trigger else { return true }
    return context.apps.mayLocate(app)
  }

  /// Drops the unsent responses that an app may no longer receive.
  mutating func dropUntellable(of app: AppID, _ context: inout AgentContext) {
    for response in waiting[app] ?? []
    where !sent.contains(response.key)
      && !Self.mayTell(response.retained.notification, to: app, context)
    {
      context.emit(
        .log(
          .placeWithheld(AppNotificationID(app: app, id: response.retained.notification.request.id))
        ))
      onHandled(app, key: response.key, &context)
    }
  }

  /// Sends a response to a running app.
  mutating func send(_ response: Waiting, to app: AppID, _ context: inout AgentContext) {
    guard sent.insert(response.key).inserted else { return }
    let isAsked = context.ask(
      app, .response(response.response), .response(app, key: response.key),
      timeoutMilliseconds: Limits.responseMilliseconds)
    assert(isAsked, "only running apps are sent responses")
  }

  /// Sends all waiting responses to a newly connected app.
  mutating func sendAll(to app: AppID, _ context: inout AgentContext) {
    dropUntellable(of: app, &context)
    for response in waiting[app] ?? [] { send(response, to: app, &context) }
  }

  /// Handles the loss of the instance that received a response: the response is sent to another instance, or to the
  /// next instance that connects.
  mutating func onUnanswered(_ app: AppID, key: String, _ context: inout AgentContext) {
    sent.remove(key)
    dropUntellable(of: app, &context)
    guard context.presence(of: app) != .notRunning,
      let response = waiting[app]?.first(where: { $0.key == key })
    else { return }
    send(response, to: app, &context)
  }

  /// Removes a response that an app has handled; a late answer counts too (client-api 3.25).
  mutating func onHandled(_ app: AppID, key: String, _ context: inout AgentContext) {
    guard let index = waiting[app]?.firstIndex(where: { $0.key == key }) else { return }
    if let response = waiting[app]?.remove(at: index) {
      context.release(response.retained.attachments, of: app)
    }
    if waiting[app]?.isEmpty == true { waiting[app] = nil }
    sent.remove(key)
    context.persist(.remove(.responses, key: key))
  }

  /// Removes the responses of a removed app.
  mutating func onAppRemoved(_ app: AppID, _ context: inout AgentContext) {
    for response in waiting.removeValue(forKey: app) ?? [] {
      sent.remove(response.key)
      context.persist(.remove(.responses, key: response.key))
    }
    lockedChoices.removeAll { $0.key.app == app }
  }

  /// Traps in debug builds if the waiting responses are inconsistent.
  func checkInvariants(_ context: AgentContext) {
    for (app, responses) in waiting {
      assert(!responses.isEmpty, "an app without waiting responses has no entry")
      assert(
        responses.count <= Limits.waitingResponsesPerApp,
        "an app does not exceed its limit of waiting responses")
      assert(
        Set(responses.map(\.key)).count == responses.count, "response keys are unique")
      assert(
        responses.allSatisfy { $0.key.hasPrefix("\(app)/") }, "a response key begins with its app")
    }
    let known = Set(waiting.values.flatMap { $0.map(\.key) })
    assert(sent.isSubset(of: known), "every sent response still waits for its answer")
    assert(
      lockedChoices.isEmpty || context.conditions.isLocked,
      "responses wait for unlocking only while the screen is locked")
  }
}

extension Responses.Waiting {
  /// The stored form of the response.
  var record: [UInt8] {
    var frame = retained.frame
    frame.object["action"] = .string(action)
    frame.object["text"] = text.map(JSONValue.string)
    return frame.encoded
  }

  /// Reads a stored response, or the event that earlier versions of the agent stored; nil if the record is damaged.
  package init?(key: String, record: [UInt8]) {
    guard let frame = try? AppFrame(decoding: record) else { return nil }
    if frame.object["type"] == "response" {
      guard case .response(let response) = try? AppEvent(type: "response", frame) else {
        return nil
      }
      self.init(
        key: key, retained: RetainedNotification(response.notification),
        action: response.action, text: response.text)
      return
    }
    guard let retained = RetainedNotification(frame: frame),
      let action = frame.object["action"]?.stringValue
    else { return nil }
    self.init(
      key: key, retained: retained, action: action, text: frame.object["text"]?.stringValue)
  }
}

/// The consequences of a user's action on a notification.
package struct ActionConsequences: Hashable {
  /// True if the action requires an unlocked screen, because of the action's own option or because the action brings
  /// the app to the foreground (client-api 3.26).
  package let needsUnlock: Bool
  /// True if the app is notified; for a dismissal, only if the notification's category requests it (client-api 3.25).
  let isTold: Bool
  /// True if the app enters the foreground.
  let bringsToFront: Bool

  /// Determines the consequences of an action on a notification of an app.
  package init(_ id: String, on content: NotificationContent, of app: LocalApp) {
    let category = app.category(content.category)
    let action = content.actions?.first { $0.id.hasSameBytes(as: id) } ?? category?.action(id)
    let options = action?.options ?? []
    bringsToFront =
      id.hasSameBytes(as: NotificationResponse.defaultAction) || options.contains(.foreground)
    needsUnlock = bringsToFront || options.contains(.authenticationRequired)
    isTold =
      !id.hasSameBytes(as: NotificationResponse.dismissAction) || content.tellsDismissal
      || category?.options.contains(.customDismissAction) == true
  }
}

extension NotificationCategory {
  /// Returns the action with this identifier, from the default or the minimal context.
  func action(_ id: String) -> NotificationAction? {
    (actions + (minimalActions ?? [])).first { $0.id.hasSameBytes(as: id) }
  }
}
