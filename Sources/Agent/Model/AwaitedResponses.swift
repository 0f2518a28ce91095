import BelfryWire
import AppWire

/// Commands that wait for the user's response to a notification (`belfry notify --action`).
///
/// A response that a command waits for is not sent to the app.
struct AwaitedResponses {
  private struct Waiting {
    let requestID: RequestID
    /// True once the notification has been delivered; if the notification is missing after that, it was removed.
    var isDelivered = false
  }

  private var waiting: [AppNotificationID: Waiting] = [:]

  /// Registers a command that waits for the response to a notification, which might not have been added yet.
  ///
  /// The command replaces another command that waits for a notification with the same identifier.
  mutating func add(
    _ key: AppNotificationID, _ requestID: RequestID, _ context: inout AgentContext
  ) throws(AppLinkFailure) {
    if let other = waiting.removeValue(forKey: key) { Self.giveUp(other.requestID, &context) }
    guard waiting.count < Limits.awaitedResponses else {
      throw AppLinkFailure(
        .invalidArgument, "too many commands are waiting for responses: stop some of them first")
    }
    waiting[key] = Waiting(requestID: requestID)
  }

  /// Answers the command that waits for the response to a notification; returns false if no command waits.
  mutating func onAction(
    _ key: AppNotificationID, _ action: PersonAction, _ context: inout AgentContext
  ) -> Bool {
    guard let one = waiting.removeValue(forKey: key) else { return false }
    var row: JSONObject = ["action": .string(action.id)]
    row["text"] = action.text.map(JSONValue.string)
    context.answer(one.requestID, .rows([row]))
    return true
  }

  /// Answers commands whose notification was removed without a response; `isThere` returns whether a notification still
  /// exists.
  mutating func settle(
    _ context: inout AgentContext, isThere: (AppNotificationID) -> Bool
  ) {
    for (key, one) in waiting {
      if isThere(key) {
        waiting[key]?.isDelivered = true
      } else if one.isDelivered {
        waiting[key] = nil
        Self.giveUp(one.requestID, &context)
      }
    }
  }

  /// Answers the command whose notification was neither shown nor listed, because no response can arrive.
  mutating func onDiscarded(_ key: AppNotificationID, _ context: inout AgentContext) {
    guard let one = waiting.removeValue(forKey: key) else { return }
    context.refuse(
      one.requestID, .unknownNotification, Self.reasonForDiscarding(key.app, context))
  }

  /// Returns the message about a notification that was neither shown nor listed.
  private static func reasonForDiscarding(_ app: AppID, _ context: AgentContext) -> String {
    let settings = context.settings(of: app)
    let cause: (text: String, change: String)
    if !settings.status.allows {
      cause = ("notifications are off for \(app)", "notifications=on")
    } else if settings.alert == .disabled {
      cause = ("alerts are off for \(app)", "alert=on")
    } else if settings.center == .disabled, settings.alert == .enabled, settings.alertStyle == .none
    {
      cause = (
        "banners and the Notification Center are off for \(app)", "style=banner center=on"
      )
    } else if settings.center == .disabled {
      // Focus or the lock screen suppressed the banner, for example.
      cause = ("no banner appears now, and the Notification Center is off for \(app)", "center=on")
    } else {
      return
        "the notification was neither shown nor listed: a notification that can be answered needs a title or a "
        + "body, and must not be hidden by its app"
    }
    return
      "\(cause.text), so the notification was neither shown nor listed: change this with 'belfry settings \(app) "
      + "\(cause.change)', and run the command again"
  }

  /// Handles the loss of a command's connection.
  mutating func onDisconnected(_ connection: ConnectionID) {
    waiting = waiting.filter { $0.value.requestID.connection != connection }
  }

  private static func giveUp(_ requestID: RequestID, _ context: inout AgentContext) {
    context.refuse(
      requestID, .unknownNotification, "the notification was removed before the user responded")
  }
}
