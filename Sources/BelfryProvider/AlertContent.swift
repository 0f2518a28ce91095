public import BelfryWire

/// What a person notices of a push (apns-protocol section 3).
public struct AlertContent: Sendable, Equatable {
  /// A text, or the key of one in the app.
  public enum Text: Sendable, Equatable, ExpressibleByStringLiteral {
    /// Shown as it is.
    case text(String)
    /// Looked up in the app's strings by the device, with arguments for `%@`.
    case key(String, arguments: [String] = [])

    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }
  }

  /// What is heard.
  public enum Sound: Sendable, Equatable {
    /// The system's.
    case standard
    /// A file of the app.
    case named(String)
    /// Also heard when the device is silent, for apps that may; the volume is from 0 to 1.
    case critical(name: String = "default", volume: Double = 1)
  }

  /// How much a notification interrupts.
  public enum InterruptionLevel: String, Sendable {
    case passive, active, critical
    case timeSensitive = "time-sensitive"
  }

  /// The title.
  public var title: Text?
  /// The second line.
  public var subtitle: Text?
  /// The text.
  public var body: Text?
  /// The picture that the app launches with.
  public var launchImage: String?
  /// The number on the app's icon; 0 removes it.
  public var badge: Int?
  /// What is heard.
  public var sound: Sound?
  /// Groups notifications.
  public var threadID: String?
  /// Brings the actions.
  public var category: String?
  /// Whether the app's service extension may change it.
  public var isMutable = false
  /// Whether the app also fetches in the background.
  public var isContentAvailable = false
  /// The window that is brought forward.
  public var targetContentID: String?
  /// How much it interrupts.
  public var interruptionLevel: InterruptionLevel?
  /// Its place in a summary, from 0 to 1.
  public var relevanceScore: Double?
  /// What a Focus filters by.
  public var filterCriteria: String?
  /// The app's own members, beside `aps`.
  public var custom: JSONObject

  /// Content that shows texts; the other members are set afterwards.
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
        throw .badValue(member: "isMutable", wanted: "for a push that shows a text")
      }
      aps["mutable-content"] = 1
    }
    if isContentAvailable { aps["content-available"] = 1 }
    aps["target-content-id"] = targetContentID.map { .string($0) }
    aps["interruption-level"] = interruptionLevel.map { .string($0.rawValue) }
    if let relevanceScore {
      guard (0...1).contains(relevanceScore) else {
        throw .badValue(member: "relevanceScore", wanted: "from 0 to 1")
      }
      aps["relevance-score"] = .double(relevanceScore)
    }
    aps["filter-criteria"] = filterCriteria.map { .string($0) }
    guard !aps.isEmpty else {
      throw .badValue(member: "content", wanted: "something that a person notices")
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
      guard !name.isEmpty else { throw .badValue(member: "sound", wanted: "a file's name") }
      return .string(name)
    case .critical(let name, let volume)?:
      guard (0...1).contains(volume) else {
        throw .badValue(member: "sound's volume", wanted: "from 0 to 1")
      }
      return ["critical": 1, "name": .string(name), "volume": .double(volume)]
    }
  }
}
