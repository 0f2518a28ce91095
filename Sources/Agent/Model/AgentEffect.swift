import BelfryWire

/// What the model wants done.
///
/// A shell carries effects out in order, each after the records before it are durable.
enum AgentEffect: Hashable, Sendable {
  // MARK: Disk

  case persist(RecordChange)
  /// The clock's own record belongs into the same commit.
  case persistClock

  // MARK: Apps

  case answer(Ask, AppAnswer)
  case refuse(Ask, AppLinkFailure)
  case tell(ConnectionID, AppEvent)
  /// Answered by `appReplied`, or in the end by `questionTimedOut`.
  case ask(Question, AppEvent, timeoutMilliseconds: Int64)
  /// Nobody waits for this answer any more.
  case cancelTimeout(Question)
  case close(ConnectionID)
  /// Read what is to be installed; answered by `installationRead`.
  case readInstallation(Ask, path: String, languages: [String])
  /// Answer with what the machine has and lacks, and what the model knows.
  case diagnose(Ask, ModelDiagnosis)

  // MARK: Presenters

  case present(Presentation)
  /// It stands there with other texts now; nothing when it does not stand there any more.
  case refresh(Presentation)
  /// It comes without a banner: it stands in lists alone.
  case list(Presentation)
  case withdraw(AppNotificationID)
  case badge(AppID, Int64)
  case sound(AppNotificationID, NotificationSound, of: LocalApp)
  case suppressed(AppNotificationID, Routing.Suppression)
  case prompt(Prompt)
  case withdrawPrompt(Prompt)
  case showLink(isUp: Bool)
  /// Open the Notification Center's window on the display of these variables, and answer.
  case openCenter(Ask, [String: String])
  /// Only for a presenter that has just appeared.
  case replay(AgentConfiguration.PresenterKind, [PresenterEvent])

  // MARK: Programs

  /// Start an app; `appLaunchFailed` reports that it cannot be.
  case launch(LaunchOrder)
  /// `appExpected` is due after that time.
  case expectApp(AppID, token: String, timeoutMilliseconds: Int64)
  /// End what was started for a push and has used up its time.
  case end(AppID)
  /// Start a service extension; `extensionTimeEnds` and `extensionTimedOut` are due after the order's
  /// times, `extensionFailed` when it cannot be started.
  case startExtension(ExtensionOrder)

  // MARK: The gateway

  case register(AppID, TokenKind)
  case unregister(AppID, TokenKind)
  /// The gateway is to know how the device stands.
  case announceState(DeviceState)
  /// Ask the gateway for a sign of life; another network's keep-alive intervals hold no more.
  case probeGateway(isOtherNetwork: Bool)
  /// The push is kept: the gateway may forget it.
  case acknowledge(NotificationID)
  /// The push could not be kept: the gateway is to send it again later.
  case rejectPush(NotificationID)

  // MARK: Time and place

  /// `scheduleDue` is due at the earlier of two moments, in place of earlier ones.
  case armSchedule(ScheduleWakeUp)
  /// `backgroundWorkDue` is due then, in place of an earlier moment; nil is none.
  case armBackgroundWork(atUnixMilliseconds: Int64?)
  /// `regionsDue` is due then, in milliseconds awake, in place of an earlier moment; nil is none.
  case armRegions(atAwakeMilliseconds: Int64?)
  /// Which location services have to run.
  case useLocationServices(LocationNeeds)
  /// Manual clock: on or back to that moment, reported by `clockMoved`.
  case moveClock(toUnixMilliseconds: Int64)
  /// Manual clock: into that zone, reported by `zonesChanged`.
  case moveZone(String)

  // MARK: The log

  case log(LogEntry)
}

extension AgentEffect {
  /// What is done instead when the records before it could not be made durable: a promise becomes a
  /// refusal, everything else stands.
  var whenNotPersisted: AgentEffect {
    switch self {
    case .answer(let ask, _):
      .refuse(ask, AppLinkFailure(.storageFailed, "the disk does not take it: make room"))
    case .acknowledge(let id): .rejectPush(id)
    case .persist, .persistClock, .refuse, .tell, .ask, .cancelTimeout, .close, .readInstallation,
      .diagnose, .present, .refresh, .list, .withdraw, .badge, .sound, .suppressed, .prompt,
      .withdrawPrompt, .showLink, .openCenter, .replay, .launch, .expectApp, .end, .startExtension,
      .register,
      .unregister, .announceState, .probeGateway, .rejectPush, .armSchedule, .armBackgroundWork,
      .armRegions, .useLocationServices, .moveClock, .moveZone, .log:
      self
    }
  }
}

/// What is worth a line in the agent's log.
enum LogEntry: Hashable, Sendable {
  /// A record on disk that cannot be read, by its collection and key.
  case damagedRecord(RecordCollection, key: String)
  /// A scheduled notification whose time is over.
  case notificationExpired(AppNotificationID)
}

/// Which location services have to run: only while an app that may know the place needs them.
struct LocationNeeds: Hashable, Sendable {
  /// Where the device is.
  var places = false
  /// Which beacons are in reach.
  var beacons = false
}

/// A connection of the app server, for as long as it lasts.
struct ConnectionID: Hashable, Sendable {
  let number: UInt64
}

/// A request of an app that waits for its answer.
struct Ask: Hashable, Sendable {
  let connection: ConnectionID
  /// The number that the app gave; nil when it wants no answer.
  let number: Int64?

  /// The same request, where nobody waits for its answer any more.
  var unanswered: Ask { Ask(connection: connection, number: nil) }
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

extension RecordChange {
  /// Where the record stands.
  var collection: RecordCollection {
    switch self {
    case .put(let collection, _, _), .remove(let collection, _): collection
    }
  }
}

/// The store's collections, by the names that they have on disk.
enum RecordCollection: String, Hashable, Sendable, CaseIterable {
  case apps, delivered, pending, schedule, regions, seen, responses, fetches, device
}

/// The identity of a question to the person, within one run of the agent.
struct PromptID: Hashable, Sendable {
  let number: UInt64
}

/// A decision that only a person can take.
struct Prompt: Hashable, Sendable {
  enum Subject: Hashable, Sendable {
    case notifications
    /// With the app's own words (S1-65).
    case location(usage: String)
  }

  /// What an answer names.
  let id: PromptID
  let app: AppID
  let appName: String
  let icon: String?
  let subject: Subject
  /// Whether a yes lets the app know the place while it is not used, too.
  var wantsAlways = false
}

/// An app to be started.
struct LaunchOrder: Hashable, Sendable {
  let app: LocalApp
  let reason: AppLaunch.Reason
  /// Whether it is to come to the front.
  let isForeground: Bool
  /// What `hello` will name.
  let token: String
  /// Lets the app come to the front, where the person's action brought such a token.
  var activationToken: String?
}
