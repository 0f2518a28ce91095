internal import Scheduling
internal import Storage

/// The reason that a running campaign waits, although its push service accepts pushes.
struct CampaignTimeWait: Equatable, Sendable {
  enum Reason: String, Equatable, Sendable {
    /// The remaining devices are in quiet hours.
    case quietHours = "quiet hours"
    /// The campaign's time has not arrived in the remaining time zones.
    case localTime = "local time"
  }

  let reason: Reason
  /// The time at which the first of the remaining devices can be reached, in seconds since 1970.
  let untilUnixSeconds: Int

  /// The time, in nanoseconds, after which a wait is checked again, because a clock might have been set in the
  /// meantime.
  private static let longestNanoseconds: Int64 = 30_000_000_000

  /// Returns the time of the next check, in monotonic nanoseconds.
  func nextCheck(now: Int64, unixSeconds: Int) -> Int64 {
    let (pause, overflow) = Int64(untilUnixSeconds - unixSeconds).multipliedReportingOverflow(
      by: 1_000_000_000)
    return now + min(overflow ? .max : pause, Self.longestNanoseconds)
  }
}

/// The schedule for claiming a campaign's next recipients, based on the times of its groups, its rate, and its batches
/// in flight.
///
/// This type is a state machine without I/O.
struct CampaignPacing {
  /// The action that the caller should take next.
  enum Action: Equatable {
    /// Claim up to this many recipients of a group.
    case claim(ZoneGroup, limit: Int)
    /// Do nothing until this time, in monotonic nanoseconds.
    case wait(until: Int64)
    /// Do nothing until a batch completes.
    case awaitBatches
    /// Every recipient has an outcome.
    case finish
  }

  private struct ZonedGroup {
    let group: ZoneGroup
    let zone: Zone
  }

  /// The groups that still have unclaimed recipients.
  private var groups: [ZonedGroup]
  /// The zone of each group, by number.
  private let zones: [Int: Zone]
  private let sendTime: SendTime
  private let rate: Int64?
  /// The earliest time at which the rate allows more pushes, in monotonic nanoseconds.
  private var allowedAt: Int64 = 0
  private(set) var batchesInFlight = 0
  /// The reason that no group can receive pushes at the moment; nil if a group can receive pushes, or no group is left.
  private(set) var timeWait: CampaignTimeWait?

  /// Creates the pacing of a campaign's groups.
  ///
  /// Groups without unclaimed recipients are ignored.
  ///
  /// `zone` returns the time zone with a given name.
  init(
    groups: [ZoneGroup], sendTime: SendTime, rate: Int64?, zone: (String) -> Zone?
  ) {
    let zoned = groups.map { group in
      // UTC applies to a device that did not specify a zone, or whose zone is no longer known.
      guard case .named(let name?) = group.zone else { return ZonedGroup(group: group, zone: .utc) }
      return ZonedGroup(group: group, zone: zone(name) ?? .utc)
    }
    self.groups = zoned.filter { !$0.group.isClaimed }
    zones = Dictionary(uniqueKeysWithValues: zoned.map { ($0.group.number, $0.zone) })
    self.sendTime = sendTime
    self.rate = rate
  }

  /// Returns the next action.
  ///
  /// The current time is passed on both the monotonic clock and the wall clock.
  ///
  /// `held` is the number of batches that wait for the time of their group while other groups continue.
  mutating func next(now: Int64, unixSeconds: Int, held: Int = 0) -> Action {
    assert((0...batchesInFlight).contains(held), "held batches are in flight")
    timeWait = nil
    guard !groups.isEmpty else { return batchesInFlight == 0 ? .finish : .awaitBatches }
    guard batchesInFlight - held < Limits.batchesInFlightMax else { return .awaitBatches }
    guard allowedAt <= now else { return .wait(until: allowedAt) }
    var soonest: CampaignTimeWait?
    for group in groups {
      guard let wait = wait(of: group.group.number, unixSeconds: unixSeconds) else {
        return .claim(group.group, limit: batchSize)
      }
      if wait.untilUnixSeconds < soonest?.untilUnixSeconds ?? .max { soonest = wait }
    }
    timeWait = soonest
    guard let soonest else { return .awaitBatches }
    return .wait(until: soonest.nextCheck(now: now, unixSeconds: unixSeconds))
  }

  /// Returns the wait before a group's devices can receive pushes; nil if they can receive pushes now.
  func wait(of group: Int, unixSeconds: Int) -> CampaignTimeWait? {
    let zone = zones[group] ?? .utc
    let moment = sendTime.earliest(from: unixSeconds, in: zone)
    guard moment > unixSeconds else { return nil }
    let hasStarted = sendTime.hasStarted(at: unixSeconds, in: zone)
    return CampaignTimeWait(
      reason: hasStarted ? .quietHours : .localTime, untilUnixSeconds: moment)
  }

  /// The number of recipients in one batch, which is smaller at a low rate, so that pushes are spread over each second.
  private var batchSize: Int {
    guard let rate else { return Limits.batchRecipientsMax }
    let share = rate * Limits.batchNanoseconds / 1_000_000_000
    return min(Limits.batchRecipientsMax, max(1, Int(share)))
  }

  /// Records that a batch with this number of recipients is being sent, and delays the next batch according to the
  /// rate.
  mutating func claimed(_ recipients: Int, now: Int64) {
    precondition(recipients > 0, "a batch has at least one recipient")
    batchesInFlight += 1
    guard let rate else { return }
    allowedAt = max(allowedAt, now) + Int64(recipients) * 1_000_000_000 / rate
  }

  /// True if no recipients are left to claim.
  var isExhausted: Bool { groups.isEmpty }

  /// Records a batch that an earlier run left in flight.
  mutating func recovered() { batchesInFlight += 1 }

  /// Records that a group has no recipients left.
  mutating func exhausted(_ group: ZoneGroup) {
    groups.removeAll { $0.group.number == group.number }
  }

  /// Records that every recipient of a batch has an outcome.
  mutating func batchEnded() {
    assert(batchesInFlight > 0, "at least one batch is in flight")
    batchesInFlight -= 1
  }
}
