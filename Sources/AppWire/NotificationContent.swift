public import BelfryWire

/// A string, or the key of a string that is looked up in the app's own localization files when it is displayed.
public struct NotificationText: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The string itself, or the fallback if the key is missing.
  public var text: String
  /// The key in the app's `Localizable.strings`.
  public var key: String?
  /// The arguments for `%@` and `%1$@` in the localized string.
  public var arguments: [String]

  /// Creates a fixed string.
  public init(_ text: String) {
    self.text = text
    key = nil
    arguments = []
  }

  /// Creates a string that is looked up when it is displayed.
  ///
  /// If the key is missing and `text` is nil, the key itself is displayed.
  public init(key: String, arguments: [String] = [], text: String? = nil) {
    self.text = text ?? key
    self.key = key
    self.arguments = arguments
  }

  /// Creates a fixed string.
  public init(stringLiteral value: String) { self.init(value) }

  /// True if there is nothing to display.
  public var isEmpty: Bool { text.isEmpty && key == nil }

  init(_ value: JSONValue?, field: String) throws(AppLinkDecodingFailure) {
    switch value {
    case nil, .null: self.init("")
    case .string(let text): self.init(text)
    case .object(let object):
      let fields = AppLinkFields(object, [])
      self.init(
        key: try fields.string("key"), arguments: try fields.strings("arguments"),
        text: try fields.optionalString("text"))
    default: throw .unexpected(field: field)
    }
  }

  var json: JSONValue? {
    guard let key else { return text.isEmpty ? nil : .string(text) }
    var builder = AppLinkBuilder()
    builder.set("key", key)
    builder.set("arguments", arguments.isEmpty ? nil : arguments)
    builder.set("text", text.hasSameBytes(as: key) ? nil : text)
    return .object(builder.object)
  }
}

extension NotificationText {
  /// Returns true if all parts have the same bytes.
  public static func == (one: NotificationText, other: NotificationText) -> Bool {
    one.text.hasSameBytes(as: other.text)
      && one.key.map { UTF8Text($0) } == other.key.map { UTF8Text($0) }
      && one.arguments.map { UTF8Text($0) } == other.arguments.map { UTF8Text($0) }
  }

  /// Hashes the bytes of all parts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(text))
    hasher.combine(key.map { UTF8Text($0) })
    hasher.combine(arguments.map { UTF8Text($0) })
  }
}

/// The sound of a notification.
public struct NotificationSound: Sendable, Hashable {
  /// The name of one of the app's files; nil selects the system's default sound.
  public var name: String?
  /// True if the sound plays even if the device is silenced.
  ///
  /// A critical sound requires the app's permission for critical alerts.
  public var isCritical: Bool
  /// The volume of a critical sound, from 0 to 1.
  public var volume: Double?
  /// True if the sound plays like a ringtone.
  public var isRingtone: Bool

  /// Creates a sound; without arguments, this is the default sound.
  public init(
    name: String? = nil, isCritical: Bool = false, volume: Double? = nil, isRingtone: Bool = false
  ) {
    self.name = name
    self.isCritical = isCritical
    self.volume = volume
    self.isRingtone = isRingtone
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    name = try fields.optionalString("name")
    isCritical = try fields.bool("critical")
    volume = try fields.optionalDouble("volume")
    isRingtone = try fields.bool("ringtone")
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("name", name)
    builder.set("critical", isCritical)
    builder.set("volume", volume)
    builder.set("ringtone", isRingtone)
  }
}

/// A file that belongs to a notification.
public struct NotificationAttachment: Sendable, Hashable {
  /// The app's identifier for the attachment.
  public var id: String
  /// The absolute path of a file that the agent can read.
  public var path: String
  /// The file's type as the app specified it (a uniform type identifier); nil derives the type from the filename.
  public var type: String?
  /// The app's thumbnail options, which the agent only stores.
  public var options: JSONObject

  /// Creates an attachment for a file.
  public init(id: String, path: String, type: String? = nil, options: JSONObject = [:]) {
    self.id = id
    self.path = path
    self.type = type
    self.options = options
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    id = try fields.string("id")
    path = try fields.string("path")
    guard path.utf8.count <= WireLimits.pathBytesMax else { throw .unexpected(field: "path") }
    type = try fields.optionalName("type")
    options = try fields.optionalObject("options") ?? [:]
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("id", id)
    builder.set("path", path)
    builder.set("type", type)
    builder.set("options", options.isEmpty ? nil : options)
  }

  /// Returns true if all properties have the same bytes.
  public static func == (one: NotificationAttachment, other: NotificationAttachment) -> Bool {
    one.id.hasSameBytes(as: other.id) && one.path.hasSameBytes(as: other.path)
      && one.type.map { UTF8Text($0) } == other.type.map { UTF8Text($0) }
      && one.options == other.options
  }

  /// Hashes the bytes of the identifier and the path.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(id))
    hasher.combine(UTF8Text(path))
  }
}

/// The interruption level of a notification.
public enum InterruptionLevel: String, Sendable, Hashable, CaseIterable {
  case passive, active, timeSensitive, critical
}

/// The API through which a notification was created; Apple provides three.
///
/// The client modules return the notification through the same API.
public enum NotificationGeneration: String, Sendable, Hashable, CaseIterable {
  /// The notification was created as a `UNNotificationRequest`.
  case userNotification
  /// The notification was created as a `UILocalNotification`.
  case local
  /// The notification was created as an `NSUserNotification`.
  case desktop
}

/// The content of a notification.
public struct NotificationContent: Sendable, Hashable {
  /// The title, which states the reason for the notification in a few words.
  public var title: NotificationText = ""
  /// The subtitle, which adds detail to the title.
  public var subtitle: NotificationText = ""
  /// The body of the message.
  public var body: NotificationText = ""
  /// The number on the app's icon; nil leaves the number unchanged, and 0 removes it.
  public var badge: Int64?
  /// The sound; nil for a silent notification.
  public var sound: NotificationSound?
  /// The identifier of one of the app's categories; empty for no category.
  public var category = ""
  /// The buttons for this notification, which replace those of its category; nil uses the category's buttons.
  public var actions: [NotificationAction]?
  /// True if the app receives a response when the user dismisses the notification, as with the category option
  /// `customDismissAction`.
  public var tellsDismissal = false
  /// The identifier that groups notifications; empty for the app's default group.
  public var thread = ""
  /// The image to display while the app launches; empty for no image.
  public var launchImage = ""
  /// The absolute path of an image to show instead of the app's icon; empty for the app's icon.
  public var icon = ""
  /// The title of the default action; empty for the system's default title.
  public var actionTitle: NotificationText = ""
  /// True if the default action is offered as a button.
  public var hasAction = true
  /// The files attached to the notification.
  public var attachments: [NotificationAttachment] = []
  /// The app's custom data, to the extent that JSON can represent it.
  public var userInfo: JSONObject = [:]
  /// The app's custom data in an encoding that the client module chooses.
  ///
  /// The agent only stores this value and returns it.
  public var archive: [UInt8]?
  /// The identifier of the scene that handles the response.
  public var targetContent: String?
  /// The interruption level of the notification.
  public var interruptionLevel = InterruptionLevel.active
  /// The relevance of the notification in a summary, from 0 to 1.
  public var relevance = 0.0
  /// The criteria that decide whether a focus suppresses the notification.
  public var filterCriteria: String?
  /// The API through which the notification was created.
  public var generation = NotificationGeneration.userNotification

  /// Creates empty content, which shows nothing.
  public init() {}

  /// True if the content has no text, sound, badge, or attachment (`notificationInvalidNoContent`).
  public var isEmpty: Bool {
    title.isEmpty && subtitle.isEmpty && body.isEmpty && badge == nil && sound == nil
      && attachments.isEmpty
  }

  /// True if the content has text to display.
  public var hasAlert: Bool { !(title.isEmpty && subtitle.isEmpty && body.isEmpty) }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    title = try NotificationText(fields["title"], field: "title")
    subtitle = try NotificationText(fields["subtitle"], field: "subtitle")
    body = try NotificationText(fields["body"], field: "body")
    badge = try fields.optionalInteger("badge")
    if let sound = try fields.optionalFields("sound") { self.sound = try NotificationSound(sound) }
    category = try fields.optionalString("category") ?? ""
    actions = try fields.optionalList("actions", NotificationAction.init)
    tellsDismissal = try fields.bool("tellsDismissal")
    guard actions?.count ?? 0 <= WireLimits.actionsPerCategoryMax else {
      throw .unexpected(field: "actions")
    }
    thread = try fields.optionalString("thread") ?? ""
    launchImage = try fields.optionalString("launchImage") ?? ""
    icon = try fields.optionalString("icon") ?? ""
    guard icon.utf8.count <= WireLimits.pathBytesMax else { throw .unexpected(field: "icon") }
    actionTitle = try NotificationText(fields["actionTitle"], field: "actionTitle")
    hasAction = try fields.bool("hasAction", default: true)
    attachments = try fields.list("attachments", NotificationAttachment.init)
    guard attachments.count <= WireLimits.attachmentsPerNotificationMax else {
      throw .unexpected(field: "attachments")
    }
    userInfo = try fields.optionalObject("userInfo") ?? [:]
    archive = try fields.optionalBytes("archive")
    targetContent = try fields.optionalString("targetContent")
    interruptionLevel = try fields.optionalWord("interruptionLevel") ?? .active
    relevance = try fields.optionalDouble("relevance") ?? 0
    filterCriteria = try fields.optionalString("filterCriteria")
    generation = try fields.optionalWord("generation") ?? .userNotification
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.object["title"] = title.json
    builder.object["subtitle"] = subtitle.json
    builder.object["body"] = body.json
    builder.set("badge", badge)
    builder.set("sound", sound) { $0.write(&$1) }
    builder.set(nonEmpty: "category", category)
    builder.set("actions", list: actions) { $0.write(&$1) }
    builder.set("tellsDismissal", tellsDismissal)
    builder.set(nonEmpty: "thread", thread)
    builder.set(nonEmpty: "launchImage", launchImage)
    builder.set(nonEmpty: "icon", icon)
    builder.object["actionTitle"] = actionTitle.json
    builder.set("hasAction", hasAction, unless: true)
    builder.set("attachments", list: attachments.isEmpty ? nil : attachments) { $0.write(&$1) }
    builder.set("userInfo", userInfo.isEmpty ? nil : userInfo)
    builder.set("archive", bytes: archive)
    builder.set("targetContent", targetContent)
    builder.set(
      "interruptionLevel", interruptionLevel == .active ? nil : interruptionLevel.rawValue)
    builder.set("relevance", relevance == 0 ? nil : relevance)
    builder.set("filterCriteria", filterCriteria)
    builder.set("generation", generation == .userNotification ? nil : generation.rawValue)
  }
}
