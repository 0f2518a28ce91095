import Storage

/// The gateway's notification store.
///
/// It removes records after a few commits, and only a few at once, so that the power often fails during a removal.
enum NotificationsUnderPowerCuts: PowerCutSubject {
  enum Operation {
    case commit([StoreOperation])
    case epoch(UInt32)
    /// The removal of records that are no longer needed, which does not change the contents.
    case sweep(slices: Int)
  }

  struct Contents: Equatable {
    var rows: [StoredNotification]
    var highest: UInt64
    var epoch: UInt32
  }

  static let name = "notifications"

  static func open(
    path: String, now: @escaping @Sendable () -> Int64
  ) throws(PowerCutFault) -> SQLiteNotificationStore {
    try open(path: path, pace: pace, now: now)
  }

  static var pace: SweepPace {
    var pace = SweepPace()
    pace.slackBytes = 8_192
    pace.liveTenths = 5
    pace.sliceRecordsMin = 3
    pace.removedPerChanged = 0
    pace.pagesPerSlice = 2
    return pace
  }

  static func open(
    path: String, pace: SweepPace, now: @escaping @Sendable () -> Int64
  ) throws(PowerCutFault) -> SQLiteNotificationStore {
    try inspectThenOpen(path) { path throws(StorageFailure) in
      try SQLiteNotificationStore.inspect(path: path)
    } open: { () throws(StorageFailure) in
      try SQLiteNotificationStore(path: path, pace: pace, now: now)
    } lost: { store throws(StorageFailure) in
      guard store.damage.count == 0 else {
        throw .corrupt(path: path, detail: "rows were set aside: \(store.damage.summary ?? "")")
      }
      return try store.lostCount()
    }
  }

  static func close(_ store: SQLiteNotificationStore) { store.close() }

  static func operation(
    after contents: Contents, number: UInt64, _ random: inout SeededGenerator
  ) -> Operation {
    if random.chance(0.02) { return .epoch(UInt32(random.draw(1...1_000))) }
    if random.chance(0.4) { return .sweep(slices: random.draw(1...20)) }
    var sequence = contents.highest
    let most = random.chance(0.1) ? 60 : 8
    let largest = random.chance(0.5) ? 4_096 : 200
    let operations: [StoreOperation] = (0..<random.draw(1...most)).map { _ in
      let key = NotificationKey(
        device: UInt64(random.draw(1...6)), app: UInt32(random.draw(1...2)), kind: 1)
      switch random.draw(0...9) {
      case 0: return .removeKey(key)
      case 1 where random.chance(0.2): return .removeDevice(key.device)
      case 2: return .removeExpired(beforeUnixSeconds: Int64(random.draw(1...100)), limit: 5)
      case 3...5:
        guard let row = contents.rows.randomElement(using: &random) else { fallthrough }
        return random.chance(0.3)
          ? .withdraw(row.key, uniqueID: row.uniqueID) : .remove(row.key, sequence: row.sequence)
      default:
        sequence += 1
        let row = StoredNotification.sample(
          sequence, key, payload: random.bytes(0...largest),
          collapse: random.chance(0.2) ? [UInt8(random.draw(1...3))] : [],
          expiration: random.chance(0.3) ? Int64(random.draw(1...200)) : .max)
        return .put(row, keep: [1, 3, .max, .max][random.draw(0...3)])
      }
    }
    return .commit(operations)
  }

  static func perform(
    _ operation: Operation, on store: SQLiteNotificationStore
  ) throws(StorageFailure) {
    switch operation {
    case .commit(let operations): try store.commit(operations)
    case .epoch(let number): try store.putEpoch(number)
    case .sweep(let slices):
      for _ in 0..<slices where !store.sweep() { return }
    }
  }

  static func contents(of store: SQLiteNotificationStore) throws(StorageFailure) -> Contents {
    try store.checkInvariants()
    return try read(store)
  }

  /// Returns the contents without checking the store's invariants.
  static func read(_ store: SQLiteNotificationStore) throws(StorageFailure) -> Contents {
    var rows: [StoredNotification] = []
    for device in try store.devices() { rows += try store.load(device: device) }
    return Contents(rows: rows, highest: try store.highestSequence(), epoch: try store.epoch())
  }

  static func records(_ contents: Contents) -> Set<String> {
    Set(contents.rows.map { "\($0)" })
  }

  static func difference(_ expected: Contents, _ found: Contents) -> String {
    let missing = Set(expected.rows).subtracting(found.rows).map(\.sequence).sorted()
    let invented = Set(found.rows).subtracting(expected.rows).map(\.sequence).sorted()
    return "missing \(missing), not acknowledged \(invented), highest \(found.highest) "
      + "instead of \(expected.highest), epoch \(found.epoch) instead of \(expected.epoch)"
  }
}
