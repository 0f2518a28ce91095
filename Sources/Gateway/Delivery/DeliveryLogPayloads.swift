import BelfryWire
import PushWire
import Synchronization

/// The payloads of the newest pushes in the delivery log, in memory (`--log-payloads`).
///
/// This object exists only if the operator enabled the option. All loops share one ring. If each loop had its own ring,
/// either the total would exceed the limit, or a loop that handles most of the pushes would lose some of the newest
/// payloads.
///
/// A loop holds the lock while it replaces an entry. The ring shares the push's own buffer and usually copies nothing.
/// Calls can be made on any thread.
final class DeliveryLogPayloads: Sendable {
  /// A payload and the identifiers of its push.
  struct Entry: Equatable {
    /// The `apns-id` of the response.
    let id: NotificationID
    /// The `apns-unique-id`; nil for a push that was refused before the gateway generated one.
    let uniqueID: NotificationID?
    /// The payload, byte for byte.
    let payload: [UInt8]
  }

  private struct Ring {
    /// The entries, at most `countMax`.
    var entries: [Entry] = []
    /// The index that the next entry overwrites once the ring is full.
    var oldest = 0
  }

  /// The maximum number of payloads.
  let countMax: Int
  private let ring = Mutex(Ring())

  /// Creates a ring for the newest `countMax` payloads; returns nil if that number is 0.
  init?(countMax: Int) {
    precondition(countMax <= Limits.loggedPayloadsMax, "the options limit the number of payloads")
    guard countMax > 0 else { return nil }
    self.countMax = countMax
    assert(entries.isEmpty, "a new ring has no payloads")
  }

  /// Retains a payload, which replaces the oldest payload if the ring is full; ignores a payload that is too long for
  /// any push.
  func retain(_ payload: [UInt8], id: NotificationID, uniqueID: NotificationID?) {
    guard payload.count <= WireLimits.largePayloadBytesMax else { return }
    var kept = payload
    // The buffer of a body that arrived in pieces can be twice as large as the body, so copy the body out of it.
    if payload.capacity > Limits.loggedPayloadBytes {
      kept = []
      kept.reserveCapacity(payload.count)
      kept.append(contentsOf: payload)
    }
    let entry = Entry(id: id, uniqueID: uniqueID, payload: kept)
    ring.withLock { ring in
      if ring.entries.count < countMax {
        assert(ring.oldest == 0, "a ring that is not full has replaced nothing")
        return ring.entries.append(entry)
      }
      ring.entries[ring.oldest] = entry
      ring.oldest = (ring.oldest + 1) % countMax
      assert(ring.entries.count == countMax, "a full ring keeps its number of payloads")
    }
  }

  /// Returns the newest entry with this `apns-id` or `apns-unique-id`, or nil.
  func entry(of id: NotificationID) -> Entry? {
    ring.withLock { ring in
      assert(ring.oldest <= ring.entries.count, "the next index is in the ring")
      func matches(_ entry: Entry) -> Bool { entry.id == id || entry.uniqueID == id }
      return ring.entries[..<ring.oldest].last(where: matches)
        ?? ring.entries[ring.oldest...].last(where: matches)
    }
  }

  /// The entries, in no particular order.
  var entries: [Entry] { ring.withLock { $0.entries } }
}
