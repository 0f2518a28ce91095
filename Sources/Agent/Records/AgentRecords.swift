import BelfryWire
import Storage
import System

/// Where the agent's records are kept; confined to its loop.
protocol AgentRecords: AnyObject {
  /// Keeps all changes or none; durable when it returns.
  func commit(_ changes: [RecordChange]) throws(StorageFailure)
  /// Keys and values of a collection, in order of the keys.
  func load(_ collection: RecordCollection) throws(StorageFailure) -> [(String, [UInt8])]
  /// Calls `body` with each key and value of a collection that memory must not hold whole.
  func forEach(_ collection: RecordCollection, _ body: (String, [UInt8]) -> Void)
    throws(StorageFailure)
  /// The value of a key; nil when there is none.
  func value(_ collection: RecordCollection, key: String) throws(StorageFailure) -> [UInt8]?
}

/// Records in the data folder's `agent.sqlite`.
final class StoredRecords: AgentRecords {
  private let store: SQLiteRecordStore

  init(folder: String, survivesPowerCut: Bool = true) throws(StorageFailure) {
    store = try SQLiteRecordStore(
      path: folder + "/agent.sqlite", survivesPowerCut: survivesPowerCut)
  }

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

extension DeviceModel {
  /// Puts back what was kept.
  ///
  /// A damaged record is passed over; gives their names.
  mutating func restore(from records: any AgentRecords) throws(StorageFailure) -> [String] {
    var damaged: [String] = []
    for (key, value) in try records.load(.apps) {
      guard let object = (try? JSONValue(parsing: value))?.objectValue,
        let record = LocalApp(json: object)
      else {
        damaged.append("app \(key)")
        continue
      }
      restore(record)
    }
    for (key, value) in try records.load(.delivered) {
      guard let entry = DeliveredList.Entry(record: value), apps[entry.key.app] != nil else {
        damaged.append("notification \(key)")
        continue
      }
      delivered.restore(entry)
    }
    for (key, value) in try records.load(.seen) {
      guard let number = UInt64(key), let id = NotificationID(value.span) else { continue }
      seen.restore(id, number: number)
    }
    for (key, value) in try records.load(.responses) { restoreResponse(key: key, record: value) }
    for (key, value) in try records.load(.fetches) { restoreHeld(key: key, record: value) }
    for (key, value) in try records.load(.device) {
      let text = String(decoding: value, as: UTF8.self)
      switch key {
      case "languages": languages = text.split(separator: ",").map(String.init)
      case "location": isLocationOn = text == "on"
      default:
        guard key.hasPrefix("budget/"), let app = AppID(String(key.dropFirst(7))),
          let object = (try? JSONValue(parsing: value))?.objectValue
        else { break }
        budgets[app] = BackgroundBudget(json: object)
      }
    }
    return damaged
  }
}
