package import BelfryWire
package import PushWire

/// An event for ``UnifiedPush/handle(_:at:)``.
package enum UnifiedPushEvent: Hashable, Sendable {
  // MARK: The bus

  /// The distributor owns its name on the session bus.
  ///
  /// `names` contains the names on the bus that have an owner or that the bus can activate; nil if they are unknown.
  case served(bus: UTF8Text, names: Set<UTF8Text>?)
  /// The distributor has no name on a bus, so no app can reach it.
  case notServed(UnifiedPush.Obstacle)
  /// An app called the distributor.
  case called(UnifiedPushCall)
  /// The time for an answer has passed.
  case holdEnded(UnifiedPushHold)
  /// An app's name has an owner again.
  case nameAppeared(UTF8Text)
  /// The connection with this unique name has ended.
  case connectionEnded(UTF8Text)
  /// An app has received a call; for version 1 of the interface, the call was sent.
  case delivered(service: UTF8Text, call: UInt64)
  case deliveryFailed(service: UTF8Text, call: UInt64, UnifiedPushFailure)

  // MARK: The gateway

  /// The link to the gateway is up; the origin of the endpoints is empty if the gateway has no Web Push service.
  case linkUp(origin: UTF8Text)
  case linkDown
  /// The gateway that the agent waited for has started.
  case gatewayFound
  /// Every endpoint is invalid, because the device has a new identity.
  case identityReplaced
  /// The gateway issued the ID of a subscription's endpoint.
  case subscribed(WebPushSubject, id: [UInt8])
  /// The gateway confirmed that a subscription ended.
  case unsubscribed(WebPushSubject)
  case refused(WebPushSubject, LinkRefusal)
  case received(ReceivedWebPush)
}

/// A call of an app to the distributor.
package struct UnifiedPushCall: Hashable, Sendable {
  /// The number by which the answer is matched to the call.
  package let number: UInt64
  package let request: UnifiedPushRequest
  /// True if the caller owns the name of the registration's service, or is that app by its identity.
  package var isAllowed: Bool
  /// The caller's process, if the caller does not own the name.
  package var process: ProcessIdentity?
  /// True if the token is registered under the unique name of another connection that has not ended.
  package var isTokenHeld: Bool

  /// Creates a call.
  package init(
    number: UInt64, _ request: UnifiedPushRequest, isAllowed: Bool,
    process: ProcessIdentity? = nil, isTokenHeld: Bool = false
  ) {
    self.number = number
    self.request = request
    self.isAllowed = isAllowed
    self.process = process
    self.isTokenHeld = isTokenHeld
  }
}

/// A request that waits for the endpoint of a subscription.
package enum UnifiedPushHold: Hashable, Sendable {
  case call(UInt64)
  /// `belfry unifiedpush test`.
  case test(RequestID)
}

/// The reason that an app did not receive a call.
package enum UnifiedPushFailure: Hashable, Sendable {
  /// The app answered with an error, or did not acknowledge a message.
  case rejected(why: String)  // text: only logged
  /// The app is not running and cannot be started, or does not answer.
  case unreachable(why: String)  // text: only logged
}

/// An effect that ``UnifiedPush`` requests.
package enum UnifiedPushEffect: Hashable, Sendable {
  case persist(RecordChange)
  /// Acknowledges a message to the gateway after the records before the effect are durable.
  case acknowledge(NotificationID)
  case subscribe(WebPushSubject)
  case unsubscribe(WebPushSubject)
  /// Answers the call with this number.
  case answer(UInt64, UnifiedPushAnswer)
  case answerTest(RequestID, [JSONObject])
  /// Calls an app; answered by `delivered` or `deliveryFailed`.
  case call(ConnectorCall)
  /// Reports `connectionEnded` if this unique name no longer has an owner; does nothing for a well-known name.
  case checkOwner(UTF8Text)
  /// Reports `holdEnded` after a time.
  case hold(UnifiedPushHold, milliseconds: Int64)
  case note(UnifiedPushNote)
}

/// The distributor's answer to a call.
package enum UnifiedPushAnswer: Hashable, Sendable {
  /// The reasons for a failed registration, with their words in version 2 (webpush 2.2).
  package enum Reason: String, Hashable, Sendable {
    case internalError = "INTERNAL_ERROR"
    case network = "NETWORK"
    case actionRequired = "ACTION_REQUIRED"
    case unauthorized = "UNAUTHORIZED"

    /// The text that version 1 sends in place of the word.
    var text: String {
      switch self {
      case .internalError: "the distributor could not register the app: try again later"
      case .network: "the gateway cannot be reached: try again later"
      case .actionRequired:
        "the distributor is not ready: run 'belfry doctor' to find the cause"
      case .unauthorized: "the caller is not the app, or another app has registered the token"
      }
    }
  }

  case registered
  case failed(Reason)
  case unregistered
  /// The caller must not end the registration.
  case denied
}

/// A call to an app.
package struct ConnectorCall: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case newEndpoint(token: UTF8Text, endpoint: UTF8Text)
    /// A message, whose acknowledgment is the same ID.
    case message(token: UTF8Text, payload: [UInt8], id: String)  // text: the agent writes it
    case unregistered(token: UTF8Text)
  }

  /// The number of the call, which is unique in one run of the agent.
  package let number: UInt64
  package let service: UTF8Text
  package let version: UnifiedPushVersion
  /// True if the bus is asked to start the app if it is not running.
  package let mayStart: Bool
  package let content: Content
}

/// An event for the log.
package enum UnifiedPushNote: Hashable, Sendable {
  /// An app cannot register, because the gateway has no Web Push service.
  case noWebPush(UTF8Text)
  case noGateway(UTF8Text, isOff: Bool)
  case unauthorized(UTF8Text)
  case tokenInUse(UTF8Text)
  case tooMany(UTF8Text)
  case refusedByGateway(UTF8Text, LinkRefusal)
  case endpointTooLong(UTF8Text)
  /// The registrations of an app ended, because the app was uninstalled.
  case appGone(UTF8Text)
  /// A registration of a program that is no longer connected ended, to make room for another.
  case displaced(UTF8Text)
  /// The oldest messages of an app were dropped.
  case messagesDropped(UTF8Text, count: Int)
  case emptyMessage(UTF8Text)
  case notDelivered(UTF8Text, UnifiedPushFailure)
  case damagedRecord(RecordCollection, key: String)  // text: only logged
}
