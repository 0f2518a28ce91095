public import BelfryWire
internal import AppWire

/// The part of a push that a user notices (apns-protocol section 3).
public struct AlertContent: Sendable, Equatable {
  /// A string, or the key of a string in the app.
  public enum Text: Sendable, Equatable, ExpressibleByStringLiteral {
    /// A literal string, which is displayed unchanged.
    case text(String)
    /// A key that the device looks up in the app's strings, with arguments for `%@`.
    case key(String, arguments: [String] = [])

    /// Creates a string that is displayed unchanged, from a string literal.
    public init(stringLiteral text: String) { self = .text(text) }
  }

  /// The sound of a notification.
  public enum Sound: Sendable, Equatable {
    /// The default sound of the device (`"sound": "default"`).
    case standard
    /// A sound file in the app.
    case named(String)
    /// A sound that plays even if the device is silenced, for apps with permission; the volume is from 0 to 1.
    case critical(name: String = "default", volume: Double = 1)
  }

  /// The interruption level of a notification.
  public enum InterruptionLevel: String, Sendable {
    case passive, active, critical
    case timeSensitive = "time-sensitive"
  }

  /// The title of the notification.
  public var title: Text?
  /// The subtitle of the notification.
  public var subtitle: Text?
  /// The body of the notification.
  public var body: Text?
  /// The image to display while the app launches.
  public var launchImage: String?
  /// The number on the app's icon; 0 removes it.
  public var badge: Int?
  /// The sound of the notification.
  public var sound: Sound?
  /// The identifier that groups notifications.
  public var threadID: String?
  /// The identifier of the category, which defines the actions.
  public var category: String?
  /// True if the app's service extension can change the notification.
  public var isMutable = false
  /// True if the app also gets time to fetch content in the background.
  public var isContentAvailable = false
  /// The identifier of the window to bring forward.
  public var targetContentID: String?
  /// The interruption level of the notification.
  public var interruptionLevel: InterruptionLevel?
  /// The notification's relevance in a summary, from 0 to 1.
  public var relevanceScore: Double?
  /// The criterion that a Focus uses to decide whether to show the notification.
  public var filterCriteria: String?
  /// The app's custom members, next to `aps`.
  public var custom: JSONObject

  /// Creates content from its strings.
  ///
  /// Set the other properties afterward.
  public init(
    title: Text? = nil, subtitle: Text? = nil, body: Text? = nil, badge: Int? = nil,
    sound: Sound? = nil, category: String? = nil, threadID: String? = nil,
    custom: JSONObject = [:]
  ) {
    self.title = title
    self.subtitle = subtitle
    self.body = body
    self.badge = badge
    self.sound = sound
    self.category = category
    self.threadID = threadID
    self.custom = custom
  }

  func aps() throws(PushFault) -> JSONObject {
    var aps = JSONObject()
    let alert = alert()
    if !alert.isEmpty { aps["alert"] = .object(alert) }
    if let badge {
      guard badge >= 0 else { throw .badValue(member: "badge", wanted: "0 or more") }
      aps["badge"] = .integer(Int64(badge))
    }
    aps["sound"] = try soundValue()
    aps["thread-id"] = threadID.map { .string($0) }
    aps["category"] = category.map { .string($0) }
    if isMutable {
      guard !alert.isEmpty else {
        throw .badValue(member: "isMutable", wanted: "false for a push without text")
      }
      aps["mutable-content"] = 1
    }
    if isContentAvailable { aps["content-available"] = 1 }
    aps["target-content-id"] = targetContentID.map { .string($0) }
    aps["interruption-level"] = interruptionLevel.map { .string($0.rawValue) }
    if let relevanceScore {
      guard (0...1).contains(relevanceScore) else {
        throw .badValue(member: "relevanceScore", wanted: "a number from 0 to 1")
      }
      aps["relevance-score"] = .double(relevanceScore)
    }
    aps["filter-criteria"] = filterCriteria.map { .string($0) }
    guard !aps.isEmpty else {
      throw .badValue(member: "content", wanted: "at least one value, such as a body or a sound")
    }
    return aps
  }

  func alert() -> JSONObject {
    var alert = JSONObject()
    for (text, name, prefix) in [
      (title, "title", "title-"), (subtitle, "subtitle", "subtitle-"), (body, "body", ""),
    ] {
      switch text {
      case .text(let text)?: alert[name] = .string(text)
      case .key(let key, let arguments)?:
        alert["\(prefix)loc-key"] = .string(key)
        if !arguments.isEmpty {
          alert["\(prefix)loc-args"] = .array(arguments.map { .string($0) })
        }
      case nil: break
      }
    }
    if !alert.isEmpty { alert["launch-image"] = launchImage.map { .string($0) } }
    return alert
  }

  private func soundValue() throws(PushFault) -> JSONValue? {
    switch sound {
    case nil: return nil
    case .standard?: return "default"
    case .named(let name)?:
      guard !name.isEmpty else { throw .badValue(member: "sound", wanted: "the name of a file") }
      return .string(name)
    case .critical(let name, let volume)?:
      guard (0...1).contains(volume) else {
        throw .badValue(member: "volume of the sound", wanted: "a number from 0 to 1")
      }
      return ["critical": 1, "name": .string(name), "volume": .double(volume)]
    }
  }
}
