internal import BelfryWire

/// A notification that an app requested or that arrived by push.
public struct NotificationRequest: Sendable, Hashable {
  /// The app's identifier for the request.
  ///
  /// A later request with the same identifier replaces this request.
  public var id: String
  /// The content of the notification.
  public var content: NotificationContent
  /// The trigger; nil delivers the notification immediately.
  public var trigger: NotificationTrigger?

  /// Creates a request with its content and trigger.
  public init(id: String, content: NotificationContent, trigger: NotificationTrigger? = nil) {
    self.id = id
    self.content = content
    self.trigger = trigger
  }

  /// The prefix of the identifiers of dialogs, which the client modules show for the app; the app's own identifiers
  /// never begin with this prefix.
  public static let dialogPrefix = "belfry.dialog."

  /// Returns true if an identifier is that of a dialog, whose answer only the process that shows the dialog can use.
  public static func isDialog(_ id: String) -> Bool { id.utf8.starts(with: dialogPrefix.utf8) }

  /// The encoded request, for storage.
  public var encoded: [UInt8] {
    var builder = AppLinkBuilder()
    write(&builder)
    return builder.frame.encoded
  }

  /// Decodes a request from ``encoded``.
  public init(decoding bytes: [UInt8]) throws(AppLinkDecodingFailure) {
    guard let frame = try? AppFrame(decoding: bytes) else { throw .unexpected(field: "request") }
    try self.init(AppLinkFields(frame.object, frame.attached))
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    id = try fields.string("id")
    guard id.utf8.count <= WireLimits.identifierBytesMax else { throw .unexpected(field: "id") }
    content = try NotificationContent(fields.fields("content"))
    if let trigger = try fields.optionalFields("trigger") {
      self.trigger = try NotificationTrigger(trigger)
    }
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("id", id)
    builder.set("content", content) { $0.write(&$1) }
    builder.set("trigger", trigger) { $0.write(&$1) }
  }
}

/// A pending request and its next due date.
public struct PendingNotification: Sendable, Hashable {
  /// The pending request itself.
  public var request: NotificationRequest
  /// The next due date in milliseconds since 1970; nil for a region trigger, or if no due date remains.
  public var nextUnixMilliseconds: Int64?

  /// Creates a pending request from a request and its next due date.
  public init(request: NotificationRequest, nextUnixMilliseconds: Int64?) {
    self.request = request
    self.nextUnixMilliseconds = nextUnixMilliseconds
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    request = try NotificationRequest(fields)
    nextUnixMilliseconds = try fields.optionalInteger("next")
  }

  func write(_ builder: inout AppLinkBuilder) {
    request.write(&builder)
    builder.set("next", nextUnixMilliseconds)
  }
}

/// A delivered notification, which was displayed, listed, or passed to the app.
public struct DeliveredNotification: Sendable, Hashable {
  /// The request that was delivered.
  public var request: NotificationRequest
  /// The time of delivery, in milliseconds since 1970.
  public var unixMilliseconds: Int64
  /// The push's payload, byte for byte.
  public var payload: [UInt8]?
  /// True if a banner or an alert was displayed for the notification; false if it was only added to the list.
  public var isPresented = true

  /// Creates a delivered notification.
  public init(request: NotificationRequest, unixMilliseconds: Int64, payload: [UInt8]? = nil) {
    self.request = request
    self.unixMilliseconds = unixMilliseconds
    self.payload = payload
  }

  /// The encoded notification, for storage.
  public var encoded: [UInt8] {
    var builder = AppLinkBuilder()
    write(&builder)
    return builder.frame.encoded
  }

  /// Decodes a notification from ``encoded``.
  public init(decoding bytes: [UInt8]) throws(AppLinkDecodingFailure) {
    guard let frame = try? AppFrame(decoding: bytes) else {
      throw .unexpected(field: "notification")
    }
    try self.init(AppLinkFields(frame.object, frame.attached))
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    request = try NotificationRequest(fields)
    unixMilliseconds = try fields.integer("date")
    payload = try fields.optionalBytes("payload")
    isPresented = try fields.bool("presented", default: true)
  }

  func write(_ builder: inout AppLinkBuilder) {
    request.write(&builder)
    builder.set("date", unixMilliseconds)
    builder.set("payload", bytes: payload)
    builder.set("presented", isPresented, unless: true)
  }
}

/// The user's response to a notification.
public struct NotificationResponse: Sendable, Hashable {
  /// The identifier of the default action, which a click on the notification performs; the name is Apple's.
  public static let defaultAction = "com.apple.UNNotificationDefaultActionIdentifier"
  /// The identifier of the action that dismisses a notification; the name is Apple's.
  public static let dismissAction = "com.apple.UNNotificationDismissActionIdentifier"

  /// The notification to which the user responded.
  public var notification: DeliveredNotification
  /// The identifier of one of the category's actions, or ``defaultAction`` or ``dismissAction``.
  public var action: String
  /// The text that the user entered, for an action with a text field.
  public var text: String?

  /// Creates a response to a notification.
  public init(notification: DeliveredNotification, action: String, text: String? = nil) {
    self.notification = notification
    self.action = action
    self.text = text
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    notification = try DeliveredNotification(fields.fields("notification"))
    action = try fields.string("action")
    text = try fields.optionalString("text")
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("notification", notification) { $0.write(&$1) }
    builder.set("action", action)
    builder.set("text", text)
  }
}
