/// The unique IDs of a device's latest notifications, which the device uses to recognize duplicates.
///
/// The size is limited: the newest ID replaces the oldest. The shell stores ``ids`` together with the notifications, so
/// that the IDs also survive restarts.
public struct ReceivedMemory: Sendable {
  /// The maximum number of IDs; never less than the window that the device requests.
  public let capacity: Int
  private var ring: [NotificationID] = []
  private var oldest = 0

  /// Creates a memory with this capacity that initially contains `ids`, oldest first.
  public init(capacity: Int, ids: [NotificationID] = []) {
    self.capacity = max(1, capacity)
    ring = Array(ids.suffix(self.capacity))
  }

  /// The remembered IDs, oldest first.
  public var ids: [NotificationID] { Array(ring[oldest...] + ring[..<oldest]) }

  /// Returns true if `id` is remembered.
  public func contains(_ id: NotificationID) -> Bool { ring.contains(id) }

  /// Remembers `id`, which replaces the oldest ID if the memory is full.
  public mutating func insert(_ id: NotificationID) {
    if ring.count < capacity {
      ring.append(id)
    } else {
      ring[oldest] = id
      oldest = oldest + 1 == capacity ? 0 : oldest + 1
    }
  }

  /// Asserts the invariants that hold between calls.
  func checkInvariants() {
    assert(
      ring.count <= capacity, "the number of remembered IDs, \(ring.count), is at most \(capacity)")
    assert(oldest == 0 || ring.count == capacity, "only a full ring begins after its first slot")
    assert(oldest < capacity, "the oldest ID is within the ring")
  }
}
