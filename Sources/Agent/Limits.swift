/// Every limit of this module, with its unit and its reason.
enum Limits {

  // MARK: Notifications

  /// The maximum number of buttons of an alert: Apple's own limit (client-api 3.28).
  static let actionsShown = 10
  /// The maximum number of buttons of a modal alert (S1-27).
  static let alertActionsShown = 4
  /// The maximum number of buttons of a banner, which has little room (S1-27).
  static let minimalActionsShown = 2
  /// Delivered notifications retained per app: more than a user reads.
  static let deliveredPerApp = 200
  /// The maximum total size in bytes of the delivered notifications retained per app: enough for 20 kB of text and data
  /// in each.
  ///
  /// A list of this size fits into one answer.
  static let deliveredBytesPerApp = 4 << 20
  /// The maximum size in bytes of a small pending request, which counts toward no total: 64 requests of this size, the
  /// limit of iOS, take 2 MiB.
  static let smallRequestBytes = 32 << 10
  /// The maximum total size in bytes of an app's pending requests when a request above the small size is added.
  ///
  /// Together with the maximum number of small requests, these requests fit into one answer.
  static let pendingBytesPerApp = 4 << 20
  /// Permission requests of one app that wait for the user's decision: far more than its processes send.
  static let waitingRequestsPerApp = 1_000
  /// Notifications from commands that wait for the user's permission decision about one app: the number that the app's
  /// list holds.
  static let waitingNotificationsPerApp = 200
  /// Pushes whose IDs are retained to detect repetitions: far more than a link has in flight.
  static let rememberedPushes = 4_096
  /// User responses retained for an app that cannot be reached: more than a user sends in a day.
  static let waitingResponsesPerApp = 32
  /// The maximum number of dates that a command can request for a notification: more than anyone reads.
  static let datesAsked: Int64 = 10_000

  /// Nanoseconds between checks of a terminal that belongs to another program: short enough that a user who brings the
  /// agent to the foreground notices no delay.
  static let terminalRetryNanoseconds: Int64 = 500_000_000

  /// The maximum time, in nanoseconds, that an app's launch image is shown.
  ///
  /// An app that takes longer to start has other problems.
  static let launchImageNanoseconds: Int64 = 10_000_000_000

  // MARK: Apps

  /// Milliseconds for the foreground app to return its presentation options (client-api 3.23).
  static let willPresentMilliseconds: Int64 = 10_000
  /// Milliseconds for an app to handle a response, the same as for background work.
  static let responseMilliseconds: Int64 = 30_000
  /// Milliseconds for an app to fetch in the background (client-api 3.45).
  static let fetchMilliseconds: Int64 = 30_000
  /// Milliseconds for a service extension to change a notification (client-api 3.48).
  static let extensionMilliseconds: Int64 = 30_000
  /// Milliseconds after which a service extension is notified that its time is about to expire: three seconds before
  /// the timeout.
  static let extensionWarningMilliseconds: Int64 = 27_000
  /// Milliseconds for a content extension to decide what happens to its notification after an action.
  ///
  /// The limit is short, because the user is waiting at the window.
  static let contentActionMilliseconds: Int64 = 10_000
  /// Bytes of attachments stored per app: ten of the largest attachments that Apple allows.
  static let attachmentBytesPerApp: Int64 = 512 << 20
  /// Attachment files stored per app: several for each notification of a full list.
  static let attachmentFilesPerApp = 1_000
  /// Seconds for which the agent keeps a stored file that belongs to no notification: a file is moved into the storage
  /// before its notification is added.
  static let attachmentGraceSeconds: Int64 = 600
  /// Unicode scalars of an app's name: more than a question or a notification shows on one line.
  static let displayNameScalars = 64
  /// Unicode scalars of an app's reason for using the location: a long sentence or two.
  static let reasonScalars = 400
  /// Milliseconds that an app may run in the background for work that it receives or has begun: Apple's own limit for a
  /// push (client-api 3.45).
  static let backgroundMilliseconds: Int64 = 30_000
  /// Milliseconds between the call to the expiration handlers and the end of background time: the time that the
  /// handlers have to save state.
  static let backgroundWarningMilliseconds: Int64 = 2_000
  /// Milliseconds after which an app without pending work is suspended: enough to write results that it has just
  /// finished.
  static let suspensionDelayMilliseconds: Int64 = 1_000
  /// Pending background task requests per app: ten processing requests, Apple's own limit, and one refresh request.
  static let taskRequestsPerApp = 11
  /// Nanoseconds for a program to exit after the agent asks it to.
  ///
  /// The program was warned earlier, so it has already saved its state.
  static let endNanoseconds: UInt64 = 5_000_000_000
  /// Concurrent background tasks per app: far more than an app needs.
  static let backgroundTasksPerApp = 1_000
  /// Nanoseconds by which pending background work may be late, so that it shares a wake-up.
  static let backgroundSlackNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of development apps.
  ///
  /// Any program can register a development app, and each one adds a record.
  static let apps = 10_000
  /// Bytes of the records of all development apps: enough for more than ten apps with full lists.
  ///
  /// The limits per app are not sufficient, because one program can register all of these apps.
  static let developmentBytes = 128 << 20
  /// Bytes counted for each record in addition to its key and value: about the memory that the smallest record takes.
  static let recordOverheadBytes = 1 << 10
  /// Cancelled registrations that a gateway has not confirmed: one for every app, and the same number for removed apps.
  static let cancellations = 20_000
  /// Connections of apps and commands, if the descriptor limit allows this number: each connection uses a descriptor
  /// and buffers.
  static let connections = 4_096
  /// The minimum number of connections that an agent allows, however low the descriptor limit is.
  static let connectionsMin = 64
  /// Connections per process.
  ///
  /// An app has only a few, and a program that leaks connections must not lock out other programs.
  static let connectionsPerProcess = 128
  /// Bytes of unread answers above which an app's next requests wait: the high-water mark of `ByteStream`, which
  /// reports when the answers are read.
  static let unreadOutputBytes = 262_144
  /// Bytes received from and sent to one app in a turn, after which the app's other requests wait for the next turn.
  ///
  /// Otherwise, an app could block other apps by sending long requests, or requesting long lists, on many connections.
  static let bytesPerTurn = 1 << 20
  /// Frames of one connection that are handled in one turn.
  static let framesPerTurn = 8
  /// Bytes of the agent's memory that all connections of one app can hold: several of the longest answers.
  static let heldBytesPerApp = 32 << 20
  /// Bytes of the agent's memory that all connections can hold.
  static let heldBytes = 128 << 20
  /// Connections that have not sent their greeting: more than the number of programs that start simultaneously.
  ///
  /// Each program sends its greeting as soon as it connects.
  static let ungreetedConnections = 256
  /// Bytes that a connection can send before its greeting is complete; a greeting takes a few hundred.
  static let ungreetedBytes = 64 << 10
  /// Connections of one app and its extensions: far more than the processes of an app, but few enough that no app uses
  /// up all connections.
  static let connectionsPerApp = 256
  /// Bytes of a frame to an app.
  ///
  /// A stream buffers 8 MB for a peer that does not read. A stream that exceeds this buffer is closed.
  static let sentFrameBytes = 7_000_000
  /// Bytes of an app's language file or manifest, and of all language files in which a string is looked up: enough for
  /// tens of thousands of strings.
  static let languageFileBytes = 4 << 20
  /// Bytes of the language files whose strings are in memory: those of dozens of apps.
  static let cachedLanguageBytes = 16 << 20
  /// Values of a binary property list, counted once per reference.
  ///
  /// The largest string files of apps have about ten thousand values.
  static let propertyListValues = 100_000
  /// Nesting depth of a binary property list; manifests have five levels.
  static let propertyListDepth = 64

  // MARK: Machine

  /// Changes retained in memory while the disk rejects writes.
  ///
  /// Beyond this number, the oldest changes are lost.
  static let unpersistedChanges = 10_000
  /// Nanoseconds between attempts to connect to a bus whose socket has just appeared or whose connection was just lost.
  static let busRetryNanoseconds: Int64 = 100_000_000
  /// Attempts to connect to a bus after its socket appeared or its connection was lost: five seconds in total, much
  /// longer than a bus needs to start listening.
  static let busTries = 50
  /// Nanoseconds before a notification is sent again to a server that rejected it as excessive; Plasma counts the
  /// notifications of the last second.
  static let excessiveNotificationNanoseconds: Int64 = 1_200_000_000
  /// Cached time-zone names, including names that do not exist.
  ///
  /// The number is limited because apps choose the names.
  static let zonesRemembered = 1_024
  /// Nanoseconds without a change after which an update of the time-zone database counts as complete.
  static let databaseRestNanoseconds: Int64 = 2_000_000_000
  /// Meters that the device must move before its location service reports the movement: a tenth of the smallest useful
  /// region's radius.
  static let placeThresholdMetres: UInt32 = 10
  /// Nanoseconds before the agent retries after a location service denied access; users rarely change that setting.
  static let locationRetryNanoseconds: Int64 = 300_000_000_000
  /// Bytes of a line printed by a child program: three window properties of 1 kB each, with every byte escaped.
  static let childLineBytes = 32 << 10
  /// Bytes queued for a child program: the content of several Notification Centers.
  static let childInputBytes = 8 << 20
  /// The newest notifications that the Notification Center's window and page show: more than a user reads.
  static let centerItems = 200
  /// Characters of one string shown in a window: a dozen lines.
  static let windowTextCharacters = 1_000
  /// Nanoseconds between updates of the Notification Center's window: ten updates per second, however many
  /// notifications arrive.
  static let centerRefreshNanoseconds: Int64 = 100_000_000
  /// Remembered notifications of a server's history; dunst keeps 20.
  static let historyRemembered = 100
  /// Nanoseconds before the first poll for a gateway that has not started, if its file cannot be watched.
  ///
  /// Each subsequent pause is twice as long, up to the maximum.
  static let awaitedGatewayNanoseconds: Int64 = 1_000_000_000
  static let awaitedGatewayNanosecondsMax: Int64 = 60_000_000_000

  /// Commands that wait for the user's response to a notification; each one also keeps a connection open.
  static let awaitedResponses = 1_000

  /// Nanoseconds by which a reconnection to the gateway may be late, so that it shares a wake-up.
  static let gatewayRetrySlackNanoseconds: Int64 = 15_000_000_000
  /// Beacons in range that are retained.
  ///
  /// The limit is needed because any nearby device can claim to be a beacon.
  static let beaconsRemembered = 1_024
  /// Days searched for a date in a non-Gregorian calendar: a century.
  static let calendarSearchDays = 36_600
  /// Calendar months that are cached: those of two centuries.
  static let calendarMonths = 2_600
  /// Moves of a manual clock in one turn of the loop: a few milliseconds of work.
  static let clockMovesPerTurn = 64
  /// The size in bytes of the largest program that `belfry app install` checks for known differences.
  static let examinedProgramBytes = 256 << 20
}
