import Storage

/// The decisions of a node about its lease, the changes of other nodes, and silent nodes, as a state machine without I/O
/// (docs/cluster.md).
struct ClusterWatch {
  /// The last state of another node, and the time at which this node first saw it.
  private struct Sighting {
    let epoch: Int64
    let beat: Int64
    let sinceMilliseconds: Int64
  }

  /// The number of the last change that every loop has applied.
  private(set) var applied: Int64
  /// The number of the last change that was passed to the loops.
  private(set) var passed: Int64
  private let leaseMilliseconds: Int64
  private var nextRenewal: Int64 = .min
  private var nextPoll: Int64 = .min
  private var sightings: [NodeNumber: Sighting] = [:]

  /// Creates the state of a node that has applied all changes up to `applied`.
  init(applied: Int64, leaseMilliseconds: Int64) {
    precondition(leaseMilliseconds > 0, "a lease has a duration")
    self.applied = applied
    passed = applied
    self.leaseMilliseconds = leaseMilliseconds
  }

  /// The time between renewals, in milliseconds.
  var renewalMilliseconds: Int64 { max(1, leaseMilliseconds / 6) }

  /// Returns true if the lease must be renewed now; times are in elapsed milliseconds.
  func isRenewalDue(at now: Int64) -> Bool { now >= nextRenewal }

  /// Records that a renewal was sent.
  mutating func renewed(sentAt now: Int64) { nextRenewal = now + renewalMilliseconds }

  /// Makes the next renewal due, because the other nodes wait for the number of the last applied change.
  mutating func makeRenewalDue() { nextRenewal = .min }

  /// Returns true if the claims must be checked now.
  ///
  /// They are checked each second even if this node has the bus, because another node, which has claimed a device, might
  /// not have it. The database finds the lost claims with an index that contains nothing else.
  mutating func isPollDue(at now: Int64) -> Bool {
    guard now >= nextPoll else { return false }
    nextPoll = now + Limits.claimCheckMilliseconds
    return true
  }

  /// Makes the next check of the claims due, because messages may have been lost.
  mutating func makePollDue() { nextPoll = .min }

  /// Records that changes were passed to the loops.
  mutating func pass(upTo number: Int64) {
    assert(number >= passed, "changes are passed in order")
    passed = number
  }

  /// Records that the loops have applied changes; returns false if the loops must read them again.
  mutating func finish(upTo number: Int64, succeeded: Bool) -> Bool {
    assert(number <= passed, "only changes that were passed on finish")
    guard succeeded else {
      passed = applied
      return false
    }
    if number > applied { applied = number }
    return true
  }

  /// Returns the nodes that have been silent for longer than their lease, which must be declared dead.
  mutating func silentNodes(
    in nodes: [ClusterNode], except own: NodeNumber, at now: Int64
  ) -> [ClusterNode] {
    var silent: [ClusterNode] = []
    for node in nodes where node.number != own {
      guard !node.isEnded else {
        sightings[node.number] = nil
        continue
      }
      let known = sightings[node.number]
      if let known, known.epoch == node.epoch, known.beat == node.beat {
        // Wait longer than the lease, because clocks run at slightly different rates.
        if now - known.sinceMilliseconds > leaseMilliseconds + leaseMilliseconds / 6 {
          silent.append(node)
        }
      } else {
        sightings[node.number] = Sighting(
          epoch: node.epoch, beat: node.beat, sinceMilliseconds: now)
      }
    }
    return silent
  }

  /// Asserts the invariants that hold between calls.
  func checkInvariants() {
    assert(applied <= passed, "only changes that were passed to the loops are applied")
  }
}
