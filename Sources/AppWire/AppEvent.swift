public import BelfryWire

/// The result of a background fetch; the cases have Apple's names.
public enum FetchResult: String, Sendable, Hashable, CaseIterable {
  case newData, noData, failed
}

/// An event that the agent sends to an app.
///
/// An event that is a question has a number; an `AppReply` must answer it within a time limit (`docs/app-link.md`).
public enum AppEvent: Sendable, Hashable {
  /// The device token for a registration: the initial token, or a new token after a change.
  case token(TokenKind, [UInt8])
  case registrationFailed(TokenKind, AppLinkFailure)
  /// A push for the app itself arrived.
  ///
  /// This event is a question; the reply is a fetch result.
  case arrived(RemoteArrival)
  /// A notification arrived while the app is in the foreground.
  ///
  /// This event is a question; the reply is a set of presentation options.
  case willPresent(DeliveredNotification)
  /// The user responded to a notification.
  ///
  /// This event is a question; the app replies once it has handled the response.
  case response(NotificationResponse)
  /// The user asked to open the app's own settings, possibly from this notification.
  case openSettings(DeliveredNotification?)
  /// The user brought the app to the foreground or left it.
  ///
  /// The app confirms the change with a `setState` request.
  case state(AppState)
  case settings(NotificationSettings)
  case badge(Int64)
  /// The device's languages changed.
  case languages([String])
  /// Background time is about to expire.
  ///
  /// This event is a question; the app replies once its expiration handlers have run.
  case backgroundTimeEnds
  /// A background task that the app requested starts.
  ///
  /// This event is a question; the reply is a fetch result.
  case task(BackgroundTaskRequest)
  case locationStatus(LocationStatus)
  case regionChanged(NotificationRegion, RegionState)
  /// A location in degrees, with its accuracy in meters.
  case place(latitude: Double, longitude: Double, accuracy: Double, unixMilliseconds: Int64)
  /// A local notification was delivered without a `willPresent` question (`NSUserNotification`).
  case delivered(DeliveredNotification)
  /// The service extension may change a notification before it is displayed.
  ///
  /// This event is a question; the reply is the new content.
  case extend(NotificationRequest, payload: [UInt8])
  /// The service extension's time is about to expire.
  case extensionTimeEnds
  /// The notification that a content extension displays, or the notification that replaces it.
  case showContent(DeliveredNotification)
  /// The user chose an action on the notification that a content extension displays.
  ///
  /// This event is a question; the reply is a content extension option.
  case contentAction(NotificationResponse)

  /// True if the agent resumes a suspended app for this event.
  ///
  /// Other events wait until the app is resumed for another reason.
  public var isWorkForApp: Bool {
    switch self {
    case .arrived, .willPresent, .response, .openSettings, .regionChanged, .task: true
    case .state(let state): state == .foreground
    case .token, .registrationFailed, .settings, .badge, .languages, .backgroundTimeEnds,
      .locationStatus, .place, .delivered, .extend, .extensionTimeEnds, .showContent,
      .contentAction:
      false
    }
  }

  /// Reads an event from a frame of the given type.
  public init(type: String, _ frame: AppFrame) throws(AppLinkDecodingFailure) {
    let fields = AppLinkFields(frame.object, frame.attached)
    guard type.isASCII else { throw .unknownType(type) }
    switch type {
    case "token":
      guard let token = try fields.optionalBytes("token") else { throw .missing(field: "token") }
      self = .token(try fields.kind("kind"), token)
    case "registrationFailed":
      let error = try fields.fields("error")
      let reason = AppLinkFailure.Reason(word: try error.string("reason"))
      self = .registrationFailed(
        try fields.kind("kind"),
        AppLinkFailure(
          reason ?? .registrationRefused, try error.optionalString("message") ?? ""))
    case "arrived": self = .arrived(try RemoteArrival(fields))
    case "willPresent":
      self = .willPresent(try DeliveredNotification(fields.fields("notification")))
    case "response": self = .response(try NotificationResponse(fields))
    case "openSettings":
      self = .openSettings(
        try fields.optionalFields("notification").map(DeliveredNotification.init))
    case "state": self = .state(try fields.word("state"))
    case "settings": self = .settings(try NotificationSettings(fields.fields("settings")))
    case "badge": self = .badge(try fields.integer("badge"))
    case "languages": self = .languages(try fields.strings("languages"))
    case "task": self = .task(try BackgroundTaskRequest(fields.fields("task")))
    case "backgroundTimeEnds": self = .backgroundTimeEnds
    case "locationStatus": self = .locationStatus(try fields.word("locationStatus"))
    case "regionChanged":
      self = .regionChanged(
        try NotificationRegion(fields.fields("region")), try fields.word("regionState"))
    case "place":
      self = .place(
        latitude: try fields.double("latitude"), longitude: try fields.double("longitude"),
        accuracy: try fields.double("accuracy"), unixMilliseconds: try fields.integer("date"))
    case "delivered":
      self = .delivered(try DeliveredNotification(fields.fields("notification")))
    case "extend":
      self = .extend(
        try NotificationRequest(fields.fields("request")),
        payload: try fields.optionalBytes("payload") ?? [])
    case "extensionTimeEnds": self = .extensionTimeEnds
    case "showContent":
      self = .showContent(try DeliveredNotification(fields.fields("notification")))
    case "contentAction": self = .contentAction(try NotificationResponse(fields))
    default: throw .unknownType(type)
    }
  }

  /// The frame of this event, without a number; the sender adds one if the event is a question.
  public var frame: AppFrame {
    var builder = AppLinkBuilder()
    builder.set("type", typeName)
    writeFields(&builder)
    return builder.frame
  }

  private var typeName: String {
    switch self {
    case .token: "token"
    case .registrationFailed: "registrationFailed"
    case .arrived: "arrived"
    case .willPresent: "willPresent"
    case .response: "response"
    case .openSettings: "openSettings"
    case .state: "state"
    case .settings: "settings"
    case .badge: "badge"
    case .languages: "languages"
    case .backgroundTimeEnds: "backgroundTimeEnds"
    case .task: "task"
    case .locationStatus: "locationStatus"
    case .regionChanged: "regionChanged"
    case .place: "place"
    case .delivered: "delivered"
    case .extend: "extend"
    case .extensionTimeEnds: "extensionTimeEnds"
    case .showContent: "showContent"
    case .contentAction: "contentAction"
    }
  }

  private func writeFields(_ builder: inout AppLinkBuilder) {
    switch self {
    case .token(let kind, let token):
      builder.set("kind", "\(kind.name)")
      builder.set("token", bytes: token)
    case .registrationFailed(let kind, let failure):
      builder.set("kind", "\(kind.name)")
      builder.object["error"] = [
        "reason": .string(failure.reason.rawValue), "message": .string(failure.message),
      ]
    case .arrived(let arrival):
      arrival.write(&builder)
    case .willPresent(let notification):
      builder.set("notification", notification) { $0.write(&$1) }
    case .response(let response):
      response.write(&builder)
    case .openSettings(let notification):
      builder.set("notification", notification) { $0.write(&$1) }
    case .state(let state):
      builder.set("state", state.rawValue)
    case .settings(let settings):
      builder.set("settings", settings) { $0.write(&$1) }
    case .badge(let badge):
      builder.set("badge", badge)
    case .languages(let languages):
      builder.set("languages", languages)
    case .task(let task):
      builder.set("task", task) { $0.write(&$1) }
    case .locationStatus(let status):
      builder.set("locationStatus", status.rawValue)
    case .regionChanged(let region, let state):
      builder.set("region", region) { $0.write(&$1) }
      builder.set("regionState", state.rawValue)
    case .place(let latitude, let longitude, let accuracy, let date):
      builder.set("latitude", latitude)
      builder.set("longitude", longitude)
      builder.set("accuracy", accuracy)
      builder.set("date", date)
    case .delivered(let notification):
      builder.set("notification", notification) { $0.write(&$1) }
    case .extend(let request, let payload):
      builder.set("request", request) { $0.write(&$1) }
      builder.set("payload", bytes: payload)
    case .showContent(let notification):
      builder.set("notification", notification) { $0.write(&$1) }
    case .contentAction(let response): response.write(&builder)
    case .backgroundTimeEnds, .extensionTimeEnds: break
    }
  }
}

/// A push that the app itself handles.
public struct RemoteArrival: Sendable, Hashable {
  /// The kind of token to which the push was sent.
  public var kind: TokenKind
  /// The payload, byte for byte.
  public var payload: [UInt8]
  /// The `apns-id`, in lowercase with hyphens.
  public var id: String
  /// The time at which the device received the push, in milliseconds since 1970.
  public var unixMilliseconds: Int64
  /// True if the agent expects a fetch result (`content-available`) and grants run time until it receives one.
  public var wantsFetch: Bool
  /// The notification that is, or would be, displayed for the push.
  public var notification: DeliveredNotification?

  /// Creates the description of a push that an app receives.
  public init(
    kind: TokenKind, payload: [UInt8], id: String, unixMilliseconds: Int64, wantsFetch: Bool,
    notification: DeliveredNotification? = nil
  ) {
    self.kind = kind
    self.payload = payload
    self.id = id
    self.unixMilliseconds = unixMilliseconds
    self.wantsFetch = wantsFetch
    self.notification = notification
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    kind = try fields.kind("kind")
    guard let payload = try fields.optionalBytes("payload") else {
      throw .missing(field: "payload")
    }
    self.payload = payload
    id = try fields.string("id")
    unixMilliseconds = try fields.integer("date")
    wantsFetch = try fields.bool("fetch")
    notification = try fields.optionalFields("notification").map(DeliveredNotification.init)
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("kind", "\(kind.name)")
    builder.set("payload", bytes: payload)
    builder.set("id", id)
    builder.set("date", unixMilliseconds)
    builder.set("fetch", wantsFetch)
    builder.set("notification", notification) { $0.write(&$1) }
  }
}

/// An app's reply to a question from the agent.
public enum AppReply: Sendable, Hashable {
  /// The reply to `willPresent`.
  ///
  /// If the set is empty, nothing is shown.
  case present(Set<PresentationOption>)
  /// The reply to `arrived`.
  case fetched(FetchResult)
  /// The reply to `response`.
  case handled
  /// The reply to `extend`: the content to show instead.
  case content(NotificationContent)
  /// The reply to `contentAction`.
  case contentOption(ContentExtensionOption)

  /// The frame of this reply, without the number of the question; the sender adds it.
  public var frame: AppFrame {
    var builder = AppLinkBuilder()
    switch self {
    case .present(let options):
      builder.set("options", PresentationOption.allCases.filter(options.contains).map(\.rawValue))
    case .fetched(let result): builder.set("result", result.rawValue)
    case .handled: break
    case .content(let content): builder.set("content", content) { $0.write(&$1) }
    case .contentOption(let option): builder.set("option", option.rawValue)
    }
    return builder.frame
  }

  /// Parses a reply, and infers its kind from the member that is present.
  public init(_ frame: AppFrame) throws(AppLinkDecodingFailure) {
    let fields = AppLinkFields(frame.object, frame.attached)
    if let options = try fields.optionalStrings("options") {
      self = .present(Set(options.compactMap(PresentationOption.init(word:))))
    } else if let result = try fields.optionalWord("result", FetchResult.self) {
      self = .fetched(result)
    } else if let content = try fields.optionalFields("content") {
      self = .content(try NotificationContent(content))
    } else if let option = try fields.optionalWord("option", ContentExtensionOption.self) {
      self = .contentOption(option)
    } else {
      self = .handled
    }
  }
}
