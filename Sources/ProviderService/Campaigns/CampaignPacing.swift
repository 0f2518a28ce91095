internal import BelfryWire
internal import Storage

/// When a campaign's next recipients are claimed: the times of its legs, its rate, and the batches in
/// flight.
///
/// A state machine without I/O.
struct CampaignPacing {
  /// What to do next.
  enum Action: Equatable {
    /// Claim up to so many recipients of a leg.
    case claim(CampaignLeg, limit: Int)
    /// Nothing until this moment, in monotonic nanoseconds.
    case wait(until: Int64)
    /// Nothing until a batch ends.
    case awaitBatches
    /// Everybody has an outcome.
    case finish
  }

  private struct Leg {
    let leg: CampaignLeg
    let zone: Zone
  }

  /// Nanoseconds after which legs that wait are looked at again: clocks may be set meanwhile.
  private static let longestWaitNanoseconds: Int64 = 30_000_000_000

  private var legs: [Leg]
  private let sendTime: SendTime
  private let rate: Int64?
  /// The moment from which the rate allows more, in monotonic nanoseconds.
  private var allowedAt: Int64 = 0
  private(set) var batchesInFlight = 0

  /// The pacing of legs that are not claimed whole; `zone` finds a device's zone by its name.
  init(
    legs: [CampaignLeg], sendTime: SendTime, rate: Int64?, zone: (String) -> Zone?
  ) {
    self.legs = legs.filter { !$0.isClaimed }.map { leg in
      // A device that named no zone, or one that is no longer known, lives by universal time.
      guard case .named(let name?) = leg.zone else { return Leg(leg: leg, zone: .utc) }
      return Leg(leg: leg, zone: zone(name) ?? .utc)
    }
    self.sendTime = sendTime
    self.rate = rate
  }

  /// Returns what to do at this moment, by the monotonic and by the wall clock.
  func next(now: Int64, unixSeconds: Int) -> Action {
    guard !legs.isEmpty else { return batchesInFlight == 0 ? .finish : .awaitBatches }
    guard batchesInFlight < Limits.batchesInFlightMax else { return .awaitBatches }
    guard allowedAt <= now else { return .wait(until: allowedAt) }
    var soonest = Int.max
    for leg in legs {
      let moment = sendTime.earliest(from: unixSeconds, in: leg.zone)
      if moment <= unixSeconds { return .claim(leg.leg, limit: batchSize) }
      soonest = min(soonest, moment)
    }
    assert(soonest > unixSeconds, "no leg may be sent now")
    let (wait, overflow) = Int64(soonest - unixSeconds).multipliedReportingOverflow(
      by: 1_000_000_000)
    return .wait(
      until: now + min(overflow ? .max : wait, Self.longestWaitNanoseconds))
  }

  /// Recipients of one batch: fewer at a low rate, so that pushes are spread over each second.
  private var batchSize: Int {
    guard let rate else { return Limits.batchRecipientsMax }
    let share = rate * Limits.batchNanoseconds / 1_000_000_000
    return min(Limits.batchRecipientsMax, max(1, Int(share)))
  }

  /// Notes that a batch of recipients is sent from now on.
  mutating func claimed(_ recipients: Int, now: Int64) {
    precondition(recipients > 0, "a batch has a recipient")
    batchesInFlight += 1
    guard let rate else { return }
    allowedAt = max(allowedAt, now) + Int64(recipients) * 1_000_000_000 / rate
  }

  /// Notes a batch that an earlier run left.
  mutating func recovered() { batchesInFlight += 1 }

  /// Notes that a leg has no recipients left.
  mutating func exhausted(_ leg: CampaignLeg) {
    legs.removeAll { $0.leg.number == leg.number }
  }

  /// Notes that everybody in a batch has an outcome.
  mutating func batchEnded() {
    assert(batchesInFlight > 0, "only a batch in flight ends")
    batchesInFlight -= 1
  }
}
