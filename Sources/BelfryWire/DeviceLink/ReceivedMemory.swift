/// The unique ids of a device's latest notifications, by which it recognises repetitions.
///
/// Bounded: the oldest makes room for the newest. The shell keeps ``ids`` beside the notifications, so
/// that it holds over restarts too.
public struct ReceivedMemory: Sendable {
  /// Ids at most; never less than the window that the device asks for.
  public let capacity: Int
  private var ring: [NotificationID] = []
  private var oldest = 0

  /// A memory of `capacity` ids that begins with `ids`, oldest first.
  public init(capacity: Int, ids: [NotificationID] = []) {
    self.capacity = max(1, capacity)
    ring = Array(ids.suffix(self.capacity))
  }

  /// The remembered ids, oldest first.
  public var ids: [NotificationID] { Array(ring[oldest...] + ring[..<oldest]) }

  /// Whether `id` was taken before.
  public func contains(_ id: NotificationID) -> Bool { ring.contains(id) }

  /// Remembers `id`.
  public mutating func insert(_ id: NotificationID) {
    if ring.count < capacity {
      ring.append(id)
    } else {
      ring[oldest] = id
      oldest = oldest + 1 == capacity ? 0 : oldest + 1
    }
  }

  /// Asserts what holds between calls.
  func checkInvariants() {
    assert(ring.count <= capacity, "\(ring.count) ids are remembered, of \(capacity)")
    assert(oldest == 0 || ring.count == capacity, "a ring that is not full has a beginning")
    assert(oldest < capacity, "the oldest id is out of the ring")
  }
}
