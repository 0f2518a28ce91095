import BelfryWire

/// A connection of the app server, for as long as it lasts.
struct ConnectionID: Hashable, Sendable {
  let number: UInt64
}

/// An ask of an app that waits for its answer.
struct Ask: Hashable, Sendable {
  let connection: ConnectionID
  /// The number that the app gave; nil when it wants no answer.
  let number: Int64?
}

/// A question of the agent to an app.
struct Question: Hashable, Sendable {
  let connection: ConnectionID
  let number: Int64
}

/// What the store is to keep or to forget.
enum RecordChange: Hashable, Sendable {
  case put(RecordCollection, key: String, [UInt8])
  case remove(RecordCollection, key: String)
}

/// The store's collections, by the names that they have on disk.
enum RecordCollection: String, Hashable, Sendable, CaseIterable {
  case apps, delivered, pending, schedule, regions, seen, responses, fetches, device
}

/// A decision that only a person can take.
struct Prompt: Hashable, Sendable {
  enum Subject: Hashable, Sendable {
    case notifications
    /// With the app's own words (S1-65).
    case location(usage: String)
  }

  let app: AppID
  let appName: String
  let icon: String?
  let subject: Subject
}

/// An app to be started.
struct LaunchOrder: Hashable, Sendable {
  let app: LocalApp
  let reason: AppLaunch.Reason
  /// Whether it is to come to the front.
  let isForeground: Bool
  /// What `hello` will name.
  let token: String
}

/// What the model wants done.
///
/// Shells do it in order, after the records before it are durable.
enum AgentEffect: Hashable, Sendable {
  case keep(RecordChange)
  case answer(Ask, AppAnswer)
  case refuse(Ask, AppLinkFailure)
  case tell(ConnectionID, AppEvent)
  case ask(Question, AppEvent, timeoutMilliseconds: Int64)
  case close(ConnectionID)
  case present(Presentation)
  /// It stands there with other texts now; nothing when it does not stand there any more.
  case refresh(Presentation)
  case withdraw(AppNotificationID)
  case badge(AppID, Int64)
  case sound(AppNotificationID, NotificationSound)
  case suppressed(AppNotificationID, Routing.Suppression)
  case prompt(Prompt)
  case withdrawPrompt(AppID)
  case launch(LaunchOrder)
  /// The app that this names is to greet in time.
  case expectApp(AppID, token: String, timeoutMilliseconds: Int64)
  /// End what was started for a push and has used up its time.
  case end(AppID)
  /// Start a service extension; its end is reported by `extensionEnded`.
  case startExtension(ExtensionOrder)
  /// The gateway is to register or unregister the app.
  case register(AppID, TokenKind)
  case unregister(AppID, TokenKind)
  /// The gateway is to know how the device stands.
  case linkState(DeviceState)
  /// The push is kept: the gateway may forget it.
  case acknowledge(NotificationID)
  /// Who may know the device's place has changed.
  case locationPermission
  /// Add the request to the schedule, and answer.
  case schedule(AppNotificationID, NotificationRequest, Ask)
  /// Take requests out of the schedule.
  case unschedule([AppNotificationID])
  /// Take all of an app's requests out of the schedule.
  case unscheduleAll(AppID)
}
