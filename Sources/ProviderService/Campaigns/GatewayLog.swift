public import BelfryWire
public import PushWire
internal import System

/// The delivery log of a gateway, if the service is a gateway with a readable log.
///
/// Apple's service has no such log, so a campaign does not repeat pushes whose outcome is uncertain.
public struct GatewayLog: Sendable {
  /// A line of the log about a notification.
  public struct Line: Sendable, Hashable {
    /// The notification's `apns-id`, which the campaign chose for the recipient.
    public let id: NotificationID
    /// A state label from apns-protocol section 6, or one of Belfry's own labels.
    public let state: String
    /// The time in milliseconds since 1970, on the gateway's clock.
    public let atMilliseconds: Int64

    /// Parses a line of the admin API's log.
    ///
    /// Returns nil for an object that is not a log line.
    public init?(_ object: JSONObject) {
      // Ignore refusals. The campaign received them as responses, and they do not show whether the gateway has the
      // notification. The same applies to the refusals of an upstream.
      guard let id = object["apnsID"]?.stringValue, let state = object["state"]?.stringValue,
        state != "Refused", state != "Relayed" || object["status"]?.integerValue == 200,
        let at = object["at"]?.stringValue,
        let notification = NotificationID(Array(id.utf8).span),
        let moment = Self.milliseconds(at)
      else { return nil }
      self.init(id: notification, state: state, atMilliseconds: moment)
    }

    /// Parses a time such as `2026-11-23T03:31:07.243Z` and returns milliseconds since 1970, or nil for anything else.
    public static func milliseconds(_ text: String) -> Int64? {
      let bytes = Array(text.utf8)
      guard bytes.count == 24, bytes[19] == UInt8(ascii: "."), bytes[23] == UInt8(ascii: "Z"),
        case .instant(let seconds)? = SendTime.start("\(text.prefix(19))Z"),
        let rest = Int64(String(decoding: bytes[20..<23], as: UTF8.self)), rest >= 0
      else { return nil }
      return Int64(seconds) * 1_000 + rest
    }

    /// Creates a line from its parts.
    public init(id: NotificationID, state: String, atMilliseconds: Int64) {
      self.id = id
      self.state = state
      self.atMilliseconds = atMilliseconds
    }
  }

  /// A function that calls its argument with each line that the log still contains.
  ///
  /// It returns false if the gateway does not respond.
  public typealias Read = @Sendable ((Line) -> Void) throws -> Bool

  /// A function that returns the gateway's clock in milliseconds since 1970, or nil if the gateway does not respond.
  public typealias Clock = @Sendable () throws -> Int64?

  /// The minimum number of lines that the log retains before newer lines replace older lines.
  let keptLines: Int
  private let clock: Clock
  private let read: Read

  /// Creates a log that retains at least `keptLines` lines.
  ///
  /// `clock` is the clock that provides the timestamps of the lines.
  public init(keptLines: Int, clock: @escaping Clock, read: @escaping Read) {
    self.keptLines = keptLines
    self.clock = clock
    self.read = read
  }

  /// The evidence in the log about a notification whose response was lost.
  ///
  /// The cases are ordered from the weakest to the strongest evidence.
  enum Verdict: Int, Sendable, Comparable {
    /// The gateway never received the notification.
    case absent
    /// The gateway received the notification. It is not known whether the notification was committed.
    case received
    /// The gateway sent the notification to the device. It is not known whether the notification was committed or
    /// arrived.
    case sent
    /// The gateway has committed or delivered the notification.
    case accepted

    static func < (one: Verdict, other: Verdict) -> Bool { one.rawValue < other.rawValue }
  }

  /// The result of a query about notifications.
  enum Answer: Sendable, Equatable {
    /// One verdict per notification.
    case verdicts([NotificationID: Verdict])
    /// The gateway is not responding.
    case outOfReach
    /// The relevant lines might have been removed, because many lines have been added since the given time.
    case forgotten
  }

  /// Queries the log about notifications that were sent after a given time.
  ///
  /// The time is in milliseconds since 1970 on this machine's clock, and `now` returns the current time on the same
  /// clock.
  func verdicts(
    on ids: Set<NotificationID>, since milliseconds: Int64, now: () -> Int64
  ) -> Answer {
    guard let there = (try? clock()).flatMap({ $0 }) else { return .outOfReach }
    // The gateway's clock was read before the local clock, so the gateway is ahead by at least this difference.
    let ahead = there - now()
    let from = milliseconds + ahead - Limits.clockPrecisionMilliseconds
    var verdicts: [NotificationID: Verdict] = [:]
    var recent = 0
    let isRead = try? read { line in
      // Count slightly earlier lines as new, because a line can be written several seconds after the time that it
      // states.
      if line.atMilliseconds >= from - Limits.lateLineMilliseconds { recent += 1 }
      guard ids.contains(line.id) else { return }
      verdicts[line.id] = max(verdicts[line.id] ?? .absent, Self.evidence(of: line.state))
    }
    guard isRead == true else { return .outOfReach }
    for id in ids where verdicts[id] == nil {
      // If the number of new lines is at least the number that the log retains, the relevant lines might have been
      // removed.
      guard recent < keptLines else { return .forgotten }
      verdicts[id] = .absent
    }
    return .verdicts(verdicts)
  }

  /// Returns the last line in the log for each of these notifications, or nil if the gateway does not respond.
  func last(of ids: Set<NotificationID>) -> [Line]? {
    var last: [NotificationID: Line] = [:]
    let isRead = try? read { line in
      if ids.contains(line.id) { last[line.id] = line }
    }
    return isRead == true ? Array(last.values) : nil
  }

  /// Returns the number of a campaign's notifications by their latest state in the log.
  func states(of campaign: CampaignIdentity) -> [String: Int64]? {
    var last: [NotificationID: String] = [:]
    let isRead = try? read { line in
      if campaign.owns(line.id) { last[line.id] = line.state }
    }
    guard isRead == true else { return nil }
    return last.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  package static let received = "Received by APNs"
  package static let sent = "Sent"
  /// The state of a push that an upstream of the gateway might have accepted.
  static let unknown = "Unknown"
  static let unregistered = "Discarded – Token Unregistered"

  /// Returns the conclusion that a line in this state allows.
  ///
  /// A notification can be sent to a connected device before its commit, and a failed commit adds no line. A
  /// notification to an unregistered token was refused, or was accepted before the app unregistered. A line in any
  /// other state is written only after the commit, or after the device's acknowledgment.
  private static func evidence(of state: String) -> Verdict {
    switch state {
    case unregistered: .absent
    case received: .received
    case sent, unknown: .sent
    default: .accepted
    }
  }
}
