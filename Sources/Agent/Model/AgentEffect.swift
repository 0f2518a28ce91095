package import BelfryWire
package import AppWire
package import PushWire
package import Scheduling

/// An effect that the model requests.
///
/// `AgentDaemon` carries out effects in order, and each effect only after the records before it are durable.
package enum AgentEffect: Hashable, Sendable {
  // MARK: Disk

  case persist(RecordChange)
  /// Writes the clock's record in the same commit as the other records.
  case persistClock

  // MARK: Apps

  case answer(RequestID, AppAnswer)
  case refuse(RequestID, AppLinkFailure)
  case tell(ConnectionID, AppEvent)
  /// Asks an app a question, which is answered by `appReplied` or `questionTimedOut`.
  case ask(Question, AppEvent, timeoutMilliseconds: Int64)
  /// Cancels a question's timeout, because the answer is no longer needed.
  case cancelTimeout(Question)
  case close(ConnectionID)
  /// Reads the app to install; answered by `installationRead`.
  case readInstallation(RequestID, path: String, languages: [String])
  /// Answers with the diagnosis of the machine and of the model.
  case diagnose(RequestID, ModelDiagnosis)

  // MARK: Presenters

  case present(Presentation)
  /// Updates the text of a presented notification if the notification is still on screen.
  case refresh(Presentation)
  /// Adds a notification to lists only, without a banner.
  case list(Presentation)
  /// Shows a content extension's drawing in the window of its notification.
  case draw(AppNotificationID, Drawing)
  /// Closes the window of a notification as its content extension requested; the notification remains.
  case closeWindow(AppNotificationID)
  case withdraw(AppNotificationID)
  case badge(AppID, Int64)
  case sound(AppNotificationID, NotificationSound, of: LocalApp)
  case suppressed(AppNotificationID, Routing.Suppression)
  case prompt(Prompt)
  case withdrawPrompt(Prompt)
  case showLink(isUp: Bool)
  /// Opens the Notification Center's window on the display that these variables specify, and answers the request.
  case openCenter(RequestID, [String: String])
  /// Presents events only on a presenter that has just appeared.
  case replay(PresenterKind, [PresenterEvent])

  // MARK: Programs

  /// Starts an app, or joins its pending launch; `appLaunchFailed` reports a failure.
  case launch(LaunchOrder)
  /// Asks a running app over D-Bus to bring its window to the foreground.
  case raise(AppID, activationToken: String?)
  /// Sends `appExpected` after the timeout.
  case expectApp(AppID, token: String, timeoutMilliseconds: Int64)
  /// Terminates an app that was started for a push and exceeded its time limit.
  case end(AppID)
  /// Kills the suspended processes of an app, without resuming them first.
  case kill(AppID)
  /// Shows the launch image that a notification specifies, until the notification's app has connected; nil removes the
  /// image.
  case showLaunchImage(LocalApp, name: String?)  // text: compared by tests only
  /// Suspends an app's processes without terminating them.
  case suspend(AppID)
  /// Resumes an app's processes.
  case resume(AppID)
  /// Starts a service or content extension.
  ///
  /// `extensionTimeEnds` and `extensionTimedOut` follow after the times in `Limits`. `extensionFailed` follows if the
  /// extension cannot be started.
  case startExtension(ExtensionOrder)

  /// Deletes an app's stored attachment files that no notification uses anymore; nil deletes all.
  case deleteAttachments(AppID, paths: [String]?)
  /// Deletes stored files of an app until the app is within its limits.
  ///
  /// `used` contains the files that belong to notifications, oldest notification first.
  case trimAttachments(AppID, used: [String])

  // MARK: The gateway

  case register(AppID, TokenKind)
  case unregister(AppID, TokenKind)
  /// Opens or closes the link.
  case moveLink(isOnline: Bool)
  /// Reports the device's state to the gateway.
  case announceState(DeviceState)
  /// Probes the link.
  ///
  /// If the device is on another network, the learned keep-alive intervals are discarded.
  case probeGateway(isOtherNetwork: Bool)
  /// Acknowledges the push, which is now durable.
  case acknowledge(NotificationID)
  /// Rejects the push, which could not be made durable; the gateway will send it again.
  case rejectPush(NotificationID)

  // MARK: The distributor

  /// An effect of the UnifiedPush distributor.
  case unifiedPush(UnifiedPushEffect)

  // MARK: Time and location

  /// Sends `scheduleDue` at the earlier of two times, replacing an earlier timer.
  case armSchedule(ScheduleWakeUp)
  /// Sends `backgroundWorkDue` at the given time, replacing an earlier timer; nil cancels the timer.
  case armBackgroundWork(atUnixMilliseconds: Int64?)
  /// Sends `backgroundTimeDue` at the given time, replacing an earlier timer; nil cancels the timer.
  case armBackgroundTime(atElapsedMilliseconds: Int64?)
  /// Sends `regionsDue` at the given ``AgentTime/awake`` time, replacing an earlier timer; nil cancels the timer.
  case armRegions(atAwakeMilliseconds: Int64?)
  /// Starts and stops location services as needed.
  case useLocationServices(LocationNeeds)
  /// Moves a manual clock to the given time; `clockMoved` reports the move.
  case moveClock(toUnixMilliseconds: Int64)
  /// Moves a manual clock to the given time zone; `zonesChanged` reports the change.
  case moveZone(String)

  // MARK: The log

  case log(LogEntry)
}

extension AgentEffect {
  /// Returns the effect to carry out after a commit.
  ///
  /// If the disk rejected the records of the effect's turn, a confirmation becomes a refusal. If earlier records are
  /// still unwritten, an acknowledgment becomes a rejection, because the push might be among those records.
  func after(_ outcome: CommitOutcome) -> AgentEffect {
    switch outcome {
    case .durable: self
    case .unchanged: if case .acknowledge(let id) = self { .rejectPush(id) } else { self }
    case .refused: whenNotPersisted
    }
  }

  private var whenNotPersisted: AgentEffect {
    switch self {
    case .answer(let requestID, _): .refuse(requestID, .diskRefuses)
    case .acknowledge(let id): .rejectPush(id)
    case .unifiedPush(.answer(let call, .registered)):
      .unifiedPush(.answer(call, .failed(.internalError)))
    case .unifiedPush, .persist, .persistClock, .refuse, .tell, .ask, .cancelTimeout, .close,
      .readInstallation,
      .diagnose, .present, .refresh, .list, .draw, .closeWindow, .withdraw, .badge, .sound,
      .suppressed, .prompt,
      .withdrawPrompt, .showLink, .openCenter, .replay, .launch, .showLaunchImage, .raise,
      .expectApp, .end, .kill, .suspend,
      .resume, .startExtension, .deleteAttachments, .trimAttachments, .register, .unregister,
      .moveLink, .announceState, .probeGateway, .rejectPush, .armSchedule, .armBackgroundWork,
      .armBackgroundTime, .armRegions, .useLocationServices, .moveClock, .moveZone, .log:
      self
    }
  }
}

extension AppLinkFailure {
  /// The error for a change that cannot be stored.
  static let diskRefuses = AppLinkFailure(
    .storageFailed, "cannot write to the disk: free some space")
}

/// An event for the agent's log.
package enum LogEntry: Hashable, Sendable {
  /// A record on disk that cannot be read, identified by its collection and key.
  case damagedRecord(RecordCollection, key: String)
  /// A command's notification that the user allowed but that cannot be shown or scheduled.
  case waitingNotificationRefused(AppNotificationID, why: String)
  /// A scheduled notification that was missed.
  case notificationExpired(AppNotificationID)
  /// A service extension that returned nothing; its push is shown unchanged.
  case extensionGaveNothing(AppID, executable: String, ServiceExtensions.Silence)
  /// A content extension that exited before it showed anything.
  case contentExtensionEnded(AppID, executable: String)
  /// An app that requests the location without a usage description.
  case locationUsageMissing(AppID)
  /// A response to a region's notification, withheld from an app that has no access to the location.
  case placeWithheld(AppNotificationID)
  /// Values of a push that are ignored, identified by their keys.
  case pushValuesIgnored(AppID, keys: [String], why: String)  // text: compared by tests only
  /// A push whose payload cannot be read; no part of the push is shown.
  case pushUnreadable(AppID, why: String)  // text: the parser writes it
  /// A background push for an app whose manifest does not request background pushes.
  case backgroundModeMissing(AppID)
  /// A suspended app that was killed, because its program is outdated.
  case suspendedAppKilled(AppID, OutdatedProgram)
}

/// The reason that a suspended process must not handle an app's next work.
package enum OutdatedProgram: Hashable, Sendable {
  /// The app was installed again.
  case installedAgain
  /// The program's file was replaced or deleted.
  case fileReplaced
}

/// The location services that must run: those needed by an app with location permission.
package struct LocationNeeds: Hashable, Sendable {
  /// True if the device's location is needed.
  var places = false
  /// True if the beacons in range are needed.
  var beacons = false
}

/// The identity of an app server's connection, valid while the connection is open.
package struct ConnectionID: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) {
    self.number = number
  }
}

/// A request that waits for its answer.
package struct RequestID: Hashable, Sendable {
  package let connection: ConnectionID
  /// The number in the request; nil if the sender does not request an answer.
  package let number: Int64?

  package init(connection: ConnectionID, number: Int64?) {
    self.connection = connection
    self.number = number
  }

  /// The same request without an answer.
  var unanswered: RequestID { RequestID(connection: connection, number: nil) }
}

/// A question from the agent to an app.
package struct Question: Hashable, Sendable {
  package let connection: ConnectionID
  package let number: Int64
}

/// A change to a stored record.
package enum RecordChange: Hashable, Sendable {
  case put(RecordCollection, key: String, [UInt8])
  case remove(RecordCollection, key: String)
}

extension RecordChange {
  /// The record's collection.
  var collection: RecordCollection {
    switch self {
    case .put(let collection, _, _), .remove(let collection, _): collection
    }
  }

  /// The record's key within its collection.
  var key: String {
    switch self {
    case .put(_, let key, _), .remove(_, let key): key
    }
  }
}

/// The store's collections, with their names on disk as raw values.
package enum RecordCollection: String, Hashable, Sendable, CaseIterable {
  case apps, delivered, pending, waiting, schedule, regions, seen, responses, fetches, tasks
  case device, cancellations
  /// The distributor's subscriptions and the messages that wait for apps.
  case subscriptions, messages
}

/// The identity of a question to the user, within one run of the agent.
package struct PromptID: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) {
    self.number = number
  }
}

/// A question that only the user can answer.
package struct Prompt: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    case notifications
    /// A request for the location, with the app's own usage description (S1-65).
    case location(usage: String)
  }

  /// The identity that an answer must contain.
  package let id: PromptID
  package let app: AppID
  let appName: String
  let icon: String?
  package let subject: Subject
  /// True if granting the request also permits access to the location in the background.
  package var wantsAlways = false

  /// The setting that the user can change to grant the request if no presenter can ask.
  var allowingSetting: (name: String, word: String) {
    switch subject {
    case .notifications: ("notifications", "on")
    case .location: ("location", wantsAlways ? "always" : "whenInUse")
    }
  }
}

/// An order to start an app.
package struct LaunchOrder: Hashable, Sendable {
  package let app: LocalApp
  package let reason: AppLaunch.Reason
  /// True to bring the app to the foreground.
  package let isForeground: Bool
  /// The token that the app's greeting will contain.
  package let token: String
  /// True if an earlier order with the same token has started the app, which has not sent its greeting yet.
  package let isJoined: Bool
  /// The activation token of the user's action, which allows the app to enter the foreground.
  package var activationToken: String?
}
