public import BelfryWire
internal import System

/// What a gateway's delivery log says of pushes, where the service is a gateway that has one.
///
/// Apple's service has none: a campaign then holds back what it is not sure of.
public struct GatewayLog: Sendable {
  /// A line about a notification.
  public struct Line: Sendable, Hashable {
    /// `apns-id`.
    public let id: NotificationID
    /// A label of apns-protocol section 6, or one of Belfry's.
    public let state: String
    /// In milliseconds since 1970, by the gateway's clock.
    public let atMilliseconds: Int64

    /// A line of the admin API's log; nil for an object that is none.
    public init?(_ object: JSONObject) {
      // A refusal was answered as one, and says nothing of whether the gateway has it.
      guard let id = object["apnsID"]?.stringValue, let state = object["state"]?.stringValue,
        state != "Refused",
        let at = object["at"]?.stringValue,
        let notification = NotificationID(Array(id.utf8).span),
        let moment = Self.milliseconds(at)
      else { return nil }
      self.init(id: notification, state: state, atMilliseconds: moment)
    }

    /// The instant of `2026-11-23T03:31:07.243Z`, in milliseconds since 1970; nil for anything else.
    public static func milliseconds(_ text: String) -> Int64? {
      let bytes = Array(text.utf8)
      guard bytes.count == 24, bytes[19] == UInt8(ascii: "."), bytes[23] == UInt8(ascii: "Z"),
        case .instant(let seconds)? = SendTime.start("\(text.prefix(19))Z"),
        let rest = Int64(String(decoding: bytes[20..<23], as: UTF8.self)), rest >= 0
      else { return nil }
      return Int64(seconds) * 1_000 + rest
    }

    /// A line from its parts.
    public init(id: NotificationID, state: String, atMilliseconds: Int64) {
      self.id = id
      self.state = state
      self.atMilliseconds = atMilliseconds
    }
  }

  /// Calls its argument with each line that the log still has; false where the gateway does not answer.
  public typealias Read = @Sendable ((Line) -> Void) throws -> Bool

  /// What the gateway's clock shows, in milliseconds since 1970; nil where it does not answer.
  public typealias Clock = @Sendable () throws -> Int64?

  /// Lines that the log keeps at least; older ones make room for newer.
  let keptLines: Int
  private let clock: Clock
  private let read: Read

  /// A log that keeps `keptLines` lines at least, stamped by that clock.
  public init(keptLines: Int, clock: @escaping Clock, read: @escaping Read) {
    self.keptLines = keptLines
    self.clock = clock
    self.read = read
  }

  /// What became of notifications that were sent, and may have been lost, since a moment.
  enum Verdict: Sendable, Equatable {
    /// The gateway has it.
    case accepted
    /// The gateway never had it.
    case absent
    /// The gateway had it and did not finish: it may be delivered or not.
    case unclear
  }

  /// What the log can say about notifications.
  enum Answer: Sendable, Equatable {
    /// A verdict on each.
    case verdicts([NotificationID: Verdict])
    /// The gateway does not answer now.
    case outOfReach
    /// So much has happened since that their lines may be gone.
    case forgotten
  }

  /// What the log says about notifications that were sent after a moment of this machine's clock, in milliseconds
  /// since 1970.
  func verdicts(on ids: Set<NotificationID>, since milliseconds: Int64) -> Answer {
    guard let there = (try? clock()).flatMap({ $0 }) else { return .outOfReach }
    // The least by which the gateway's clock may be ahead: it was read before now.
    let ahead = there - SystemClock.unixMilliseconds
    let from = milliseconds + ahead - Limits.clockPrecisionMilliseconds
    var verdicts: [NotificationID: Verdict] = [:]
    var recent = 0
    let isRead = try? read { line in
      if line.atMilliseconds >= from { recent += 1 }
      guard ids.contains(line.id) else { return }
      // Before its commit nothing but the receipt is in the log: a failed one leaves that alone.
      if line.state != Self.received {
        verdicts[line.id] = .accepted
      } else if verdicts[line.id] == nil {
        verdicts[line.id] = .unclear
      }
    }
    guard isRead == true else { return .outOfReach }
    for id in ids where verdicts[id] == nil {
      // As many new lines as the log keeps may have pushed out the ones that matter.
      guard recent < keptLines else { return .forgotten }
      verdicts[id] = .absent
    }
    return .verdicts(verdicts)
  }

  /// How many of a campaign's notifications ended in each of the states that the log still has.
  func states(of campaign: CampaignIdentity) -> [String: Int64]? {
    var last: [NotificationID: String] = [:]
    let isRead = try? read { line in
      if campaign.owns(line.id) { last[line.id] = line.state }
    }
    guard isRead == true else { return nil }
    return last.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  static let received = "Received by APNs"
}
