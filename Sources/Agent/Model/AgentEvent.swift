import BelfryWire

/// Everything that can happen to the agent: what `AgentModel.handle` decides about.
enum AgentEvent {
  // MARK: Start

  /// What the disk has, read once before anything else happens.
  case recordsRestored(RestoredRecords)
  /// The device has another identity at its gateway: every token is another one (S1-16).
  case identityReplaced
  /// The presenters are open, apps may connect: what was missed is shown.
  case started
  /// Every record that was to be persisted before this event is durable.
  case recordsPersisted

  // MARK: Apps and commands

  /// A process said who it is, on a connection that is new.
  case appGreeted(Ask, AppHello, ProcessIdentity)
  /// An app asks, or a command (`AppRequest.control`).
  case appRequested(Ask, AppRequest)
  /// An app answered a question.
  case appReplied(Question, AppReply)
  /// An app did not answer a question in time.
  case questionTimedOut(Question)
  /// A connection is gone.
  case appDisconnected(ConnectionID)
  /// What a command wanted to be installed was read.
  case installationRead(Ask, Result<LocalApp, AppLinkFailure>)

  // MARK: The person

  /// A person answered the prompt of that identity.
  case promptAnswered(PromptID, isAllowed: Bool)
  /// A person put a prompt away without an answer.
  case promptPostponed(PromptID)
  /// A person did something to a notification.
  case notificationActedOn(AppNotificationID, PersonAction)
  /// A person keeps an app's notifications that come quietly so far, or turns them off.
  case provisionalDecided(AppID, isKept: Bool)
  /// A notification is on screen.
  case notificationShown(AppNotificationID)
  /// A presenter can show something now.
  ///
  /// One that is new is given what nobody has seen yet; one whose server is another still has that.
  case presenterAppeared(AgentConfiguration.PresenterKind, isNew: Bool)

  // MARK: The gateway

  case pushReceived(ReceivedPush)
  /// The gateway gave a token: the first one, the same one again, or another (S0-38).
  case registrationSucceeded(AppID, TokenKind, token: [UInt8])
  case registrationRefused(AppID, TokenKind, message: String)
  case linkChanged(isUp: Bool)

  // MARK: The device

  case conditionChanged(DeviceChange)
  /// Another window is in front; nil is none.
  case focusedWindowChanged(FocusedWindow?)

  // MARK: Time

  /// A moment has come that `AgentEffect.armSchedule` asked for.
  case scheduleDue
  /// The machine's clock was set.
  case clockWasSet
  /// A manual clock stands where `AgentEffect.moveClock` wanted it.
  case clockMoved
  /// The device is in another zone, or the database of zones was updated.
  case zonesChanged(ZoneFolder)
  /// The moment has come that `AgentEffect.armBackgroundWork` asked for.
  case backgroundWorkDue

  // MARK: The place

  /// A location service says where the device is.
  case located(Place)
  /// No location service says any more where the device is.
  case locationServiceEnded
  case beaconHeard(Beacon)
  /// The moment has come that `AgentEffect.armRegions` asked for.
  case regionsDue

  // MARK: Programs

  /// An app was to have greeted by now with this token.
  case appExpected(AppID, token: String)
  /// An app could not be started; the token is its order's.
  case appLaunchFailed(AppID, token: String)
  /// A service extension could not be started, or its program has ended.
  case extensionFailed(token: String)
  /// A service extension is to hand over what it has.
  case extensionTimeEnds(token: String)
  /// A service extension's time is over.
  case extensionTimedOut(token: String)
}

/// What a person did to a notification.
struct PersonAction: Hashable, Sendable {
  /// The identifier of an action of the notification, or one of the two that each has.
  var id: String
  /// What was typed, for an action with a text field.
  var text: String?
  /// Lets the app come to the front, once, for this action.
  var activationToken: String?

  /// An action; without a token the app cannot be brought to the front on a desktop that asks for one.
  init(_ id: String, text: String? = nil, activationToken: String? = nil) {
    self.id = id
    self.text = text
    self.activationToken = activationToken
  }

  /// A plain click.
  static let open = PersonAction(NotificationResponse.defaultAction)
  /// Putting it away.
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
  /// The machine is online; `isOtherNetwork` when its way to the world is another than before.
  case online(isOtherNetwork: Bool)
  /// No service tells anything any more.
  case servicesLost
}

/// A push that the gateway handed over.
struct ReceivedPush: Hashable, Sendable {
  /// The provider's `apns-id`.
  var id: NotificationID
  /// What repetitions are told by.
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

/// What the disk had at the start, by collection.
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
