import BelfryWire
import PushWire
import Storage
import Testing

@testable import Gateway

/// Rows that the store does not write, because another node of the cluster has claimed their device.
@Suite struct RefusedRowTests {
  private let now = Moment(nanoseconds: 0, unixMilliseconds: 1_000_000)

  private func push(_ device: UInt64, _ number: UInt64) -> Submission {
    Submission(
      key: NotificationKey(device: device, app: 1, kind: 1), generation: 0,
      id: NotificationID(high: 0, low: number), uniqueID: NotificationID(high: 1, low: number),
      expiration: 1_000_000, priority: 10, pushType: .alert, collapseID: [1], payload: [],
      acceptedMilliseconds: 0, keep: 1,
      reply: ReplyAddress(front: Route(loop: 0), connection: 1, stream: Int32(number)))
  }

  /// Commits what is due, and refuses the rows of one device.
  private func commit(_ core: inout DeliveryCore, refusing device: UInt64) -> [String] {
    let refused = core.takeCommit(now: now).compactMap { operation -> UInt64? in
      guard case .put(let row, _) = operation, row.key.device == device else { return nil }
      return row.sequence
    }
    core.commitFinished(isDurable: true, refusing: Set(refused), now: now)
    core.checkInvariants()
    var effects: [DeliveryEffect] = []
    core.takeEffects(into: &effects)
    return effects.compactMap { effect in
      switch effect {
      case .answer(let entry): "answer \(entry.id.low)"
      case .fail(let entry): "fail \(entry.id.low)"
      case .submitAgain(let entry): "submit \(entry.id.low)"
      default: nil
      }
    }
  }

  @Test func `a refused row is submitted again, and the others are answered`() {
    var core = DeliveryCore(highestSequence: 0)
    core.accept(push(1, 1), now: now)
    core.accept(push(2, 2), now: now)
    #expect(commit(&core, refusing: 1) == ["submit 1", "answer 2"])
    #expect(core.isSettled && !core.holdsState(of: 1))
  }

  @Test func `a refused notification that a newer one replaced is not submitted again`() {
    var core = DeliveryCore(highestSequence: 0)
    core.connect(
      1, session: SessionID(1), topics: [NotificationKey(device: 1, app: 1, kind: 1)], window: 1,
      power: DevicePower(), now: now)
    core.loaded(1, session: SessionID(1), rows: [], now: now)
    // The first one is sent and fills the window, so the second one waits.
    core.accept(push(1, 1), now: now)
    core.accept(push(1, 2), now: now)
    let later = Moment(nanoseconds: 1_000_000_000, unixMilliseconds: 1_001_000)
    let sequences = core.takeCommit(now: later).compactMap { operation -> UInt64? in
      guard case .put(let row, _) = operation, row.id.low == 2 else { return nil }
      return row.sequence
    }
    #expect(sequences.count == 1)
    core.accept(push(1, 3), now: later)
    core.commitFinished(isDurable: true, refusing: Set(sequences), now: later)
    core.checkInvariants()
    var effects: [DeliveryEffect] = []
    core.takeEffects(into: &effects)
    let again = effects.contains { if case .submitAgain = $0 { true } else { false } }
    let failed = effects.contains {
      if case .fail(let entry) = $0 { entry.id.low == 2 } else { false }
    }
    #expect(!again && failed)
  }

  @Test func `sequence numbers rise above those of other nodes and stay in their shard`() {
    var core = DeliveryCore(highestSequence: 0, shard: 66, shards: Limits.clusterShards)
    core.raiseSequence(above: 5_000_000)
    core.accept(push(1, 1), now: now)
    core.checkInvariants()
    guard case .put(let row, _)? = core.takeCommit(now: now).first else {
      Issue.record("nothing was committed")
      return
    }
    #expect(row.sequence > 5_000_000)
    #expect(row.sequence % UInt64(Limits.clusterShards) == 66)
    #expect(row.sequence <= 5_000_000 + UInt64(Limits.clusterShards))
    core.raiseSequence(above: 10)
    core.checkInvariants()
  }
}
