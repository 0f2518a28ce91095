import Storage

/// The records of a device's agent.
enum RecordsUnderPowerCuts: PowerCutSubject {
  typealias Contents = [[SQLiteRecordStore.Record]]

  static let name = "records"
  private static let collections = ["app", "delivered", "schedule"]

  static func open(
    path: String, now: @escaping @Sendable () -> Int64
  ) throws(PowerCutFault) -> SQLiteRecordStore {
    try inspectThenOpen(path) { path throws(StorageFailure) in
      try SQLiteRecordStore.inspect(path: path)
    } open: { () throws(StorageFailure) in
      try SQLiteRecordStore(path: path)
    } lost: { _ throws(StorageFailure) in
      0
    }
  }

  /// Does nothing, because the file is closed when the last reference is released.
  static func close(_ store: SQLiteRecordStore) {}

  static func operation(
    after contents: Contents, number: UInt64, _ random: inout SeededGenerator
  ) -> [SQLiteRecordStore.Change] {
    let most = random.chance(0.1) ? 80 : 4
    return (0..<random.draw(1...most)).map { _ in
      let collection = collections[random.draw(0...2)]
      let key = "\(random.draw(1...200))"
      if random.chance(0.3) { return .remove(collection: collection, key: key) }
      return .put(collection: collection, key: key, value: random.bytes(0...5_000))
    }
  }

  static func perform(
    _ operation: [SQLiteRecordStore.Change], on store: SQLiteRecordStore
  ) throws(StorageFailure) { try store.commit(operation) }

  static func contents(of store: SQLiteRecordStore) throws(StorageFailure) -> Contents {
    var all: Contents = []
    for collection in collections { all.append(try store.load(collection)) }
    return all
  }

  static func records(_ contents: Contents) -> Set<String> {
    Set(contents.joined().map { "\($0)" })
  }

  static func difference(_ expected: Contents, _ found: Contents) -> String {
    "expected \(expected.map(\.count)) records, found \(found.map(\.count)); their content differs"
  }
}
