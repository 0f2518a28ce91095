import PushWire

/// The result of relaying a push, with the values that the log shows.
struct RelayedPush: Sendable {
  /// The address of the sender's request.
  let address: ReplyAddress
  let outcome: RelayOutcome
  let relay: AppRelay
  /// The `apns-id` of the push.
  let id: NotificationID
  let token: [UInt8]
  let topic: [UInt8]
  /// The push type; nil if the request does not specify it.
  let pushType: PushType?
}

/// The latest few thousand relayed pushes of a loop's providers, which are kept in memory for `belfry log`.
struct RelayedPushes {
  /// A relayed push that the upstream answered, or might have accepted.
  struct Entry {
    let atMilliseconds: Int64
    /// The status of the upstream's answer; nil if the outcome is unknown.
    let status: Int?
    /// The reason in the upstream's answer, or the reason that the outcome is unknown; nil for status 200.
    let reason: String?
    let id: NotificationID
    /// The `apns-unique-id` of the upstream's answer.
    let uniqueID: NotificationID?
    let token: [UInt8]
    let topic: [UInt8]
    let pushType: PushType?

    /// Creates the entry of a push; nil if the push did not reach the upstream.
    init?(_ push: RelayedPush, atMilliseconds: Int64) {
      switch push.outcome {
      case .answered(let answer), .withheld(let answer):
        status = answer.status
        reason = answer.status == 200 ? nil : String(answer.reason.prefix(Self.reasonMax))
        let text = Array((answer.uniqueID ?? "").utf8)
        uniqueID = NotificationID(text.span)
      case .unknown(let why):
        status = nil
        reason = String(why.prefix(Self.reasonMax))
        uniqueID = nil
      case .unreachable, .busy, .overBudget, .uncounted: return nil
      }
      self.atMilliseconds = atMilliseconds
      id = push.id
      token = push.token
      topic = push.topic
      pushType = push.pushType
    }

    /// The maximum number of characters of a reason that are kept; APNs' reasons are shorter.
    private static let reasonMax = 200

    /// The line of `belfry log`.
    var line: DeliveryLogLine {
      var line = DeliveryLogLine(
        atMilliseconds: atMilliseconds,
        state: status == nil ? DeliveryLogLine.unknown : DeliveryLogLine.relayed, reason: reason,
        id: id, uniqueID: uniqueID, device: 0, topic: String(decoding: topic, as: UTF8.self),
        pushType: pushType)
      line.status = status
      return line
    }
  }

  private var entries = RecentEntries<Entry>(countMax: Limits.relayedLinesMax)

  mutating func append(_ entry: Entry) { entries.append(entry) }

  /// Returns the lines of the entries that match a query, oldest first.
  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] {
    entries.filter(query.matches).map(\.line)
  }
}

extension DeliveryLogQuery {
  /// Returns true if the query matches a relayed push.
  func matches(_ entry: RelayedPushes.Entry) -> Bool {
    switch self {
    case .everything: true
    case .notification(let id): entry.id == id || entry.uniqueID == id
    case .token(let token): entry.token == token
    }
  }
}
