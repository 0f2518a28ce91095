/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Buttons where there is room: Apple's own number (client-api 3.28).
  static let actionsShown = 10
  /// Buttons where there is little room (S1-27).
  static let minimalActionsShown = 2
  /// Delivered notifications kept per app: more than a person goes through.
  static let deliveredPerApp = 200
  /// Pushes whose ids are remembered, so that one that comes again is known.
  static let rememberedPushes = 4_096
  /// Answers of a person that wait for an app which cannot be reached.
  static let waitingResponsesPerApp = 32
  /// Milliseconds that the app in front has to say what to show (client-api 3.23).
  static let willPresentMilliseconds: Int64 = 10_000
  /// Milliseconds that an app has to handle a response.
  static let responseMilliseconds: Int64 = 30_000
  /// Milliseconds that an app has to fetch (client-api 3.45).
  static let fetchMilliseconds: Int64 = 30_000
  /// Milliseconds that a service extension has (client-api 3.48).
  static let extensionMilliseconds: Int64 = 30_000
  /// Milliseconds after which it is told to hand over what it has.
  static let extensionWarningMilliseconds: Int64 = 27_000
  /// Bytes of an app's language file or manifest: a book of texts.
  static let languageFileBytes = 4 << 20
  /// Plural forms inside each other.
  static let pluralDepth = 4
  /// Seconds of background time that a task may use.
  static let backgroundSeconds = 30.0
  /// Development apps that are kept: an id costs a record.
  static let apps = 10_000
  /// Changes kept in memory while the disk takes none.
  static let unkeptChanges = 10_000
  /// Nanoseconds between tries of a bus whose socket has just appeared or ended, and their number.
  static let busRetryNanoseconds: Int64 = 100_000_000
  static let busTries = 50
  /// Nanoseconds after which a server takes again what it has called too much.
  static let excessiveNotificationNanoseconds: Int64 = 1_200_000_000
  /// Connections at a time.
  static let connections = 4_096
  /// Names of zones, wrong ones included, that are remembered: apps choose them.
  static let zonesRemembered = 1_024
  /// Nanoseconds without a change after which the time-zone database counts as updated.
  static let databaseRestNanoseconds: Int64 = 2_000_000_000
  /// Metres that the device moves before its location service tells of it: a tenth of the radius of
  /// the smallest region that is of use.
  static let placeThresholdMetres: UInt32 = 10
  /// Nanoseconds after which a location service that gave no access is asked again.
  static let locationRetryNanoseconds: Int64 = 300_000_000_000
  /// Bytes of a line that a child program prints: three properties of a window of 1 kB, each byte
  /// escaped.
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
  /// Nanoseconds by which background work that waited may be later than it may come.
  static let backgroundSlackNanoseconds: Int64 = 60_000_000_000
  /// Nanoseconds by which a further try of the gateway may be late, to share a wake-up.
  static let gatewayRetrySlackNanoseconds: Int64 = 15_000_000_000
  /// Beacons in reach that are remembered: anything on the air may claim to be one.
  static let beaconsRemembered = 1_024
  /// Days that a search in a calendar other than the Gregorian looks at: a century.
  static let calendarSearchDays = 36_600
  /// Dates of one notification that a command may ask for.
  static let datesAsked: Int64 = 10_000
}
