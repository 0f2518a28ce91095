import BelfryWire
import PushWire
import Gateway
import Storage
import Testing

/// The schedule by which the bench checks the core's invariants.
///
/// A check examines everything in memory. The bench usually runs it after each event, but only occasionally in a test
/// with a large number of events.
struct InvariantChecks {
  private var events = 0

  mutating func isDue() -> Bool {
    events += 1
    return events <= 200 || events % 64 == 0
  }
}

/// A delivery core with a memory store, driven by the test.
struct DeliveryBench: ~Copyable {
  var core = DeliveryCore(highestSequence: 0)
  let store = MemoryNotificationStore()
  var now = Moment(nanoseconds: 1_000_000_000, unixMilliseconds: 1_700_000_000_000)
  var sent: [String] = []
  var answered: [String] = []
  var failed: [String] = []
  var acknowledged: Set<String> = []
  var closed: [SessionEnd] = []
  var states: [DeliveryState] = []
  var sequences: [String: UInt64] = [:]
  /// The reads from the store that the core has requested, each with the range that applied at the time of the request.
  var loads: [(device: UInt64, session: SessionID, after: UInt64, besides: [UInt64])] = []
  /// True if the bench checks the invariants.
  ///
  /// A test with too much data in memory for these checks disables them.
  var checksInvariants = true
  private var checks = InvariantChecks()
  /// The number of rows that the core reads in one operation.
  var pageRows = Int.max
  private var nextID: UInt64 = 1

  static let app: UInt32 = 7
  static func key(_ device: UInt64 = 1, app: UInt32 = app) -> NotificationKey {
    NotificationKey(device: device, app: app, kind: TokenKind.alert.rawValue)
  }

  mutating func push(
    _ text: String, to key: NotificationKey = DeliveryBench.key(), priority: UInt8 = 10,
    expiresIn seconds: Int64 = 3_600, keep: UInt32 = 1, collapseID: String = "",
    type: PushType = .alert
  ) {
    core.accept(
      notification(
        text, to: key, priority: priority, expiresIn: seconds, keep: keep, collapseID: collapseID,
        type: type), now: now)
    drain()
  }

  /// Returns the next notification of a provider.
  mutating func notification(
    _ text: String, to key: NotificationKey = DeliveryBench.key(), priority: UInt8 = 10,
    expiresIn seconds: Int64 = 3_600, keep: UInt32 = 1, collapseID: String = "",
    type: PushType = .alert
  ) -> Submission {
    nextID += 1
    return Submission(
      key: key, generation: 0, id: NotificationID(high: 0, low: nextID),
      uniqueID: NotificationID(high: 1, low: nextID),
      expiration: seconds == 0 ? 0 : now.unixSeconds + seconds, priority: priority,
      pushType: type, collapseID: Array(collapseID.utf8), payload: Array(text.utf8),
      acceptedMilliseconds: now.unixMilliseconds, keep: keep,
      reply: ReplyAddress(front: Route(loop: 0), connection: 1, stream: Int32(nextID)))
  }

  mutating func drain() {
    var effects: [DeliveryEffect] = []
    core.takeEffects(into: &effects)
    for effect in effects {
      switch effect {
      case .send(_, let one):
        sent.append(text(one))
        sequences[text(one)] = one.sequence
      case .answer(let one): answered.append(text(one))
      case .fail(let one): failed.append(text(one))
      case .submitAgain: Issue.record("only a refused row is submitted again")
      case .load(let device, let session):
        let range = core.loadRange(of: device)
        loads.append((device, session, range.after, range.besides))
      case .close(_, let end): closed.append(end)
      case .record(let state, _): states.append(state)
      case .recordDropped(let dropped): states += dropped.map(\.reason.state)
      case .mark: break
      }
    }
    if checksInvariants, checks.isDue() {
      core.checkInvariants()
      core.checkEndedRows()
    }
  }

  private func text(_ entry: DeliveryEntry) -> String {
    String(decoding: entry.payload, as: UTF8.self)
  }

  mutating func connect(
    _ session: UInt64 = 1, device: UInt64 = 1, apps: [UInt32] = [DeliveryBench.app],
    power: DevicePower = DevicePower(), window: Int = 64, isLoadAnswered: Bool = true
  ) throws {
    core.connect(
      device, session: SessionID(session), topics: Set(apps.map { Self.key(device, app: $0) }),
      window: window, power: power, now: now)
    drain()
    if isLoadAnswered { try answerLoads() }
  }

  mutating func answerLoads() throws {
    while let (device, session, after, besides) = loads.popLast() {
      var rows = try store.load(device: device, after: after, limit: pageRows)
      let through = rows.count == pageRows ? rows.last?.sequence : nil
      let more = try store.load(device: device).filter { row in
        besides.contains(row.sequence) && !rows.contains { $0.sequence == row.sequence }
      }
      rows = (rows + more).sorted { $0.sequence < $1.sequence }
      core.loaded(device, session: session, rows: rows, through: through, now: now)
      drain()
    }
  }

  mutating func acknowledge(_ text: String, session: UInt64 = 1, device: UInt64 = 1) throws {
    let known = sequences[text]
    let sequence = try #require(known)
    acknowledged.insert(text)
    core.acknowledge(device, session: SessionID(session), sequence: sequence, now: now)
    drain()
  }

  mutating func discard(
    _ text: String, _ reason: LinkDiscardReason, session: UInt64 = 1, device: UInt64 = 1
  ) throws {
    let known = sequences[text]
    let sequence = try #require(known)
    core.discarded(
      device, session: SessionID(session), sequence: sequence, reason, now: now)
    drain()
  }

  mutating func pass(milliseconds: Int64) {
    now.nanoseconds += milliseconds * 1_000_000
    now.unixMilliseconds += milliseconds
  }

  /// Runs the commit that is due, if any.
  @discardableResult
  mutating func commit(isDurable: Bool = true) throws -> Int {
    let operations = core.takeCommit(now: now)
    guard !operations.isEmpty else { return 0 }
    let dropped = isDurable ? try store.commit(operations) : []
    core.commitFinished(isDurable: isDurable, dropping: dropped, now: now)
    drain()
    return operations.count
  }
}
