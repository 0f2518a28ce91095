@_exported public import UserNotifications

/// A request that a person makes of an app.
open class INIntent: NSObject, @unchecked Sendable {
  // Sendable: the properties are set before the intent is handed over.

  /// The intent's identifier; nil unless the app sets one.
  open var identifier: String?

  /// The description for the person; stored without effect.
  open var intentDescription: String?
}

/// The result of an intent.
open class INIntentResponse: NSObject, @unchecked Sendable {}

/// An interaction between a person and the app.
open class INInteraction: NSObject, @unchecked Sendable {
  // Sendable: the properties are set before the interaction is handed over.

  /// The interaction's intent.
  public let intent: INIntent

  /// The intent's result.
  public let intentResponse: INIntentResponse?

  /// Whether the app's user started it or received it.
  open var direction = INInteractionDirection.unspecified

  /// The interaction's identifier.
  open var identifier = UUID().uuidString

  /// The identifier of the interaction's group.
  open var groupIdentifier: String?

  /// Creates an interaction from an intent.
  public init(intent: INIntent, response: INIntentResponse?) {
    self.intent = intent
    intentResponse = response
  }

  /// Donates the interaction to the system: without effect here, and without an error.
  open func donate(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    DispatchQueue.global().async { completion?(nil) }
  }

  /// Donates the interaction to the system: without effect here.
  open func donate() async throws {}
}

/// The direction of an interaction.
public enum INInteractionDirection: Int, Sendable {
  /// Unspecified.
  case unspecified = 0
  /// Started by the app's user.
  case outgoing = 1
  /// Started by somebody else.
  case incoming = 2
}
