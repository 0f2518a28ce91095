/// The agent's answer; its fields depend on the request (`AppRequest`).
public struct AppAnswer: Sendable, Hashable {
  /// The frame of the answer.
  public var frame: AppFrame

  /// An answer without content: the request was carried out.
  public init() { frame = AppFrame([:]) }

  /// The answer in a frame.
  public init(_ frame: AppFrame) { self.frame = frame }

  private var fields: AppLinkFields { AppLinkFields(frame.object, frame.attached) }

  private init(_ write: (inout AppLinkBuilder) -> Void) {
    var builder = AppLinkBuilder()
    write(&builder)
    frame = builder.frame
  }

  /// The answer to `hello`.
  public static func welcome(_ welcome: AppWelcome) -> AppAnswer {
    AppAnswer { welcome.write(&$0) }
  }
  /// Reads the answer to `hello`.
  public func welcome() throws(AppLinkDecodingFailure) -> AppWelcome { try AppWelcome(fields) }

  /// Settings, and whether what was asked for is granted.
  public static func settings(_ settings: NotificationSettings, granted: Bool? = nil) -> AppAnswer {
    AppAnswer {
      $0.set("settings", settings) { $0.write(&$1) }
      $0.object["granted"] = granted.map(JSONValue.bool)
    }
  }
  /// Reads the settings.
  public func settings() throws(AppLinkDecodingFailure) -> NotificationSettings {
    try NotificationSettings(fields.fields("settings"))
  }
  /// Whether what was asked for is granted.
  public var isGranted: Bool { frame.object["granted"]?.boolValue ?? false }

  /// The app's categories.
  public static func categories(_ categories: [NotificationCategory]) -> AppAnswer {
    AppAnswer { $0.set("categories", list: categories) { $0.write(&$1) } }
  }
  /// Reads the categories.
  public func categories() throws(AppLinkDecodingFailure) -> [NotificationCategory] {
    try fields.list("categories", NotificationCategory.init)
  }

  /// Pending requests, the soonest first.
  public static func pending(_ pending: [PendingNotification]) -> AppAnswer {
    AppAnswer { $0.set("pending", list: pending) { $0.write(&$1) } }
  }
  /// Reads the pending requests.
  public func pending() throws(AppLinkDecodingFailure) -> [PendingNotification] {
    try fields.list("pending", PendingNotification.init)
  }

  /// Delivered notifications, oldest first.
  public static func delivered(_ delivered: [DeliveredNotification]) -> AppAnswer {
    AppAnswer { $0.set("delivered", list: delivered) { $0.write(&$1) } }
  }
  /// Reads the delivered notifications.
  public func delivered() throws(AppLinkDecodingFailure) -> [DeliveredNotification] {
    try fields.list("delivered", DeliveredNotification.init)
  }

  /// The badge.
  public static func badge(_ badge: Int64) -> AppAnswer { AppAnswer { $0.set("badge", badge) } }
  /// The badge; 0 when there is none.
  public var badge: Int64 { frame.object["badge"]?.integerValue ?? 0 }

  /// A background task with the seconds that are left.
  public static func background(seconds: Double, task: Int64? = nil) -> AppAnswer {
    AppAnswer {
      $0.set("seconds", seconds)
      $0.set("task", task)
    }
  }
  /// Seconds of background time of an app that may run on: the largest number that JSON carries.
  public static let unlimitedSeconds = Double.greatestFiniteMagnitude
  /// The seconds of background time left; at least `unlimitedSeconds` for an app that may run on.
  public var seconds: Double { frame.object["seconds"]?.doubleValue ?? 0 }
  /// The background task.
  public var task: Int64? { frame.object["task"]?.integerValue }

  /// Requests for background tasks, in order of their identifiers.
  public static func tasks(_ tasks: [BackgroundTaskRequest]) -> AppAnswer {
    AppAnswer { $0.set("tasks", list: tasks) { $0.write(&$1) } }
  }
  /// Reads the requests for background tasks.
  public func tasks() throws(AppLinkDecodingFailure) -> [BackgroundTaskRequest] {
    try fields.list("tasks", BackgroundTaskRequest.init)
  }

  /// A person's decision about the location.
  public static func locationStatus(_ status: LocationStatus) -> AppAnswer {
    AppAnswer { $0.set("locationStatus", status.rawValue) }
  }
  /// Reads the decision about the location.
  public func locationStatus() throws(AppLinkDecodingFailure) -> LocationStatus {
    try fields.word("locationStatus")
  }

  /// Watched regions.
  public static func regions(_ regions: [NotificationRegion]) -> AppAnswer {
    AppAnswer { $0.set("regions", list: regions) { $0.write(&$1) } }
  }
  /// Reads the watched regions.
  public func regions() throws(AppLinkDecodingFailure) -> [NotificationRegion] {
    try fields.list("regions", NotificationRegion.init)
  }

  /// The device's state relative to a region.
  public static func regionState(_ state: RegionState) -> AppAnswer {
    AppAnswer { $0.set("regionState", state.rawValue) }
  }
  /// Parses the device's state relative to a region.
  public func regionState() throws(AppLinkDecodingFailure) -> RegionState {
    try fields.word("regionState")
  }

  /// A token in hex, or none.
  public static func token(_ hex: String?) -> AppAnswer { AppAnswer { $0.set("token", hex) } }
  /// The token in hex.
  public var token: String? { frame.object["token"]?.stringValue }

  /// Rows for a command to print.
  public static func rows(_ rows: [JSONObject]) -> AppAnswer {
    AppAnswer(AppFrame(["rows": .array(rows.map(JSONValue.object))]))
  }
  /// The rows for a command to print.
  public var rows: [JSONObject] {
    (frame.object["rows"]?.arrayValue ?? []).compactMap(\.objectValue)
  }

  /// Moments in milliseconds since 1970.
  public static func dates(_ dates: [Int64]) -> AppAnswer {
    AppAnswer(AppFrame(["dates": .array(dates.map(JSONValue.integer))]))
  }
  /// Moments in milliseconds since 1970.
  public var dates: [Int64] {
    (frame.object["dates"]?.arrayValue ?? []).compactMap(\.integerValue)
  }
}

/// A person's decision about an app's access to the location.
public enum LocationStatus: String, Sendable, Hashable, CaseIterable {
  case notDetermined, restricted, denied, always, whenInUse
}

/// The device's state relative to a region.
public enum RegionState: String, Sendable, Hashable, CaseIterable {
  case unknown, inside, outside
}
