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

  private func dropped(_ key: NotificationKey, _ sequence: UInt64) -> DroppedNotification {
    DroppedNotification(
      key: key, sequence: sequence, id: NotificationID(high: 0, low: 0),
      uniqueID: NotificationID(high: 0, low: 0), reason: .claimLost, operation: 0)
  }

  /// Commits what is due, and refuses the rows of one device.
  private func commit(_ core: inout DeliveryCore, refusing device: UInt64) -> [String] {
    let refused = core.takeCommit(now: now).compactMap { operation -> DroppedNotification? in
      guard case .put(let row, _) = operation, row.key.device == device else { return nil }
      return dropped(row.key, row.sequence)
    }
    core.commitFinished(isDurable: true, refusing: refused, now: now)
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

  @Test func `a refused withdrawal is submitted again, and the others are answered`() {
    var core = DeliveryCore(highestSequence: 0)
    for device in UInt64(1)...2 {
      core.withdraw(
        Submission(
          key: NotificationKey(device: device, app: 1, kind: 1), generation: 0,
          id: NotificationID(high: 0, low: device), uniqueID: NotificationID(high: 1, low: device),
          expiration: .max, priority: 10, pushType: .webPush, collapseID: [], payload: [],
          acceptedMilliseconds: 0, keep: .max, isWithdrawal: true,
          reply: ReplyAddress(front: Route(loop: 0), connection: 1, stream: 1)), now: now)
    }
    core.checkInvariants()
    var refused: [DroppedNotification] = []
    for (index, operation) in core.takeCommit(now: now).enumerated()
    where operation.claimedDevice == 1 {
      if let lost = operation.claimLost(index) { refused.append(lost) }
    }
    #expect(refused.count == 1)
    core.commitFinished(isDurable: true, refusing: refused, now: now)
    core.checkInvariants()
    var effects: [DeliveryEffect] = []
    core.takeEffects(into: &effects)
    let outcomes = effects.compactMap { effect -> String? in
      switch effect {
      case .answer(let entry): "answer \(entry.id.low)"
      case .submitAgain(let entry): "submit \(entry.id.low)"
      default: nil
      }
    }
    #expect(outcomes == ["submit 1", "answer 2"])
    let isSettled = core.isSettled
    #expect(isSettled)
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
    let sequences = core.takeCommit(now: later).compactMap { operation -> DroppedNotification? in
      guard case .put(let row, _) = operation, row.id.low == 2 else { return nil }
      return dropped(row.key, row.sequence)
    }
    #expect(sequences.count == 1)
    core.accept(push(1, 3), now: later)
    core.commitFinished(isDurable: true, refusing: sequences, now: later)
    core.checkInvariants()
    var effects: [DeliveryEffect] = []
    core.takeEffects(into: &effects)
    let again = effects.contains { if case .submitAgain = $0 { true } else { false } }
    let failed = effects.contains {
      if case .fail(let entry) = $0 { entry.id.low == 2 } else { false }
    }
    #expect(!again && failed)
  }

  /// The first attempt of a commit can write a row although its result is unknown, and the second one be refused.
  @Test func `the row of a refused notification that is in flight can be dropped later`() {
    var core = DeliveryCore(highestSequence: 0)
    let key = NotificationKey(device: 1, app: 1, kind: 1)
    core.connect(
      1, session: SessionID(1), topics: [key], window: 8, power: DevicePower(), now: now)
    core.loaded(1, session: SessionID(1), rows: [], now: now)
    core.accept(push(1, 1), now: now)
    let later = Moment(nanoseconds: 1_000_000_000, unixMilliseconds: 1_001_000)
    let rows = core.takeCommit(now: later).compactMap { operation -> UInt64? in
      if case .put(let row, _) = operation { row.sequence } else { nil }
    }
    #expect(rows.count == 1)
    core.unregister(key, now: later)
    core.commitFinished(
      isDurable: true, refusing: rows.map { dropped(key, $0) }, now: later)
    core.checkInvariants()
    let removalTime = Moment(nanoseconds: 9_000_000_000, unixMilliseconds: 1_009_000)
    let removals = core.takeCommit(now: removalTime)
    #expect(!removals.isEmpty)
    let drops = rows.map { sequence in
      DroppedNotification(
        key: key, sequence: sequence, id: NotificationID(high: 0, low: 1),
        uniqueID: NotificationID(high: 1, low: 1), reason: .unregistered, operation: 0)
    }
    core.commitFinished(isDurable: true, dropping: drops, now: removalTime)
    core.checkInvariants()
    var effects: [DeliveryEffect] = []
    core.takeEffects(into: &effects)
    let ends = effects.count {
      if case .record(.discardedUnregistered, _) = $0 { true } else { false }
    }
    let isRecordedAgain = effects.contains {
      if case .recordDropped = $0 { true } else { false }
    }
    #expect(ends == 1 && !isRecordedAgain)
  }

  @Test func `a row whose removal was refused is not sent to its device again`() {
    var core = DeliveryCore(highestSequence: 10)
    let key = NotificationKey(device: 1, app: 1, kind: 1)
    let row = StoredNotification(
      key: key, sequence: 5, id: NotificationID(high: 0, low: 5),
      uniqueID: NotificationID(high: 1, low: 5), expiration: 1_000_000, priority: 10,
      pushType: PushType.alert.rawValue, collapseID: [], payload: [], acceptedMilliseconds: 0)
    func sent() -> [UInt64] {
      var effects: [DeliveryEffect] = []
      core.takeEffects(into: &effects)
      return effects.compactMap { if case .send(_, let entry) = $0 { entry.sequence } else { nil } }
    }
    core.connect(
      1, session: SessionID(1), topics: [key], window: 8, power: DevicePower(), now: now)
    core.loaded(1, session: SessionID(1), rows: [row], now: now)
    #expect(sent() == [5])
    core.acknowledge(1, session: SessionID(1), sequence: 5, now: now)
    let later = Moment(nanoseconds: 1_000_000_000, unixMilliseconds: 1_001_000)
    var operations = core.takeCommit(now: later).count
    #expect(operations == 1)
    core.commitFinished(isDurable: true, refusing: [dropped(key, 5)], now: later)
    core.checkInvariants()
    // This node has claimed the device back, and reads its rows.
    core.reload(1, now: later)
    core.loaded(1, session: SessionID(1), rows: [row], now: later)
    #expect(sent() == [])
    let latest = Moment(nanoseconds: 2_000_000_000, unixMilliseconds: 1_002_000)
    operations = core.takeCommit(now: latest).count
    #expect(operations == 1)
    core.commitFinished(isDurable: true, now: latest)
    core.checkInvariants()
    let isSettled = core.isSettled
    #expect(isSettled)
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
