import BelfryWire

/// A push that a service extension may change before it is shown.
struct ExtensionOrder: Hashable, Sendable {
  /// Which notification.
  let key: AppNotificationID
  /// What is shown when the extension fails.
  let original: DeliveredNotification
  /// The extension's program, absolute.
  let executable: String
  /// What its `hello` will name.
  let token: String
  /// Its connection, once it has greeted.
  var connection: ConnectionID?
}

extension AgentModel {
  /// Starts the app's service extension for a push; false when it has none, or the push is none
  /// for it (client-api 3.48: an alert with text, marked mutable, of an app whose alerts are on).
  mutating func extend(
    _ key: AppNotificationID, _ notification: DeliveredNotification, isMutable: Bool
  ) -> Bool {
    guard isMutable, notification.request.content.hasAlert,
      let executable = apps[key.app]?.installation?.serviceExtension,
      settings(of: key.app).alert == .enabled
    else { return false }
    let token = "\(agentRun)-extension-\(takeOrder())"
    let order = ExtensionOrder(
      key: key, original: notification, executable: executable, token: token)
    extensions[token] = order
    // A crash in between shows the original.
    keepUnseen(key, notification)
    emit(.startExtension(order))
    return true
  }

  /// A service extension greeted: it gets its push.
  ///
  /// Returns false when it was not waited for.
  mutating func extensionGreeted(_ connection: ConnectionID, token: String?) -> Bool {
    guard let token, var order = extensions[token], order.connection == nil else { return false }
    order.connection = connection
    extensions[token] = order
    guard let question = peers[connection]?.question() else { return false }
    questions[question] = .extend(token)
    emit(
      .ask(
        question, .extend(order.original.request, payload: order.original.payload ?? []),
        timeoutMilliseconds: Limits.extensionMilliseconds))
    return true
  }

  /// The extension's time is nearly over.
  mutating func extensionTimeEnds(_ token: String) {
    guard let connection = extensions[token]?.connection else { return }
    emit(.tell(connection, .extensionTimeEnds))
  }

  /// The extension has answered, or has failed (nil): what it made, or the original, is shown.
  mutating func extensionEnded(_ token: String, _ content: NotificationContent?) {
    guard let order = extensions.removeValue(forKey: token) else { return }
    var notification = order.original
    if let content, content.hasAlert {
      notification.request.content = content
      // What decides where it belongs stays the provider's.
      notification.request.content.generation = order.original.request.content.generation
    }
    deliver(order.key, notification, isPush: true)
  }

  /// A connection is gone: its extension has failed unless it has answered.
  mutating func extensionClosed(_ connection: ConnectionID) {
    for (token, order) in extensions where order.connection == connection {
      extensionEnded(token, nil)
    }
  }
}
