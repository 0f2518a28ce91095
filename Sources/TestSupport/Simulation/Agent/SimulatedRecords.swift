import Agent
import BelfryWire
import Storage

/// The agent's disk.
///
/// The disk stores each commit either completely or not at all. It stores some commits late.
final class SimulatedRecords: AgentRecords {
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
  private func takesCommit() -> Bool {
    isHealthy || (world.time.now >= brokenUntil && !world.chance(world.profile.commitFailure))
  }

  func commit(_ changes: [RecordChange]) throws(StorageFailure) {
    world.agent.mightDie()
    // A killed process writes nothing.
    guard world.agent.isUp else { throw .closed }
    if world.profile.commitMost > 1, world.chance(0.3) {
      world.agent.waitForDisk(
        until: world.time.now + world.milliseconds(world.profile.commitMost))
    }
    guard takesCommit() else {
      world.note("the disk rejects a commit")
      throw .diskFull(path: "records")
    }
    for change in changes { durable.apply(change) }
  }

  func load(_ collection: RecordCollection) -> [(String, [UInt8])] {
    durable[collection].map { ($0.key, $0.value) }
  }

  func forEach(_ collection: RecordCollection, _ body: (String, [UInt8]) -> Void) {
    for (key, value) in durable[collection] { body(key, value) }
  }

  func forEachSize(_ collection: RecordCollection, _ body: (String, Int) -> Void) {
    for (key, value) in durable[collection] { body(key, value.count) }
  }

  func value(_ collection: RecordCollection, key: String) -> [UInt8]? { durable[collection][key] }
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
