/// The deliveries that a link has sent but the device has not settled, oldest first.
///
/// Deliveries are numbered 1, 2, 3, …, so only the caller's references are stored.
struct DeliveriesInFlight: ~Copyable {
  /// A placeholder for a delivery that was settled out of order.
  private static let settledReference = UInt64.max

  private var references: [UInt64] = []
  private var head = 0
  /// The number of deliveries after `head` that were settled out of order.
  private var holes = 0
  /// The number of the delivery at `head`.
  private var oldest: UInt32 = 1
  /// The highest delivery number that the device has acknowledged.
  ///
  /// Some deliveries up to this number might still be in the list.
  private var acknowledged: UInt32 = 0

  /// The number of the next delivery.
  var next: UInt32 { oldest &+ UInt32(references.count - head) }
  /// The number of deliveries that are not settled.
  var count: Int { references.count - head - holes }

  mutating func append(_ reference: UInt64) {
    assert(
      reference != Self.settledReference,
      "a reference differs from the placeholder for settled deliveries")
    assert(next < .max, "the connection has unused delivery numbers")
    references.append(reference)
  }

  /// Handles a cumulative acknowledgment.
  ///
  /// Returns `false` if the number is lower than an earlier acknowledged number, or belongs to a delivery that was
  /// never sent.
  mutating func acknowledge(through number: UInt32) -> Bool {
    guard number >= acknowledged, number < next else { return false }
    acknowledged = number
    return true
  }

  /// Removes the next acknowledged delivery and returns its reference, or `nil` if no acknowledged delivery remains.
  mutating func takeAcknowledged() -> UInt64? {
    while head < references.count, oldest <= acknowledged {
      let reference = references[head]
      step()
      if reference != Self.settledReference { return reference }
    }
    trim()
    return nil
  }

  /// Settles a delivery out of order and returns its reference, or `nil` if the delivery was already settled or never
  /// sent.
  mutating func takeDiscarded(_ number: UInt32) -> UInt64? {
    guard number >= oldest, number > acknowledged, number < next else { return nil }
    let index = head + Int(number - oldest)
    let reference = references[index]
    guard reference != Self.settledReference else { return nil }
    references[index] = Self.settledReference
    holes += 1
    while head < references.count, references[head] == Self.settledReference { step() }
    trim()
    return reference
  }

  private mutating func step() {
    assert(head < references.count, "the head is before the end of the deliveries")
    if references[head] == Self.settledReference { holes -= 1 }
    head += 1
    oldest &+= 1
  }

  private mutating func trim() {
    if head == references.count {
      references.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 256 {
      references.removeFirst(head)
      head = 0
    }
  }

  /// Asserts the invariants that hold between calls.
  func checkInvariants() {
    assert(head <= references.count, "the head is not past the end of the deliveries")
    assert(
      references[head...].count { $0 == Self.settledReference } == holes,
      "\(holes) deliveries were settled out of order")
    assert(
      acknowledged < next,
      "the acknowledged number \(acknowledged) is less than the next number \(next)")
    assert(oldest > 0, "delivery numbers start at 1")
  }

  /// Releases memory while no deliveries are in flight.
  mutating func rest() {
    guard count == 0 else { return }
    references = []
    head = 0
  }
}
