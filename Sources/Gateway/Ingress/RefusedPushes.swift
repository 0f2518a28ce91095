import PushWire
import System

/// The latest refused pushes of a loop's providers, for `belfry log`: the newest few thousand, in memory.
///
/// Accepted pushes aren't recorded here. The number of entries per second is limited, so that a provider whose requests
/// all fail can't flood the log; the metrics count all errors.
struct RefusedPushes {
  /// A refused push, with the values that could be read from it.
  struct Entry {
    let atMilliseconds: Int64
    /// The reason in the answer, and for a Web Push message the rule that failed.
    let reason: String  // text: our own words
    /// The `apns-id` of the answer.
    let id: NotificationID
    /// The token's bytes; empty if absent.
    let token: [UInt8]
    /// The topic; empty if absent.
    let topic: [UInt8]
    /// The push type; nil if the request has no valid one.
    var pushType: PushType?
  }

  private var entries = RecentEntries<Entry>(countMax: Limits.refusedLinesMax)
  private var nextLine: Int64 = 0
  private let rate = RateLimit(perSecond: Limits.refusedLinesPerSecond)

  /// Returns true if one more line is within the limit for this second, and counts the line if so.
  mutating func hasRoom(atNanoseconds now: Int64) -> Bool { rate.admits(&nextLine, at: now) }

  mutating func append(_ entry: Entry) { entries.append(entry) }

  /// Returns the entries for which `matches` returns true, oldest first.
  func lines(where matches: (Entry) -> Bool) -> [Entry] { entries.filter(matches) }
}

extension DeliveryLogQuery {
  /// Returns true if the query matches a refused push.
  func matches(_ entry: RefusedPushes.Entry) -> Bool {
    switch self {
    case .everything: true
    case .notification(let id): entry.id == id
    case .token(let token): entry.token == token
    }
  }
}
