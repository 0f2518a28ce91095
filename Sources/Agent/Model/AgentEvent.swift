import BelfryWire

/// An event for `AgentModel.handle`.
enum AgentEvent {
  // MARK: Start

  /// The stored records were read; the first event.
  case recordsRestored(RestoredRecords)
  /// The data comes from another machine, or from before the system was installed anew: apps are registered once they
  /// are launched here (S0-34, S1-16); only before `started`.
  case machineReplaced
  /// The device has a new identity at its gateway, so that every token changes: the gateway is another one, or its
  /// folder was replaced.
  case identityReplaced
  /// The presenters are open and apps may connect; what was missed is shown.
  case started
  /// Every record written before this event is durable.
  case recordsPersisted

  // MARK: Apps and commands

  /// A process greeted on a new connection.
  case appGreeted(Ask, AppHello, ProcessIdentity)
  /// A request of an app, or of a command (`AppRequest.control`).
  case appRequested(Ask, AppRequest)
  /// An app answered a question.
  case appReplied(Question, AppReply)
  /// An app did not answer a question in time.
  case questionTimedOut(Question)
  /// A connection ended.
  case appDisconnected(ConnectionID)
  /// The app that a command asked to install was read.
  case installationRead(Ask, Result<LocalApp, AppLinkFailure>)

  // MARK: The person

  /// A person answered the prompt of that identity.
  case promptAnswered(PromptID, isAllowed: Bool)
  /// A person dismissed a prompt without an answer.
  case promptPostponed(PromptID)
  /// A person acted on a notification.
  case notificationActedOn(AppNotificationID, PersonAction)
  /// A person keeps an app's notifications that come quietly so far, or turns them off.
  case provisionalDecided(AppID, isKept: Bool)
  /// A notification is on screen.
  case notificationShown(AppNotificationID)
  /// A notification's window has opened, or is gone.
  case notificationWindow(AppNotificationID, isOpen: Bool)
  /// A presenter became available.
  ///
  /// A new one receives what has not been shown yet; one with a new server has that already.
  case presenterAppeared(AgentConfiguration.PresenterKind, isNew: Bool)

  // MARK: The gateway

  case pushReceived(ReceivedPush)
  /// The gateway gave a token: the first one, the same one again, or another (S0-38).
  case registrationSucceeded(AppID, TokenKind, token: [UInt8])
  case registrationRefused(AppID, TokenKind, message: String)
  /// The gateway knows that a registration was cancelled: its token is dead.
  case registrationCancelled(AppID, TokenKind)
  /// The gateway has said which environment it is of.
  case gatewayKnown(BelfryWire.Environment)
  case linkChanged(isUp: Bool)

  // MARK: The device

  case conditionChanged(DeviceChange)
  /// Another window is in front; nil when none is.
  case focusedWindowChanged(FocusedWindow?)

  // MARK: Time

  /// The timer of `AgentEffect.armSchedule` fired.
  case scheduleDue
  /// The machine's clock was set.
  case clockWasSet
  /// A manual clock was moved as `AgentEffect.moveClock` asked.
  case clockMoved
  /// The device's zone changed, or the database of zones was updated.
  case zonesChanged(ZoneFolder)
  /// The timer of `AgentEffect.armBackgroundWork` fired.
  case backgroundWorkDue
  /// The moment has come that `AgentEffect.armBackgroundTime` asked for.
  case backgroundTimeDue

  // MARK: The place

  /// A location service reported the device's location.
  case located(Place)
  /// No location service reports the location any more.
  case locationServiceEnded
  case beaconHeard(Beacon)
  /// The timer of `AgentEffect.armRegions` fired.
  case regionsDue

  // MARK: Programs

  /// The time for an app to greet with this token is over.
  case appExpected(AppID, token: String)
  /// An app could not be started; the token is its order's.
  case appLaunchFailed(AppID, token: String)
  /// A service extension could not be started.
  case extensionFailed(token: String)
  /// The process of a service extension has ended; one that greeted says by its connection what it made.
  case extensionEnded(token: String)
  /// A service extension's time is nearly over: it is asked for what it has.
  case extensionTimeEnds(token: String)
  /// A service extension's time is over.
  case extensionTimedOut(token: String)
}

/// A person's action on a notification.
struct PersonAction: Hashable, Sendable {
  /// The identifier of an action of the notification, or one of the two that each has.
  var id: String
  /// What was typed, for an action with a text field.
  var text: String?
  /// The activation token that lets the app come to the front, once.
  var activationToken: String?

  /// Creates an action; without a token the app cannot come to the front on a desktop that requires one.
  init(_ id: String, text: String? = nil, activationToken: String? = nil) {
    self.id = id
    self.text = text
    self.activationToken = activationToken
  }

  /// A plain click.
  static let open = PersonAction(NotificationResponse.defaultAction)
  /// Dismissing it.
  static let dismiss = PersonAction(NotificationResponse.dismissAction)
}

/// A change of the device that one of its services reports.
enum DeviceChange: Hashable, Sendable {
  case batteryLow(Bool)
  case powerSaver(Bool)
  case metered(Bool)
  /// The person's session was locked or unlocked.
  case sessionLocked(Bool)
  /// There is no session that could be locked.
  case sessionEnded
  /// About to sleep, or awake again.
  case asleep(Bool)
  /// The desktop's own do-not-disturb.
  case desktopQuiet(Bool)
  /// The machine is online; `isOtherNetwork` when its default route changed.
  case online(isOtherNetwork: Bool)
  /// No service reports anything any more.
  case servicesLost
}

/// A push received from the gateway.
struct ReceivedPush: Hashable, Sendable {
  /// The provider's `apns-id`.
  var id: NotificationID
  /// The id by which repetitions are recognised.
  var uniqueID: NotificationID
  var app: AppID
  var kind: TokenKind
  var payload: [UInt8]
  /// Empty when it has none.
  var collapseID: String

  /// A push.
  init(
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

  /// The name of the notification that it becomes: one with the same name is replaced.
  var notificationID: String { collapseID.isEmpty ? id.text.lowercased() : collapseID }
}

/// The stored records at the start, by collection.
struct RestoredRecords: Sendable {
  private let collections: [RecordCollection: [(key: String, value: [UInt8])]]

  /// Records by collection; a collection that is absent is empty.
  init(_ collections: [RecordCollection: [(key: String, value: [UInt8])]]) {
    self.collections = collections
  }

  /// Keys and values of a collection, in order of the keys.
  subscript(collection: RecordCollection) -> [(key: String, value: [UInt8])] {
    assert(collection != .pending, "requests are read one by one when they are due")
    return collections[collection] ?? []
  }
}
