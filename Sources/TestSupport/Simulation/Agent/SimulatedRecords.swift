@testable import Agent
import BelfryWire

/// The agent's disk.
///
/// The disk stores each commit either completely or not at all, and some commits late.
final class SimulatedRecords {
  private unowned let world: AgentSimulation
  private(set) var durable = RecordMirror()
  /// True once the disk no longer fails.
  var isHealthy = false
  /// The time until which the disk refuses writes.
  private var brokenUntil: Int64 = 0

  init(in world: AgentSimulation) { self.world = world }

  /// Makes the disk refuse writes for a while.
  func breakDown() {
    guard !isHealthy else { return }
    brokenUntil = world.time.now + world.milliseconds(8_000)
    world.note("the disk rejects writes for a while")
  }

  /// Returns true if the disk accepts the next commit.
  func takesCommit() -> Bool {
    isHealthy || (world.time.now >= brokenUntil && !world.chance(world.profile.commitFailure))
  }

  func commit(_ changes: [RecordChange]) {
    for change in changes { durable.apply(change) }
  }
}

/// The agent's records by collection and key, as changed by the agent's effects.
struct RecordMirror {
  private var collections: [RecordCollection: RecordTable] = [:]

  subscript(collection: RecordCollection) -> RecordTable {
    collections[collection] ?? RecordTable()
  }

  mutating func apply(_ change: RecordChange) {
    switch change {
    case .put(let collection, let key, let value):
      collections[collection, default: RecordTable()][key] = value
    case .remove(let collection, let key): collections[collection]?[key] = nil
    }
  }

  /// The records as the agent reads them at startup.
  var restored: RestoredRecords {
    RestoredRecords(
      Dictionary(
        uniqueKeysWithValues: RecordCollection.allCases.filter { $0 != .pending }.map {
          collection in
          (
            collection,
            Array(self[collection])
          )
        }),
      pendingBytes: self[.pending].map { (key: $0.key, bytes: $0.value.count) })
  }
}

/// The records of a collection, by key.
///
/// Keys are compared by their bytes, as in the store.
struct RecordTable: Sequence {
  private var values: [UTF8Text: [UInt8]] = [:]

  var isEmpty: Bool { values.isEmpty }

  /// The keys, sorted by their bytes.
  var keys: [String] { values.keys.sorted().map(\.string) }

  subscript(key: String) -> [UInt8]? {
    get { values[UTF8Text(key)] }
    set { values[UTF8Text(key)] = newValue }
  }

  /// Iterates over the records, sorted by the bytes of their keys.
  func makeIterator() -> some IteratorProtocol<(key: String, value: [UInt8])> {
    values.sorted { $0.key < $1.key }.map { (key: $0.key.string, value: $0.value) }.makeIterator()
  }
}
