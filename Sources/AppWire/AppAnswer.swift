public import BelfryWire

/// The agent's answer to a request from an app.
///
/// The fields depend on the request (`AppRequest`).
public struct AppAnswer: Sendable, Hashable {
  /// The frame that carries the answer.
  public var frame: AppFrame

  /// Creates an empty answer, which confirms that the request was carried out.
  public init() { frame = AppFrame([:]) }

  /// Creates the answer from a received frame.
  public init(_ frame: AppFrame) { self.frame = frame }

  private var fields: AppLinkFields { AppLinkFields(frame.object, frame.attached) }

  private init(_ write: (inout AppLinkBuilder) -> Void) {
    var builder = AppLinkBuilder()
    write(&builder)
    frame = builder.frame
  }

  /// Creates the answer to `hello`.
  public static func welcome(_ welcome: AppWelcome) -> AppAnswer {
    AppAnswer { welcome.write(&$0) }
  }
  /// Reads the answer to `hello`.
  public func welcome() throws(AppLinkDecodingFailure) -> AppWelcome { try AppWelcome(fields) }

  /// Creates an answer that contains the settings and, optionally, whether the requested permission is granted.
  public static func settings(_ settings: NotificationSettings, granted: Bool? = nil) -> AppAnswer {
    AppAnswer {
      $0.set("settings", settings) { $0.write(&$1) }
      $0.object["granted"] = granted.map(JSONValue.bool)
    }
  }
  /// Reads the settings from the answer.
  public func settings() throws(AppLinkDecodingFailure) -> NotificationSettings {
    try NotificationSettings(fields.fields("settings"))
  }
  /// True if the user granted the requested permission.
  public var isGranted: Bool { frame.object["granted"]?.boolValue ?? false }

  /// Creates an answer that contains the app's categories.
  public static func categories(_ categories: [NotificationCategory]) -> AppAnswer {
    AppAnswer { $0.set("categories", list: categories) { $0.write(&$1) } }
  }
  /// Reads the categories from the answer.
  public func categories() throws(AppLinkDecodingFailure) -> [NotificationCategory] {
    try fields.list("categories", NotificationCategory.init)
  }

  /// Creates an answer that contains the pending requests, soonest first.
  public static func pending(_ pending: [PendingNotification]) -> AppAnswer {
    AppAnswer { $0.set("pending", list: pending) { $0.write(&$1) } }
  }
  /// Reads the pending requests from the answer.
  public func pending() throws(AppLinkDecodingFailure) -> [PendingNotification] {
    try fields.list("pending", PendingNotification.init)
  }

  /// Creates an answer that contains the delivered notifications, oldest first.
  public static func delivered(_ delivered: [DeliveredNotification]) -> AppAnswer {
    AppAnswer { $0.set("delivered", list: delivered) { $0.write(&$1) } }
  }
  /// Reads the delivered notifications from the answer.
  public func delivered() throws(AppLinkDecodingFailure) -> [DeliveredNotification] {
    try fields.list("delivered", DeliveredNotification.init)
  }

  /// Creates an answer that contains the badge.
  public static func badge(_ badge: Int64) -> AppAnswer { AppAnswer { $0.set("badge", badge) } }
  /// The badge; 0 if the answer has no badge.
  public var badge: Int64 { frame.object["badge"]?.integerValue ?? 0 }

  /// Creates an answer that contains the remaining background time, in seconds, and optionally the number of a
  /// background task.
  public static func background(seconds: Double, task: Int64? = nil) -> AppAnswer {
    AppAnswer {
      $0.set("seconds", seconds)
      $0.set("task", task)
    }
  }
  /// The background time, in seconds, of an app without a time limit: the largest number that JSON can hold.
  public static let unlimitedSeconds = Double.greatestFiniteMagnitude
  /// The remaining background time in seconds; at least `unlimitedSeconds` for an app without a time limit.
  public var seconds: Double { frame.object["seconds"]?.doubleValue ?? 0 }
  /// The number of the background task.
  public var task: Int64? { frame.object["task"]?.integerValue }

  /// Creates an answer that contains the background task requests, ordered by identifier.
  public static func tasks(_ tasks: [BackgroundTaskRequest]) -> AppAnswer {
    AppAnswer { $0.set("tasks", list: tasks) { $0.write(&$1) } }
  }
  /// Reads the background task requests.
  public func tasks() throws(AppLinkDecodingFailure) -> [BackgroundTaskRequest] {
    try fields.list("tasks", BackgroundTaskRequest.init)
  }

  /// Creates an answer that contains the user's decision about location access.
  public static func locationStatus(_ status: LocationStatus) -> AppAnswer {
    AppAnswer { $0.set("locationStatus", status.rawValue) }
  }
  /// Reads the decision about location access.
  public func locationStatus() throws(AppLinkDecodingFailure) -> LocationStatus {
    try fields.word("locationStatus")
  }

  /// Creates an answer that contains the watched regions.
  public static func regions(_ regions: [NotificationRegion]) -> AppAnswer {
    AppAnswer { $0.set("regions", list: regions) { $0.write(&$1) } }
  }
  /// Reads the watched regions.
  public func regions() throws(AppLinkDecodingFailure) -> [NotificationRegion] {
    try fields.list("regions", NotificationRegion.init)
  }

  /// Creates an answer that contains the device's state relative to a region.
  public static func regionState(_ state: RegionState) -> AppAnswer {
    AppAnswer { $0.set("regionState", state.rawValue) }
  }
  /// Reads the device's state relative to a region.
  public func regionState() throws(AppLinkDecodingFailure) -> RegionState {
    try fields.word("regionState")
  }

  /// Creates an answer that contains a token in hexadecimal, or no token.
  public static func token(_ hex: String?) -> AppAnswer { AppAnswer { $0.set("token", hex) } }
  /// The token in hexadecimal.
  public var token: String? { frame.object["token"]?.stringValue }

  /// Creates an answer that contains rows for a command to print.
  public static func rows(_ rows: [JSONObject]) -> AppAnswer {
    AppAnswer(AppFrame(["rows": .array(rows.map(JSONValue.object))]))
  }
  /// The rows for a command to print.
  public var rows: [JSONObject] {
    (frame.object["rows"]?.arrayValue ?? []).compactMap(\.objectValue)
  }

  /// Creates an answer that contains dates, in milliseconds since 1970.
  public static func dates(_ dates: [Int64]) -> AppAnswer {
    AppAnswer(AppFrame(["dates": .array(dates.map(JSONValue.integer))]))
  }
  /// The dates, in milliseconds since 1970.
  public var dates: [Int64] {
    (frame.object["dates"]?.arrayValue ?? []).compactMap(\.integerValue)
  }
}

/// The user's decision about an app's access to location.
public enum LocationStatus: String, Sendable, Hashable, CaseIterable {
  case notDetermined, restricted, denied, always, whenInUse
}

/// The device's state relative to a region.
public enum RegionState: String, Sendable, Hashable, CaseIterable {
  case unknown, inside, outside
}
