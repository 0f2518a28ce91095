import BelfryWire
import Storage
import System

/// The agent's store of records; confined to its loop.
protocol AgentRecords: AnyObject {
  /// Writes all changes or none; they are durable when it returns.
  func commit(_ changes: [RecordChange]) throws(StorageFailure)
  /// Keys and values of a collection, in order of the keys.
  func load(_ collection: RecordCollection) throws(StorageFailure) -> [(String, [UInt8])]
  /// Calls `body` with each key and value of a collection, without holding all of them in memory.
  func forEach(_ collection: RecordCollection, _ body: (String, [UInt8]) -> Void)
    throws(StorageFailure)
  /// The value of a key; nil when there is none.
  func value(_ collection: RecordCollection, key: String) throws(StorageFailure) -> [UInt8]?
  /// A notice about damaged records, for the user; nil if there are none.
  var damageNotice: String? { get }
}

extension AgentRecords {
  /// Nil: these have no disk.
  var damageNotice: String? { nil }
}

/// Records in the data folder's `agent.sqlite`.
final class StoredRecords: AgentRecords {
  private let store: SQLiteRecordStore
  private var repairNotice: String?

  init(folder: String, survivesPowerCut: Bool = true) throws(StorageFailure) {
    let path = Self.file(in: folder)
    if case .repaired(let repair) = try SQLiteRecordStore.inspect(path: path) {
      repairNotice =
        "agent.sqlite was damaged (\(repair.damage)): \(repair.rowsKept) records are used, and the damaged file is "
        + repair.asideFile
    }
    store = try SQLiteRecordStore(path: path, survivesPowerCut: survivesPowerCut)
  }

  var damageNotice: String? {
    let setAside =
      store.damage.count > 0
      ? "agent.sqlite had \(store.damage.count) damaged records, which are set aside in its table set_aside"
      : nil
    let notices = [repairNotice, setAside].compactMap(\.self)
    return notices.isEmpty ? nil : notices.joined(separator: "; ")
  }

  /// The store's file.
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

  func value(_ collection: RecordCollection, key: String) throws(StorageFailure) -> [UInt8]? {
    try store.value(collection.rawValue, key: key)
  }
}

extension RestoredRecords {
  /// Reads all that the model needs at the start.
  init(from records: any AgentRecords) throws(StorageFailure) {
    var collections: [RecordCollection: [(key: String, value: [UInt8])]] = [:]
    for collection in RecordCollection.allCases where collection != .pending {
      var read: [(key: String, value: [UInt8])] = []
      try records.forEach(collection) { read.append(($0, $1)) }
      collections[collection] = read
    }
    self.init(collections)
  }
}
