import BelfryWire
package import Storage
import System

/// The agent's store of records; confined to the agent's loop.
package protocol AgentRecords: AnyObject {
  /// Writes all changes or none; they are durable when the method returns.
  func commit(_ changes: [RecordChange]) throws(StorageFailure)
  /// Returns the keys and values of a collection, ordered by key.
  func load(_ collection: RecordCollection) throws(StorageFailure) -> [(String, [UInt8])]
  /// Calls `body` with each key and value of a collection, without holding all of them in memory.
  func forEach(_ collection: RecordCollection, _ body: (String, [UInt8]) -> Void)
    throws(StorageFailure)
  /// Calls `body` with each key of a collection and the number of bytes of its value, which is not read.
  func forEachSize(_ collection: RecordCollection, _ body: (String, Int) -> Void)
    throws(StorageFailure)
  /// Returns the value of a key, or nil if it does not exist.
  func value(_ collection: RecordCollection, key: String) throws(StorageFailure) -> [UInt8]?
  /// A notice for the user about damaged records; nil if all records are intact.
  var damageNotice: String? { get }
}

extension AgentRecords {
  /// Nil, because a store without a disk has no damaged records.
  package var damageNotice: String? { nil }
}

/// Records in the data folder's `agent.sqlite`.
final class StoredRecords: AgentRecords {
  private let store: SQLiteRecordStore
  private var repairNotice: String?

  init(folder: String, survivesPowerCut: Bool = true) throws(StorageFailure) {
    let path = Self.file(in: folder)
    if case .repaired(let repair) = try SQLiteRecordStore.inspect(path: path) {
      repairNotice =
        "agent.sqlite was damaged (\(repair.damage)): "
        + (repair.rowsKept == 1 ? "1 record was" : "\(repair.rowsKept) records were")
        + " recovered, and the damaged file was kept as \(repair.asideFile)"
    }
    store = try SQLiteRecordStore(path: path, survivesPowerCut: survivesPowerCut)
  }

  var damageNotice: String? {
    let setAside: String? =
      switch store.damage.count {
      case 0: nil
      case 1: "agent.sqlite had 1 damaged record, which was moved to its table set_aside"
      case let count:
        "agent.sqlite had \(count) damaged records, which were moved to its table set_aside"
      }
    let notices = [repairNotice, setAside].compactMap(\.self)
    return notices.isEmpty ? nil : notices.joined(separator: "; ")
  }

  /// Returns the path of the store's file.
  static func file(in folder: String) -> String { folder + "/agent.sqlite" }

  func commit(_ changes: [RecordChange]) throws(StorageFailure) {
    try store.commit(
      changes.map { change in
        switch change {
        case .put(let collection, let key, let value):
          .put(collection: collection.rawValue, key: key, value: value)
        case .remove(let collection, let key):
          .remove(collection: collection.rawValue, key: key)
        }
      })
  }

  func load(_ collection: RecordCollection) throws(StorageFailure) -> [(String, [UInt8])] {
    try store.load(collection.rawValue).map { ($0.key, $0.value) }
  }

  func forEach(_ collection: RecordCollection, _ body: (String, [UInt8]) -> Void)
    throws(StorageFailure)
  {
    try store.forEach(collection.rawValue) { body($0.key, $0.value) }
  }

  func forEachSize(_ collection: RecordCollection, _ body: (String, Int) -> Void)
    throws(StorageFailure)
  {
    try store.forEachSize(collection.rawValue, body)
  }

  func value(_ collection: RecordCollection, key: String) throws(StorageFailure) -> [UInt8]? {
    try store.value(collection.rawValue, key: key)
  }
}

extension RestoredRecords {
  /// Reads all records that the model needs at startup.
  package init(from records: any AgentRecords) throws(StorageFailure) {
    var collections: [RecordCollection: [(key: String, value: [UInt8])]] = [:]
    for collection in RecordCollection.allCases where collection != .pending {
      var read: [(key: String, value: [UInt8])] = []
      try records.forEach(collection) { read.append(($0, $1)) }
      collections[collection] = read
    }
    var pending: [(key: String, bytes: Int)] = []
    try records.forEachSize(.pending) { pending.append((key: $0, bytes: $1)) }
    self.init(collections, pendingBytes: pending)
  }
}
