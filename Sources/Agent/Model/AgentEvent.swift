package import BelfryWire
package import AppWire
package import PushWire
package import Scheduling

/// An event for `AgentModel.handle`.
package enum AgentEvent {
  // MARK: Start

  /// The stored records were read.
  ///
  /// This is the first event.
  case recordsRestored(RestoredRecords)
  /// The data is from another machine, or from before the system was reinstalled.
  ///
  /// No app is registered until it is launched on this machine (S0-34, S1-16). The event is sent before the agent
  /// connects to its gateway: before `started`, unless the agent waited for the gateway to start.
  case machineReplaced
  /// The device has a new identity at its gateway, so every token changes: the device belongs to another gateway now,
  /// or the gateway's folder was replaced.
  case identityReplaced
  /// The presenters are open and apps can connect; missed notifications are shown.
  case started
  /// Every record written before this event is durable.
  case recordsPersisted

  // MARK: Apps and commands

  /// A process sent its greeting on a new connection.
  case appGreeted(RequestID, AppHello, ProcessIdentity)
  /// A request from an app or a command (`AppRequest.control`).
  case appRequested(RequestID, AppRequest)
  /// An app answered a question.
  case appReplied(Question, AppReply)
  /// An app did not answer a question before the question's timeout.
  case questionTimedOut(Question)
  /// A connection was closed.
  case appDisconnected(ConnectionID)
  /// The agent read the app that a command asked it to install.
  case installationRead(RequestID, Result<LocalApp, AppLinkFailure>)

  // MARK: The user

  /// The user answered the prompt with this identity.
  case promptAnswered(PromptID, isAllowed: Bool)
  /// The user dismissed a prompt without an answer.
  case promptPostponed(PromptID)
  /// The user acted on a notification.
  case notificationActedOn(AppNotificationID, PersonAction)
  /// The user chose Keep or Turn Off for an app with provisional permission.
  case provisionalDecided(AppID, isKept: Bool)
  /// A notification is on screen.
  case notificationShown(AppNotificationID)
  /// A notification's window was opened or closed.
  case notificationWindow(AppNotificationID, isOpen: Bool)
  /// A presenter became available.
  ///
  /// If `isNew` is true, the presenter must receive the notifications that have not been shown yet. If `isNew` is
  /// false, the presenter has only found a new server, and already has the notifications.
  case presenterAppeared(PresenterKind, isNew: Bool)

  // MARK: The gateway

  case pushReceived(ReceivedPush)
  /// The gateway issued a token: the app's first token, the same token again, or a different token (S0-38).
  case registrationSucceeded(AppID, TokenKind, token: [UInt8])
  case registrationRefused(AppID, TokenKind, message: String)
  /// The gateway confirmed the cancellation of a registration, so its token is invalid.
  case registrationCancelled(AppID, TokenKind)
  /// The gateway reported its environment.
  case gatewayKnown(BelfryWire.Environment)
  /// The gateway that the agent waited for has started.
  case gatewayFound
  /// An attempt to connect to the gateway failed, or the link was lost.
  ///
  /// `problem` contains the reason and the advice for the user, separated by a colon.
  case linkFailed(problem: String)
  case linkChanged(isUp: Bool)

  /// An event of the UnifiedPush distributor, on the session bus or on the link to the gateway.
  case unifiedPush(UnifiedPushEvent)

  // MARK: The device

  case conditionChanged(DeviceChange)
  /// Another window received the focus; nil if no window has the focus.
  case focusedWindowChanged(FocusedWindow?)

  // MARK: Time

  /// The timer of `AgentEffect.armSchedule` fired.
  case scheduleDue
  /// The machine's clock was set.
  case clockWasSet
  /// A manual clock moved in response to `AgentEffect.moveClock`.
  case clockMoved
  /// The device's time zone changed, or the time-zone database was updated.
  case zonesChanged(ZoneFolder)
  /// The timer of `AgentEffect.armBackgroundWork` fired.
  case backgroundWorkDue
  /// The timer of `AgentEffect.armBackgroundTime` fired.
  case backgroundTimeDue

  // MARK: Location

  /// A location service reported the device's location.
  case located(Place)
  /// Location services have stopped reporting the location.
  case locationServiceEnded
  case beaconHeard(Beacon)
  /// The timer of `AgentEffect.armRegions` fired.
  case regionsDue

  // MARK: Programs

  /// The time limit for an app's greeting with this token has expired.
  case appExpected(AppID, token: String)
  /// An app could not be started; the token is from the app's launch order.
  case appLaunchFailed(AppID, token: String)
  /// A service extension could not be started.
  case extensionFailed(token: String)
  /// The process of a service extension has exited.
  ///
  /// If the extension had sent its greeting, the event has no effect: the extension's connection reports the result.
  case extensionEnded(token: String)
  /// A service extension's time is about to expire; the extension is asked for its result so far.
  case extensionTimeEnds(token: String)
  /// A service extension's time has expired.
  case extensionTimedOut(token: String)
}

/// A user's action on a notification.
package struct PersonAction: Hashable, Sendable {
  /// The identifier of one of the notification's own actions, or of one of the two actions that every notification has.
  package var id: String
  /// The text that the user typed, for an action with a text field.
  var text: String?
  /// The activation token that allows the app to enter the foreground once.
  package var activationToken: String?

  /// Creates an action.
  ///
  /// Without a token, the app cannot enter the foreground on a desktop that requires one.
  package init(_ id: String, text: String? = nil, activationToken: String? = nil) {
    self.id = id
    self.text = text
    self.activationToken = activationToken
  }

  /// The default action: opening the notification.
  package static let open = PersonAction(NotificationResponse.defaultAction)
  /// The action of dismissing the notification.
  package static let dismiss = PersonAction(NotificationResponse.dismissAction)
}

/// A change in the device's state, as reported by one of the machine's services.
package enum DeviceChange: Hashable, Sendable {
  case batteryLow(Bool)
  case powerSaver(Bool)
  case metered(Bool)
  /// The user's session was locked or unlocked.
  case sessionLocked(Bool)
  /// No session that could be locked remains.
  case sessionEnded
  /// The machine is about to sleep, or has woken.
  case asleep(Bool)
  /// The desktop's own do-not-disturb mode was turned on or off.
  case desktopQuiet(Bool)
  /// The machine is online; `isOtherNetwork` is true if its default route changed.
  case online(isOtherNetwork: Bool)
  /// No service reports conditions anymore.
  case servicesLost
}

/// A push received from the gateway.
package struct ReceivedPush: Hashable, Sendable {
  /// The provider's `apns-id`.
  package var id: NotificationID
  /// The ID by which repetitions are recognized.
  package var uniqueID: NotificationID
  package var app: AppID
  package var kind: TokenKind
  package var payload: [UInt8]
  /// The collapse ID; empty if the push has none.
  package var collapseID: String

  /// Creates a received push.
  package init(
    id: NotificationID, uniqueID: NotificationID, app: AppID, kind: TokenKind, payload: [UInt8],
    collapseID: String = ""
  ) {
    self.id = id
    self.uniqueID = uniqueID
    self.app = app
    self.kind = kind
    self.payload = payload
    self.collapseID = collapseID
  }

  /// The identifier of the resulting notification, which replaces an earlier notification with the same identifier.
  package var notificationID: String { collapseID.isEmpty ? id.text.lowercased() : collapseID }
}

/// The stored records at startup, by collection.
package struct RestoredRecords: Sendable {
  private let collections: [RecordCollection: [(key: String, value: [UInt8])]]
  /// The keys of the pending requests with the sizes of their records in bytes.
  let pendingBytes: [(key: String, bytes: Int)]

  /// Creates the records from collections; a missing collection is empty.
  package init(
    _ collections: [RecordCollection: [(key: String, value: [UInt8])]],
    pendingBytes: [(key: String, bytes: Int)] = []
  ) {
    self.collections = collections
    self.pendingBytes = pendingBytes
  }

  /// Returns the keys and values of a collection, ordered by key.
  subscript(collection: RecordCollection) -> [(key: String, value: [UInt8])] {
    assert(collection != .pending, "pending requests are not read as a whole collection")
    return collections[collection] ?? []
  }
}
