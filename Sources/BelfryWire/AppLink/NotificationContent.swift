/// A text, or the key of one that is looked up in the app's own language files when it is shown.
public struct NotificationText: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text itself, or the fallback for a missing key.
  public var text: String
  /// The key in the app's `Localizable.strings`.
  public var key: String?
  /// The arguments for `%@` and `%1$@` in the localized text.
  public var arguments: [String]

  /// A fixed text.
  public init(_ text: String) {
    self.text = text
    key = nil
    arguments = []
  }

  /// A text that is looked up when it is shown; a missing key is shown itself.
  public init(key: String, arguments: [String] = [], text: String? = nil) {
    self.text = text ?? key
    self.key = key
    self.arguments = arguments
  }

  /// A fixed text.
  public init(stringLiteral value: String) { self.init(value) }

  /// Whether nothing would be shown.
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
  /// Whether all parts have the same bytes.
  public static func == (one: NotificationText, other: NotificationText) -> Bool {
    one.text.hasSameBytes(as: other.text)
      && one.key.map { UTF8Text($0) } == other.key.map { UTF8Text($0) }
      && one.arguments.map { UTF8Text($0) } == other.arguments.map { UTF8Text($0) }
  }

  /// Feeds the bytes of all parts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(text))
    hasher.combine(key.map { UTF8Text($0) })
    hasher.combine(arguments.map { UTF8Text($0) })
  }
}

/// The sound of a notification.
public struct NotificationSound: Sendable, Hashable {
  /// The name of a file of the app; nil is the system's default sound.
  public var name: String?
  /// Plays even when the device is silent; needs the app's permission for critical alerts.
  public var isCritical: Bool
  /// 0…1, for critical sounds.
  public var volume: Double?
  /// Plays as a ringtone does.
  public var isRingtone: Bool

  /// A sound; without arguments the default one.
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
  /// The app's identifier of the attachment.
  public var id: String
  /// An absolute path that the agent can read.
  public var path: String
  /// The file's type as the app named it (a uniform type identifier), or nil to guess.
  public var type: String?
  /// The app's thumbnail options, stored for the app.
  public var options: JSONObject

  /// An attachment.
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

  /// Whether all parts have the same bytes.
  public static func == (one: NotificationAttachment, other: NotificationAttachment) -> Bool {
    one.id.hasSameBytes(as: other.id) && one.path.hasSameBytes(as: other.path)
      && one.type.map { UTF8Text($0) } == other.type.map { UTF8Text($0) }
      && one.options == other.options
  }

  /// Feeds the bytes of the identifier and the path.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(id))
    hasher.combine(UTF8Text(path))
  }
}

/// The interruption level of a notification.
public enum InterruptionLevel: String, Sendable, Hashable, CaseIterable {
  case passive, active, timeSensitive, critical
}

/// The one of Apple's three interfaces that a notification was made with; the client modules return
/// it through the same one.
public enum NotificationGeneration: String, Sendable, Hashable, CaseIterable {
  /// `UNNotificationRequest`.
  case userNotification
  /// `UILocalNotification`.
  case local
  /// `NSUserNotification`.
  case desktop
}

/// The content of a notification.
public struct NotificationContent: Sendable, Hashable {
  /// The reason for the notification, in a few words.
  public var title: NotificationText = ""
  /// A second line of the reason.
  public var subtitle: NotificationText = ""
  /// The message.
  public var body: NotificationText = ""
  /// The number on the app's icon: nil leaves it, 0 removes it.
  public var badge: Int64?
  /// nil is silent.
  public var sound: NotificationSound?
  /// The identifier of one of the app's categories; empty is none.
  public var category = ""
  /// Buttons of this notification alone, in place of its category's; nil uses the category's.
  public var actions: [NotificationAction]?
  /// Whether the app gets a response when it is dismissed, as with the category's option.
  public var tellsDismissal = false
  /// Groups notifications; empty is the app's own group.
  public var thread = ""
  /// The image shown while the app launches; empty is none.
  public var launchImage = ""
  /// The title of the default action; empty is the system's own word.
  public var actionTitle: NotificationText = ""
  /// Whether the default action is offered as a button.
  public var hasAction = true
  /// Files that belong to it.
  public var attachments: [NotificationAttachment] = []
  /// The app's own data, as far as JSON holds it.
  public var userInfo: JSONObject = [:]
  /// The app's own data in an encoding of the client module's choice; the agent stores and returns it.
  public var archive: [UInt8]?
  /// The identifier of the scene that handles the response.
  public var targetContent: String?
  /// The interruption level.
  public var interruptionLevel = InterruptionLevel.active
  /// The relevance in a summary, 0…1.
  public var relevance = 0.0
  /// The criteria by which a focus may suppress it.
  public var filterCriteria: String?
  /// The interface that it was made with.
  public var generation = NotificationGeneration.userNotification

  /// Empty content.
  public init() {}

  /// Whether there is nothing to show, to play or to count (`notificationInvalidNoContent`).
  public var isEmpty: Bool {
    title.isEmpty && subtitle.isEmpty && body.isEmpty && badge == nil && sound == nil
      && attachments.isEmpty
  }

  /// Whether there is a text to show.
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
