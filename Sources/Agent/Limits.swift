/// Every limit of this module, with its unit and its reason.
package enum Limits {

  // MARK: Notifications

  /// The maximum number of buttons of an alert: Apple's own limit (client-api 3.28).
  static let actionsShown = 10
  /// The maximum number of buttons of a modal alert (S1-27).
  static let alertActionsShown = 4
  /// The maximum number of buttons of a banner, which has little room (S1-27).
  static let minimalActionsShown = 2
  /// The maximum number of delivered notifications retained per app: more than a user reads.
  package static let deliveredPerApp = 200
  /// The maximum total size in bytes of the delivered notifications retained per app: enough for 20 kB of text and data
  /// in each.
  ///
  /// A list of this size fits into one answer.
  static let deliveredBytesPerApp = 4 << 20
  /// The maximum total size in bytes of the strings from an app's language files in a list of its delivered pushes:
  /// enough for 2 kB of text in each.
  ///
  /// JSON can encode a byte as six, so these strings fit into one answer, together with `deliveredBytesPerApp`.
  static let listedTextBytes = 400_000
  /// The maximum size in bytes of a small pending request.
  ///
  /// Small requests are exempt from the limit on the total size: 64 of them, the maximum number on iOS, take only 2
  /// MiB.
  static let smallRequestBytes = 32 << 10
  /// The maximum total size in bytes of an app's pending requests when a request that is not small is added.
  ///
  /// Requests of this total size fit into one answer, together with the maximum number of small requests.
  static let pendingBytesPerApp = 4 << 20
  /// The maximum number of permission requests of one app that wait for the user's decision: far more than the app's
  /// processes send.
  static let waitingRequestsPerApp = 1_000
  /// The maximum number of notifications from commands that wait for the user's permission decision about one app: as
  /// many as the app's list holds.
  static let waitingNotificationsPerApp = 200
  /// The number of pushes whose IDs are retained to detect repetitions: far more than a link can have in transit.
  static let rememberedPushes = 4_096
  /// The maximum number of user responses retained for an app that cannot be reached: more than a user sends in a day.
  package static let waitingResponsesPerApp = 32
  /// The maximum number of dates that a command can request for a notification: more than anyone reads.
  static let datesAsked: Int64 = 10_000

  /// The time, in nanoseconds, between checks of a terminal that belongs to another program: short enough that a user
  /// who brings the agent to the foreground notices no delay.
  static let terminalRetryNanoseconds: Int64 = 500_000_000

  /// The maximum time, in nanoseconds, that an app's launch image is shown.
  ///
  /// An app that takes longer to start has other problems.
  static let launchImageNanoseconds: Int64 = 10_000_000_000

  // MARK: Apps

  /// The time, in milliseconds, within which the foreground app must return its presentation options (client-api 3.23).
  static let willPresentMilliseconds: Int64 = 10_000
  /// The time, in milliseconds, within which an app must handle a response: the same as for background work.
  static let responseMilliseconds: Int64 = 30_000
  /// The time, in milliseconds, within which an app must complete a background fetch (client-api 3.45).
  static let fetchMilliseconds: Int64 = 30_000
  /// The time, in milliseconds, within which a service extension must change a notification (client-api 3.48).
  static let extensionMilliseconds: Int64 = 30_000
  /// The time, in milliseconds, after which a service extension is notified that its time is about to expire: three
  /// seconds before the timeout.
  static let extensionWarningMilliseconds: Int64 = 27_000
  /// The time, in milliseconds, within which a content extension must decide what happens to its notification after an
  /// action.
  ///
  /// The limit is short, because the user is waiting at the window.
  static let contentActionMilliseconds: Int64 = 10_000
  /// The maximum total size, in bytes, of the attachments stored per app: enough for ten of the largest attachments
  /// that Apple allows.
  static let attachmentBytesPerApp: Int64 = 512 << 20
  /// The maximum number of attachment files stored per app: several for each notification in a full list.
  static let attachmentFilesPerApp = 1_000
  /// The time, in seconds, for which the agent keeps a stored file that belongs to no notification: a file is moved
  /// into the storage before its notification is added.
  static let attachmentGraceSeconds: Int64 = 600
  /// The maximum length, in Unicode scalars, of an app's name: more than a question or a notification shows on one
  /// line.
  static let displayNameScalars = 64
  /// The maximum length, in Unicode scalars, of an app's reason for using the location: a long sentence or two.
  static let reasonScalars = 400
  /// The time, in milliseconds, that an app may run in the background for work that it receives or has begun: Apple's
  /// own limit for a push (client-api 3.45).
  static let backgroundMilliseconds: Int64 = 30_000
  /// The time, in milliseconds, between the call to the expiration handlers and the end of background time, during
  /// which the handlers can save state.
  static let backgroundWarningMilliseconds: Int64 = 2_000
  /// The time, in milliseconds, after which an app without pending work is suspended: long enough to write results that
  /// have just become available.
  static let suspensionDelayMilliseconds: Int64 = 1_000
  /// The maximum number of pending background task requests per app: ten processing requests, Apple's own limit, and
  /// one refresh request.
  static let taskRequestsPerApp = 11
  /// The time, in nanoseconds, within which a program must exit after the agent asks it to.
  ///
  /// The program was warned earlier, so it has already saved its state.
  static let endNanoseconds: UInt64 = 5_000_000_000
  /// The maximum number of concurrent background tasks per app: far more than an app needs.
  static let backgroundTasksPerApp = 1_000
  /// The maximum time, in nanoseconds, by which due background work can be delayed to share a wake-up with other
  /// timers.
  static let backgroundSlackNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of development apps.
  ///
  /// Any program can register a development app, and each one adds a record.
  static let apps = 10_000
  /// The maximum total size, in bytes, of the records of all development apps: enough for more than ten apps with full
  /// lists.
  ///
  /// Limits per app are not sufficient, because a single program can register many development apps.
  static let developmentBytes = 128 << 20
  /// The number of bytes counted for each record in addition to its key and value: about the memory that the smallest
  /// record takes.
  static let recordOverheadBytes = 1 << 10
  /// The maximum number of cancelled registrations that a gateway has not confirmed: one for every app, and the same
  /// number for removed apps.
  static let cancellations = 20_000
  /// The maximum number of connections of apps and commands, if the descriptor limit allows that many: each connection
  /// uses a descriptor and buffers.
  static let connections = 4_096
  /// The minimum number of connections that an agent allows, however low the descriptor limit is.
  static let connectionsMin = 64
  /// The maximum number of connections per process.
  ///
  /// An app has only a few, and a program that leaks connections must not lock out other programs.
  static let connectionsPerProcess = 128
  /// The number of bytes of unread answers above which an app's next requests wait: the high-water mark of
  /// `ByteStream`, which reports when the answers are read.
  static let unreadOutputBytes = 262_144
  /// The number of bytes received from and sent to one app in a turn, after which the app's other requests wait for the
  /// next turn.
  ///
  /// Otherwise, an app could block other apps by sending long requests, or requesting long lists, on many connections.
  static let bytesPerTurn = 1 << 20
  /// The maximum number of frames of one connection that are handled in one turn.
  static let framesPerTurn = 8
  /// The maximum amount of the agent's memory, in bytes, that all connections of one app together can hold: enough for
  /// several of the longest answers.
  static let heldBytesPerApp = 32 << 20
  /// The maximum amount of the agent's memory, in bytes, that all connections together can hold.
  static let heldBytes = 128 << 20
  /// The maximum number of connections that have not sent their greeting: more than the number of programs that start
  /// simultaneously.
  ///
  /// Each program sends its greeting as soon as it connects.
  static let ungreetedConnections = 256
  /// The maximum number of bytes that a connection can send before its greeting is complete; a greeting takes a few
  /// hundred bytes.
  static let ungreetedBytes = 64 << 10
  /// The maximum number of connections from one app and its extensions: far more than the number of processes that an
  /// app runs, but few enough that no single app can use up all connections.
  static let connectionsPerApp = 256
  /// The maximum size, in bytes, of a frame to an app.
  ///
  /// A longer frame could overflow the stream's buffer of 8 MB for output that the peer has not read, and an overflow
  /// closes the stream.
  static let sentFrameBytes = 7_000_000
  /// The maximum size, in bytes, of an app's language file or manifest, and of all the language files that one lookup
  /// reads: enough for tens of thousands of strings.
  package static let languageFileBytes = 4 << 20
  /// The maximum total size, in bytes, of the language files whose strings are in memory: enough for dozens of apps.
  static let cachedLanguageBytes = 16 << 20
  /// The maximum number of values in a binary property list, counted once per reference.
  ///
  /// The largest strings files of apps have about ten thousand values.
  static let propertyListValues = 100_000
  /// The maximum nesting depth of a binary property list; manifests have five levels.
  static let propertyListDepth = 64

  // MARK: UnifiedPush

  /// The maximum size, in bytes, of the token with which an app registers (webpush 2.4).
  static let pushTokenBytes = 100
  /// The maximum size, in bytes, of an app's description of its registration (webpush 2.4).
  static let pushDescriptionBytes = 100
  /// The maximum size, in bytes, of an endpoint (webpush 2.4).
  static let pushEndpointBytes = 1_000
  /// The maximum number of subscriptions, including those whose end the gateway has not confirmed: far more than the
  /// apps of a desktop have accounts.
  static let pushSubscriptions = 1_000
  /// The maximum number of subscriptions per app: one for each of a user's accounts, with plenty of room.
  ///
  /// All programs without a name on the bus count as one app, because a program can connect any number of times.
  static let pushSubscriptionsPerApp = 100
  /// The number of subscriptions beyond the limits for registered apps that change their VAPID keys.
  ///
  /// The subscription with the former key exists until the gateway has confirmed its end. A gateway allows 1,024
  /// registrations per device.
  static let pushKeyChanges = 20
  /// The time, in milliseconds, for which the answer to a registration is held while the gateway cannot be reached:
  /// shorter than the 25 s after which the callers' libraries give up.
  static let pushHoldMilliseconds: Int64 = 20_000
  /// The time, in seconds, within which an app must answer a call: the same as for a response.
  static let pushAnswerSeconds: UInt64 = 30
  /// The maximum number of calls to the distributor that are not answered: more than the apps of a desktop make while
  /// the gateway cannot be reached.
  static let pushCallsUnanswered = 1_000
  /// The maximum number of messages that wait for one app.
  static let webPushMessagesPerApp = 256
  /// The maximum total size, in bytes, of the messages that wait for one app: at least a hundred of the longest.
  static let webPushBytesPerApp = 512 << 10

  // MARK: Machine

  /// The maximum number of changes retained in memory while the disk rejects writes.
  ///
  /// Beyond this number, the oldest changes are lost.
  static let unpersistedChanges = 10_000
  /// The time, in nanoseconds, between attempts to connect to a bus whose socket has just appeared or whose connection
  /// was just lost.
  static let busRetryNanoseconds: Int64 = 100_000_000
  /// The maximum number of attempts to connect to a bus after its socket appeared or its connection was lost: the
  /// attempts take five seconds in total, much longer than a bus needs to start listening.
  static let busTries = 50
  /// The time, in nanoseconds, before a notification is sent again to a server that rejected it as excessive; Plasma
  /// counts the notifications of the last second.
  static let excessiveNotificationNanoseconds: Int64 = 1_200_000_000
  /// The time, in nanoseconds, in which a desktop can start its own notification server after a login or a crash, before
  /// the agent has the bus start one: the bus might start the server of another desktop.
  static let serverGraceNanoseconds: Int64 = 10_000_000_000
  /// The time, in nanoseconds, in which the agent does not have the bus start a notification server again after a
  /// failure, so that a server that cannot run is not started for each notification.
  static let serverRetryNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of cached time-zone names, including names that do not exist.
  ///
  /// The number is limited because apps choose the names.
  static let zonesRemembered = 1_024
  /// The time, in nanoseconds, that must pass without a change before an update of the time-zone database counts as
  /// complete.
  static let databaseRestNanoseconds: Int64 = 2_000_000_000
  /// The distance, in meters, that the device must move before its location service reports the movement: a tenth of
  /// the smallest useful region's radius.
  static let placeThresholdMetres: UInt32 = 10
  /// The time, in nanoseconds, before the agent retries after a location service denied access; users rarely change
  /// that setting.
  static let locationRetryNanoseconds: Int64 = 300_000_000_000
  /// The maximum length, in bytes, of a line printed by a child program: enough for three window properties of 1 kB
  /// each, with every byte escaped.
  static let childLineBytes = 32 << 10
  /// The maximum number of bytes queued for a child program: enough to hold the Notification Center's content several
  /// times.
  static let childInputBytes = 8 << 20
  /// The maximum number of notifications, newest first, that the Notification Center's window and page show: more than
  /// a user reads.
  static let centerItems = 200
  /// The maximum length, in characters, of one string shown in a window: about a dozen lines.
  static let windowTextCharacters = 1_000
  /// The time, in nanoseconds, between updates of the Notification Center's window: ten updates per second, however
  /// many notifications arrive.
  static let centerRefreshNanoseconds: Int64 = 100_000_000
  /// The maximum number of remembered notifications in a server's history; dunst keeps 20.
  static let historyRemembered = 100
  /// The time, in nanoseconds, before the first poll for a gateway that has not started, if its file cannot be watched.
  ///
  /// Each subsequent pause is twice as long, up to the maximum.
  static let awaitedGatewayNanoseconds: Int64 = 1_000_000_000
  static let awaitedGatewayNanosecondsMax: Int64 = 60_000_000_000

  /// The maximum number of commands that wait for the user's response to a notification; each of these commands also
  /// keeps a connection open.
  static let awaitedResponses = 1_000

  /// The maximum time, in nanoseconds, by which a reconnection to the gateway can be delayed to share a wake-up with
  /// other timers.
  static let gatewayRetrySlackNanoseconds: Int64 = 15_000_000_000
  /// The maximum number of beacons in range that are retained.
  ///
  /// The limit is needed because any nearby device can claim to be a beacon.
  static let beaconsRemembered = 1_024
  /// The number of days searched for a date in a non-Gregorian calendar: a century.
  static let calendarSearchDays = 36_600
  /// The maximum number of cached calendar months: enough for two centuries.
  static let calendarMonths = 2_600
  /// The maximum number of moves of a manual clock in one turn of the loop: a few milliseconds of work.
  static let clockMovesPerTurn = 64
  /// The size in bytes of the largest program that `belfry app install` checks for known differences.
  static let examinedProgramBytes = 256 << 20
}
