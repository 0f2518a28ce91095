import BelfryWire
import System

/// The latest pushes that a loop's providers were refused, for `belfry log`: the newest thousands, in memory.
///
/// Not on an accepted push's way. A provider that does nothing but err fills no more than its share of a second's
/// lines; the metrics count all of them.
struct RefusedPushes {
  /// A refused push, as far as it could be read.
  struct Entry {
    let atMilliseconds: Int64
    let rejection: Rejection
    /// The `apns-id` of the answer.
    let id: NotificationID
    /// The token's bytes; empty where there were none.
    let token: [UInt8]
    /// The topic; empty where there was none.
    let topic: [UInt8]
  }

  private var entries: [Entry] = []
  /// Where the next one goes once there are as many as are kept.
  private var oldest = 0
  private var nextLine: Int64 = 0
  private let rate = RateLimit(perSecond: Limits.refusedLinesPerSecond)

  /// Whether a line more is within the bound of this second.
  mutating func hasRoom(atNanoseconds now: Int64) -> Bool { rate.admits(&nextLine, at: now) }

  /// Adds one, in place of the oldest where there is no more room.
  mutating func append(_ entry: Entry) {
    guard entries.count == Limits.refusedLinesMax else { return entries.append(entry) }
    entries[oldest] = entry
    oldest = (oldest + 1) % entries.count
    assert(entries.indices.contains(oldest), "the next place is one of the list's")
  }

  /// Those that `matches` picks, oldest first.
  func lines(where matches: (Entry) -> Bool) -> [Entry] {
    (entries[oldest...] + entries[..<oldest]).filter(matches)
  }
}

extension DeliveryLogQuery {
  /// Whether the query asks for a refused push.
  func matches(_ entry: RefusedPushes.Entry) -> Bool {
    switch self {
    case .everything: true
    case .notification(let id): entry.id == id
    case .token(let token): entry.token == token
    }
  }
}

extension GatewayLoop {
  /// Notes that a provider was refused a push.
  func noteRefusal(
    _ rejection: Rejection, id: NotificationID, token: [UInt8], topic: [UInt8]
  ) {
    guard refusedPushes.hasRoom(atNanoseconds: loop.nowNanoseconds) else { return }
    let entry = RefusedPushes.Entry(
      atMilliseconds: loop.unixMilliseconds, rejection: rejection, id: id, token: token,
      topic: topic.count <= Limits.refusedTopicBytesMax
        ? topic : Array(topic.prefix(Limits.refusedTopicBytesMax)))
    refusedPushes.append(entry)
    tellFollowers(entry)
  }

  /// A refused push as people read it.
  func line(_ entry: RefusedPushes.Entry) -> DeliveryLogLine {
    DeliveryLogLine(
      atMilliseconds: entry.atMilliseconds, state: DeliveryLogLine.refused,
      reason: entry.rejection.reason, id: entry.id, uniqueID: nil,
      device: tokens.open(entry.token.span)?.device ?? 0,
      topic: String(decoding: entry.topic, as: UTF8.self))
  }
}
