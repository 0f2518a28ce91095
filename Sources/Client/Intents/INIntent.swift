@_exported public import UserNotifications

/// A user's request to an app.
open class INIntent: NSObject, @unchecked Sendable {
  // Sendable: the properties are set before the intent is passed to other code.

  /// The identifier of the intent; nil unless the app sets it.
  open var identifier: String?

  /// The description of the intent for the user; stored, but has no effect.
  open var intentDescription: String?
}

/// The result of an intent.
open class INIntentResponse: NSObject, @unchecked Sendable {}

/// An interaction between a user and the app.
open class INInteraction: NSObject, @unchecked Sendable {
  // Sendable: the properties are set before the interaction is passed to other code.

  /// The intent of the interaction.
  public let intent: INIntent

  /// The result of the intent.
  public let intentResponse: INIntentResponse?

  /// The direction of the interaction.
  open var direction = INInteractionDirection.unspecified

  /// The identifier of the interaction.
  open var identifier = UUID().uuidString

  /// The identifier of the interaction's group.
  open var groupIdentifier: String?

  /// Creates an interaction from an intent.
  public init(intent: INIntent, response: INIntentResponse?) {
    self.intent = intent
    intentResponse = response
  }

  /// Donates the interaction to the system; has no effect on this system.
  ///
  /// The completion handler is called without an error.
  open func donate(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    DispatchQueue.global().async { completion?(nil) }
  }

  /// Donates the interaction to the system; has no effect on this system.
  open func donate() async throws {}
}

/// The direction of an interaction.
public enum INInteractionDirection: Int, Sendable {
  /// The direction is unspecified.
  case unspecified = 0
  /// The app's user started the interaction.
  case outgoing = 1
  /// Another user started the interaction.
  case incoming = 2
}
