import BelfryWire

/// An effect that the model asks for.
///
/// `AgentDaemon` carries effects out in order, each once the records before it are durable.
enum AgentEffect: Hashable, Sendable {
  // MARK: Disk

  case persist(RecordChange)
  /// The clock's record is written in the same commit.
  case persistClock

  // MARK: Apps

  case answer(Ask, AppAnswer)
  case refuse(Ask, AppLinkFailure)
  case tell(ConnectionID, AppEvent)
  /// Answered by `appReplied`, or by `questionTimedOut`.
  case ask(Question, AppEvent, timeoutMilliseconds: Int64)
  /// The answer is no longer needed.
  case cancelTimeout(Question)
  case close(ConnectionID)
  /// Read what is to be installed; answered by `installationRead`.
  case readInstallation(Ask, path: String, languages: [String])
  /// Answer with the diagnosis of the machine and of the model.
  case diagnose(Ask, ModelDiagnosis)

  // MARK: Presenters

  case present(Presentation)
  /// Update the texts of a presented notification, if it is still on screen.
  case refresh(Presentation)
  /// It comes without a banner: it stands in lists alone.
  case list(Presentation)
  /// Its content extension shows this in its window.
  case draw(AppNotificationID, Drawing)
  /// Its content extension wants its window closed; the notification stays.
  case closeWindow(AppNotificationID)
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
  /// Ask an app that runs, over D-Bus, to bring its window to the front.
  case raise(AppID, activationToken: String?)
  /// `appExpected` is due after that time.
  case expectApp(AppID, token: String, timeoutMilliseconds: Int64)
  /// End an app that was started for a push and exceeded its time.
  case end(AppID)
  /// Show the image that a notification names for the launch of its app, until the app has connected; nil takes it away.
  case showLaunchImage(LocalApp, name: String?)  // text: compared by tests only
  /// Stop an app's processes, without ending them.
  case suspend(AppID)
  /// Let an app's processes run on.
  case resume(AppID)
  /// Start a service or content extension; `extensionTimeEnds` and `extensionTimedOut` are due after the order's
  /// times, `extensionFailed` when it cannot be started.
  case startExtension(ExtensionOrder)

  /// Delete the stored files of attachments of an app, which no notification has any more; nil is all.
  case deleteAttachments(AppID, paths: [String]?)
  /// Bring an app's stored files back to their bound; `used` are those that notifications have, the
  /// oldest first.
  case trimAttachments(AppID, used: [String])

  // MARK: The gateway

  case register(AppID, TokenKind)
  case unregister(AppID, TokenKind)
  /// Report the device's state to the gateway.
  case announceState(DeviceState)
  /// Probe the link; keep-alive intervals learnt on another network are discarded.
  case probeGateway(isOtherNetwork: Bool)
  /// Acknowledge the push, which is durable.
  case acknowledge(NotificationID)
  /// Reject the push, which could not be made durable: the gateway will send it again.
  case rejectPush(NotificationID)

  // MARK: Time and place

  /// `scheduleDue` is due at the earlier of two moments, in place of earlier ones.
  case armSchedule(ScheduleWakeUp)
  /// `backgroundWorkDue` is due then, in place of an earlier moment; nil is none.
  case armBackgroundWork(atUnixMilliseconds: Int64?)
  /// `backgroundTimeDue` is due then, in place of an earlier moment; nil is none.
  case armBackgroundTime(atElapsedMilliseconds: Int64?)
  /// `regionsDue` is due then, in milliseconds awake, in place of an earlier moment; nil is none.
  case armRegions(atAwakeMilliseconds: Int64?)
  /// Start and stop location services as needed.
  case useLocationServices(LocationNeeds)
  /// Move a manual clock to that moment; `clockMoved` reports it.
  case moveClock(toUnixMilliseconds: Int64)
  /// Move a manual clock to that zone; `zonesChanged` reports it.
  case moveZone(String)

  // MARK: The log

  case log(LogEntry)
}

extension AgentEffect {
  /// The effect to carry out after a commit: where the records of its turn were refused a confirmation becomes a refusal;
  /// where earlier ones wait, a push may be among them.
  func after(_ outcome: RecordJournal.Outcome) -> AgentEffect {
    switch outcome {
    case .durable: self
    case .unchanged: if case .acknowledge(let id) = self { .rejectPush(id) } else { self }
    case .refused: whenNotPersisted
    }
  }

  private var whenNotPersisted: AgentEffect {
    switch self {
    case .answer(let ask, _): .refuse(ask, .diskRefuses)
    case .acknowledge(let id): .rejectPush(id)
    case .persist, .persistClock, .refuse, .tell, .ask, .cancelTimeout, .close, .readInstallation,
      .diagnose, .present, .refresh, .list, .draw, .closeWindow, .withdraw, .badge, .sound,
      .suppressed, .prompt,
      .withdrawPrompt, .showLink, .openCenter, .replay, .launch, .showLaunchImage, .raise,
      .expectApp, .end, .suspend,
      .resume, .startExtension, .deleteAttachments, .trimAttachments, .register, .unregister,
      .announceState, .probeGateway, .rejectPush, .armSchedule, .armBackgroundWork,
      .armBackgroundTime, .armRegions, .useLocationServices, .moveClock, .moveZone, .log:
      self
    }
  }
}

extension AppLinkFailure {
  /// What was asked for cannot be kept.
  static let diskRefuses = AppLinkFailure(.storageFailed, "the disk does not take it: make room")
}

/// An event for the agent's log.
enum LogEntry: Hashable, Sendable {
  /// A record on disk that cannot be read, by its collection and key.
  case damagedRecord(RecordCollection, key: String)
  /// A command's notification that a person has allowed, and that cannot be shown or scheduled.
  case waitingNotificationRefused(AppNotificationID, why: String)
  /// A scheduled notification that was missed.
  case notificationExpired(AppNotificationID)
  /// A service extension that gave nothing: its push is shown as it came.
  case extensionGaveNothing(AppID, executable: String, ServiceExtensions.Silence)
  /// A content extension that ended before it showed anything.
  case contentExtensionEnded(AppID, executable: String)
  /// An app that wants the location and does not say why.
  case locationUsageMissing(AppID)
  /// A response to a region's notification that is kept from an app without access to the location.
  case placeWithheld(AppNotificationID)
  /// A background push for an app whose manifest does not ask for them.
  case backgroundModeMissing(AppID)
}

/// The location services that have to run: those needed by an app with location permission.
struct LocationNeeds: Hashable, Sendable {
  /// The device's location.
  var places = false
  /// The beacons in range.
  var beacons = false
}

/// A connection of the app server, for as long as it lasts.
struct ConnectionID: Hashable, Sendable {
  let number: UInt64
}

/// A request that waits for its answer.
struct Ask: Hashable, Sendable {
  let connection: ConnectionID
  /// The number in the request; nil when no answer is wanted.
  let number: Int64?

  /// The same request without an answer.
  var unanswered: Ask { Ask(connection: connection, number: nil) }
}

/// A question of the agent to an app.
struct Question: Hashable, Sendable {
  let connection: ConnectionID
  let number: Int64
}

/// A change of a stored record.
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
  case apps, delivered, pending, waiting, schedule, regions, seen, responses, fetches, tasks
  case device, cancellations
}

/// The identity of a question to the person, within one run of the agent.
struct PromptID: Hashable, Sendable {
  let number: UInt64
}

/// A question that only a person can answer.
struct Prompt: Hashable, Sendable {
  enum Subject: Hashable, Sendable {
    case notifications
    /// With the app's own words (S1-65).
    case location(usage: String)
  }

  /// The identity that an answer has to name.
  let id: PromptID
  let app: AppID
  let appName: String
  let icon: String?
  let subject: Subject
  /// Whether a yes allows location in the background too.
  var wantsAlways = false

  /// The setting by which a person says yes where no presenter can ask.
  var allowingSetting: (name: String, word: String) {
    switch subject {
    case .notifications: ("notifications", "on")
    case .location: ("location", wantsAlways ? "always" : "whenInUse")
    }
  }
}

/// An app to be started.
struct LaunchOrder: Hashable, Sendable {
  let app: LocalApp
  let reason: AppLaunch.Reason
  /// Whether to bring it to the front.
  let isForeground: Bool
  /// The token that its `hello` will contain.
  let token: String
  /// The activation token of the person's action, with which the app may come to the front.
  var activationToken: String?
}
