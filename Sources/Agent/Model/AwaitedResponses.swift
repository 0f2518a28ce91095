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

  /// Handles the loss of a command's connection.
  mutating func onDisconnected(_ connection: ConnectionID) {
    waiting = waiting.filter { $0.value.requestID.connection != connection }
  }

  private static func giveUp(_ requestID: RequestID, _ context: inout AgentContext) {
    context.refuse(
      requestID, .unknownNotification, "the notification was removed before the user responded")
  }
}
