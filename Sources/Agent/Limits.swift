/// Every bound of this module, with its unit and its reason.
enum Limits {

  // MARK: Notifications

  /// Buttons of an alert, which has room for them: Apple's own number (client-api 3.28).
  static let actionsShown = 10
  /// Buttons of a modal alert (S1-27).
  static let alertActionsShown = 4
  /// Buttons of a banner, which has little room (S1-27).
  static let minimalActionsShown = 2
  /// Delivered notifications retained per app: more than a person reads.
  static let deliveredPerApp = 200
  /// Bytes of those: all of them with texts and data of 20 kB each; a list fits into an answer.
  static let deliveredBytesPerApp = 4 << 20
  /// Pushes whose ids are retained to recognise repetitions: far more than a link has in flight.
  static let rememberedPushes = 4_096
  /// Responses of a person retained for an app that cannot be reached: more than a person gives in a day.
  static let waitingResponsesPerApp = 32
  /// Dates of one notification that a command may ask for: more than anybody reads.
  static let datesAsked: Int64 = 10_000

  /// Nanoseconds between looks at a terminal that belongs to another program: a person who has brought the agent
  /// to the foreground notices no delay.
  static let terminalRetryNanoseconds: Int64 = 500_000_000

  /// Nanoseconds for which an app's launch image is shown at most: an app that takes longer has other trouble.
  static let launchImageNanoseconds: Int64 = 10_000_000_000

  // MARK: Apps

  /// Milliseconds for the app in front to say what to show (client-api 3.23).
  static let willPresentMilliseconds: Int64 = 10_000
  /// Milliseconds for an app to handle a response, as long as for background work.
  static let responseMilliseconds: Int64 = 30_000
  /// Milliseconds for an app to fetch in the background (client-api 3.45).
  static let fetchMilliseconds: Int64 = 30_000
  /// Milliseconds for a service extension to change a notification (client-api 3.48).
  static let extensionMilliseconds: Int64 = 30_000
  /// Milliseconds after which a service extension is told to finish: three seconds before its time is over.
  static let extensionWarningMilliseconds: Int64 = 27_000
  /// Milliseconds for a content extension to say what becomes of its notification after an action: the
  /// person waits before the window.
  static let contentActionMilliseconds: Int64 = 10_000
  /// Bytes of attachments that are stored for one app: ten of the largest that Apple allows.
  static let attachmentBytesPerApp: Int64 = 512 << 20
  /// Files of attachments that are stored for one app: several for each notification of a full list.
  static let attachmentFilesPerApp = 1_000
  /// Seconds in which a file of the storage need not belong to a notification: it is moved there before
  /// its notification is added.
  static let attachmentGraceSeconds: Int64 = 600
  /// Unicode scalars of an app's name: more than a question or a notification shows in one line.
  static let displayNameScalars = 64
  /// Unicode scalars of the words that say why an app wants the location: a long sentence or two.
  static let reasonScalars = 400
  /// Milliseconds that an app may run in the background for what it is given or has begun: Apple's own for a
  /// push (client-api 3.45).
  static let backgroundMilliseconds: Int64 = 30_000
  /// Milliseconds before its end at which expiration handlers run: the time that they have to save.
  static let backgroundWarningMilliseconds: Int64 = 2_000
  /// Milliseconds after which an app with nothing more to do is suspended: time to write what it has just
  /// finished.
  static let suspensionDelayMilliseconds: Int64 = 1_000
  /// Requests for background tasks that an app has waiting: ten for longer work, Apple's own bound, and
  /// one to refresh.
  static let taskRequestsPerApp = 11
  /// Nanoseconds for a program to end after it was asked to: it was warned before, and has saved.
  static let endNanoseconds: UInt64 = 5_000_000_000
  /// Background tasks of an app at a time: far more than an app has work for.
  static let backgroundTasksPerApp = 1_000
  /// Nanoseconds by which waiting background work may be late, so that it shares a wake-up.
  static let backgroundSlackNanoseconds: Int64 = 60_000_000_000
  /// Development apps: any program may make one, and each costs a record.
  static let apps = 10_000
  /// Cancelled registrations that a gateway has not confirmed: of every app, and of as many that are gone.
  static let cancellations = 20_000
  /// Connections of apps and commands, where enough files may be open: each holds a descriptor and its buffers.
  static let connections = 4_096
  /// Connections for which an agent takes descriptors, however few it may have.
  static let connectionsMin = 64
  /// Connections of one process: an app has a few, and a program that leaks them must not shut out the others.
  static let connectionsPerProcess = 128
  /// Unread answers, in bytes, above which an app's next requests wait: the high-water mark of `ByteStream`, which reports
  /// when they are read.
  static let unreadOutputBytes = 262_144
  /// Frames of one connection that are handled in one turn.
  static let framesPerTurn = 8
  /// Bytes that connections of one app hold of the agent's memory in all: several of the longest answers.
  static let heldBytesPerApp = 32 << 20
  /// The same of everybody.
  static let heldBytes = 128 << 20
  /// Connections that have not greeted: more programs than start at once, and each greets as it connects.
  static let ungreetedConnections = 256
  /// Bytes that a connection may send before it has greeted: a greeting has a few hundred.
  static let ungreetedBytes = 64 << 10
  /// Connections of one app and its extensions: far more processes than an app has, so that none takes all there are.
  static let connectionsPerApp = 256
  /// Bytes of a frame for an app: a stream keeps 8 MB for a peer that does not read, and gives it up for more.
  static let sentFrameBytes = 7_000_000
  /// Bytes of a language file or manifest of an app: tens of thousands of texts.
  static let languageFileBytes = 4 << 20
  /// Values of a binary property list, each as often as it is referred to: the largest texts of an app have
  /// some ten thousand.
  static let propertyListValues = 100_000
  /// Nesting of a binary property list: manifests have five levels.
  static let propertyListDepth = 64

  // MARK: Machine

  /// Changes retained in memory while the disk refuses writes; beyond it the oldest are lost.
  static let unpersistedChanges = 10_000
  /// Nanoseconds between attempts to connect to a bus whose socket has just appeared or ended.
  static let busRetryNanoseconds: Int64 = 100_000_000
  /// Attempts to connect to such a bus: it takes a moment to listen, and five seconds are many moments.
  static let busTries = 50
  /// Nanoseconds before a notification is sent again to a server that refused it as excessive: Plasma compares
  /// with those of the last second.
  static let excessiveNotificationNanoseconds: Int64 = 1_200_000_000
  /// Names of time zones that are cached, those that do not exist included: apps choose them.
  static let zonesRemembered = 1_024
  /// Nanoseconds without a change after which an update of the time-zone database counts as complete.
  static let databaseRestNanoseconds: Int64 = 2_000_000_000
  /// Metres that the device has to move before its location service reports it: a tenth of the smallest
  /// useful region's radius.
  static let placeThresholdMetres: UInt32 = 10
  /// Nanoseconds before a location service that refused access is asked again: a person changes that seldom.
  static let locationRetryNanoseconds: Int64 = 300_000_000_000
  /// Bytes of a line printed by a child program: three properties of a window of 1 kB, each byte escaped.
  static let childLineBytes = 32 << 10
  /// Bytes that a child program has yet to take: some Notification Centers.
  static let childInputBytes = 8 << 20
  /// Notifications that the Notification Center's window and page show, the newest: more than a person
  /// goes through.
  static let centerItems = 200
  /// Characters of a text in a window: a dozen lines.
  static let windowTextCharacters = 1_000
  /// Nanoseconds after which the Notification Center's window shows what has changed: ten times a
  /// second, however much comes.
  static let centerRefreshNanoseconds: Int64 = 100_000_000
  /// Notifications in a server's history that are remembered: dunst keeps 20.
  static let historyRemembered = 100
  /// Nanoseconds by which a reconnection to the gateway may be late, so that it shares a wake-up.
  static let gatewayRetrySlackNanoseconds: Int64 = 15_000_000_000
  /// Beacons in range that are retained: any device on the air may claim to be one.
  static let beaconsRemembered = 1_024
  /// Days searched for a date in a calendar other than the Gregorian: a century.
  static let calendarSearchDays = 36_600
  /// Months of a calendar that are remembered: those of twice that time.
  static let calendarMonths = 2_600
  /// Moves of a manual clock in one turn of the loop: some milliseconds of work.
  static let clockMovesPerTurn = 64
  /// The largest program, in bytes, that `belfry app install` checks for known differences.
  static let examinedProgramBytes = 256 << 20
}
