@_exported public import UserNotifications

/// What a person means to do.
open class INIntent: NSObject, @unchecked Sendable {
  // Sendable: the properties are set before the intent is handed over.

  /// Tells it from others; nil unless the app sets one.
  open var identifier: String?

  /// What the system says of it; kept, without effect.
  open var intentDescription: String?
}

/// What came of an intent.
open class INIntentResponse: NSObject, @unchecked Sendable {}

/// An intent that was carried out.
open class INInteraction: NSObject, @unchecked Sendable {
  // Sendable: the properties are set before the interaction is handed over.

  /// Who acted towards whom.
  public let intent: INIntent

  /// What came of it.
  public let intentResponse: INIntentResponse?

  /// Whether the app's user received or did it.
  open var direction = INInteractionDirection.unspecified

  /// Tells it from others.
  open var identifier = UUID().uuidString

  /// Groups interactions.
  open var groupIdentifier: String?

  /// An interaction.
  public init(intent: INIntent, response: INIntentResponse?) {
    self.intent = intent
    intentResponse = response
  }

  /// Tells the system of it: nothing learns from it here, and the handler hears of no error.
  open func donate(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    DispatchQueue.global().async { completion?(nil) }
  }

  /// Tells the system of it: nothing learns from it here.
  open func donate() async throws {}
}

/// Who acted.
public enum INInteractionDirection: Int, Sendable {
  /// Not said.
  case unspecified = 0
  /// The app's user.
  case outgoing = 1
  /// Somebody else.
  case incoming = 2
}
