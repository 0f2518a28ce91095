import PushWire
public import Storage
import Testing

/// A suite of checks for the requirements that every implementation of `NotificationStore` must meet.
///
/// Each check gets a new store from `make`.
public struct StoreConformance<Store: NotificationStore>: Sendable {
  private let make: @Sendable () throws -> Store

  /// Creates the suite for the stores that `make` creates.
  ///
  /// Each store must be empty.
  public init(_ make: @escaping @Sendable () throws -> Store) { self.make = make }

  /// Runs every check in the suite.
  public func check() throws {
    try keepsWhatWasPut()
    try keepsTheNewestOnly()
    try keepsTheNewestN()
    try keepsAll()
    try keepsOrderWhateverTheOrderOfPutting()
    try replacesByCollapseID()
    try removesOneWhenAcknowledged()
    try withdrawsByUniqueID()
    try removesAKeyAndADevice()
    try removesWhatHasExpired()
    try removesWhatHasExpiredInSlices()
    try putsTwiceWithoutChange()
    try carriesOutInOrder()
    try loadsInPages()
    try remembersTheHighestSequence()
    try tellsWhatWasDropped()
    try tellsTheSpellingOfDroppedIDs()
    try carriesExtremes()
    try agreesWithAModel()
    try refusesAfterClosing()
  }

  private func keepsWhatWasPut() throws {
    let store = try make()
    let notification = sample(1, payload: [0, 1, 2, 255], collapse: [0x61])
    try store.commit([.put(notification, keep: 1)])
    #expect(try store.load(device: 1) == [notification])
    #expect(try store.load(device: 2) == [])
    #expect(try store.count() == 1)
    #expect(try store.devices() == [1])
  }

  private func keepsTheNewestOnly() throws {
    let store = try make()
    let other = NotificationKey(device: 1, app: 1, kind: 2)
    try store.commit([
      .put(sample(1), keep: 1), .put(sample(2, other), keep: 1), .put(sample(3), keep: 1),
    ])
    #expect(try sequences(store) == [2, 3])
    try store.commit([.put(sample(4), keep: 1)])
    #expect(try sequences(store) == [2, 4])
  }

  private func keepsTheNewestN() throws {
    let store = try make()
    try store.commit((1...5).map { .put(sample($0), keep: 3) })
    #expect(try sequences(store) == [3, 4, 5])
    try store.commit([.put(sample(6), keep: 2)])
    #expect(try sequences(store) == [5, 6])
  }

  private func keepsAll() throws {
    let store = try make()
    try store.commit((1...50).map { .put(sample($0), keep: .max) })
    #expect(try sequences(store) == Array(1...50))
  }

  private func keepsOrderWhateverTheOrderOfPutting() throws {
    let store = try make()
    try store.commit([5, 2, 9, 1].map { .put(sample($0), keep: .max) })
    #expect(try sequences(store) == [1, 2, 5, 9])
    try store.commit([.put(sample(7), keep: 1)])
    #expect(try sequences(store) == [9])
  }

  private func replacesByCollapseID() throws {
    let store = try make()
    try store.commit([
      .put(sample(1, collapse: [1]), keep: .max), .put(sample(2, collapse: [2]), keep: .max),
      .put(sample(3), keep: .max), .put(sample(4), keep: .max),
      .put(sample(5, collapse: [1]), keep: .max),
    ])
    #expect(try sequences(store) == [2, 3, 4, 5])
    // Collapse IDs for different keys are independent.
    let other = NotificationKey(device: 1, app: 2, kind: 1)
    try store.commit([.put(sample(6, other, collapse: [1]), keep: .max)])
    #expect(try sequences(store) == [2, 3, 4, 5, 6])
  }

  private func removesOneWhenAcknowledged() throws {
    let store = try make()
    try store.commit([.put(sample(1), keep: .max), .put(sample(2), keep: .max)])
    #expect(try store.commit([.remove(key, sequence: 1)]).isEmpty)
    #expect(try sequences(store) == [2])
    // Removing the number of another key, an unknown number, or a number that was already removed has no effect.
    let other = NotificationKey(device: 1, app: 9, kind: 1)
    try store.commit([
      .remove(other, sequence: 2), .remove(key, sequence: 8), .remove(key, sequence: 1),
    ])
    #expect(try sequences(store) == [2])
  }

  private func withdrawsByUniqueID() throws {
    let store = try make()
    let other = NotificationKey(device: 1, app: 2, kind: 1)
    let id = sample(2).uniqueID
    try store.commit([
      .put(sample(1), keep: .max), .put(sample(2, expiration: 2_000_000_000), keep: .max),
      .put(sample(3, other), keep: .max),
    ])
    #expect(
      try store.times(key, uniqueID: id)
        == StoredTimes(
          acceptedMilliseconds: sample(2).acceptedMilliseconds, expiration: 2_000_000_000))
    #expect(try store.times(other, uniqueID: id) == nil)
    // The unique ID of another key's notification, and that of a notification that is gone, have no effect.
    let dropped = try store.commit([
      .withdraw(other, uniqueID: id), .withdraw(key, uniqueID: id), .withdraw(key, uniqueID: id),
    ])
    #expect(dropped.map(\.sequence) == [2])
    #expect(dropped.map(\.reason) == [.withdrawn])
    #expect(dropped.map(\.operation) == [1])
    #expect(dropped.map(\.uniqueID) == [id])
    #expect(try sequences(store) == [1, 3])
    #expect(try store.times(key, uniqueID: id) == nil)
    let both = try store.commit([
      .put(sample(4), keep: .max), .withdraw(key, uniqueID: sample(4).uniqueID),
    ])
    #expect(both.map(\.sequence) == [4])
    #expect(try sequences(store) == [1, 3])
  }

  private func removesAKeyAndADevice() throws {
    let store = try make()
    let other = NotificationKey(device: 1, app: 2, kind: 1)
    let stranger = NotificationKey(device: 2, app: 1, kind: 1)
    let puts: [StoreOperation] = [
      .put(sample(1), keep: .max), .put(sample(2, other), keep: .max),
      .put(sample(3, stranger), keep: .max), .put(sample(4), keep: .max),
    ]
    try store.commit(puts)
    try store.commit([.removeKey(key)])
    #expect(try sequences(store) == [2])
    try store.commit([.removeDevice(1)])
    #expect(try sequences(store) == [])
    #expect(try store.devices() == [2])
    #expect(try store.count() == 1)
  }

  private func removesWhatHasExpired() throws {
    let store = try make()
    try store.commit([
      .put(sample(1, expiration: 100), keep: .max), .put(sample(2, expiration: 101), keep: .max),
      .put(sample(3, expiration: .max), keep: .max),
    ])
    let dropped = try store.commit([.removeExpired(beforeUnixSeconds: 101, limit: 10)])
    #expect(dropped.map(\.sequence) == [1])
    #expect(try sequences(store) == [2, 3])
  }

  private func removesWhatHasExpiredInSlices() throws {
    let store = try make()
    // A notification that was accepted later expires earlier. Two of the notifications expire at the same time.
    try store.commit(
      [50, 40, 30, 30, 10].enumerated().map { index, expiration in
        .put(sample(UInt64(index) + 1, expiration: expiration), keep: .max)
      })
    let sweep = StoreOperation.removeExpired(beforeUnixSeconds: 50, limit: 2)
    #expect(try store.commit([sweep]).map(\.sequence) == [3, 5])
    #expect(try sequences(store) == [1, 2, 4])
    #expect(try store.commit([sweep]).map(\.sequence) == [2, 4])
    #expect(try store.commit([sweep]).isEmpty)
    #expect(try sequences(store) == [1])
  }

  private func putsTwiceWithoutChange() throws {
    let store = try make()
    try store.commit([.put(sample(1), keep: 1)])
    #expect(try store.commit([.put(sample(1), keep: 1)]).isEmpty)
    #expect(try sequences(store) == [1])
    #expect(try store.count() == 1)
  }

  private func carriesOutInOrder() throws {
    let store = try make()
    try store.commit([
      .put(sample(1), keep: 1), .removeKey(key), .put(sample(2), keep: 1), .removeDevice(1),
      .put(sample(3), keep: 1), .remove(key, sequence: 3), .put(sample(4), keep: 1),
    ])
    #expect(try sequences(store) == [4])
    #expect(try store.commit([]).isEmpty)
  }

  private func loadsInPages() throws {
    let store = try make()
    try store.commit((1...5).map { .put(sample($0), keep: .max) })
    #expect(try store.load(device: 1, after: 0, limit: 2).map(\.sequence) == [1, 2])
    #expect(try store.load(device: 1, after: 2, limit: 2).map(\.sequence) == [3, 4])
    #expect(try store.load(device: 1, after: 4, limit: 2).map(\.sequence) == [5])
    #expect(try store.load(device: 1, after: .max, limit: 2).isEmpty)
  }

  private func remembersTheHighestSequence() throws {
    let store = try make()
    #expect(try store.highestSequence() == 0)
    try store.commit([.put(sample(7), keep: 1), .put(sample(5), keep: 1)])
    try store.commit([.removeDevice(1)])
    #expect(try store.highestSequence() == 7)
  }

  private func tellsWhatWasDropped() throws {
    let store = try make()
    try store.commit((1...3).map { .put(sample($0), keep: .max) })
    let dropped = try store.commit([
      .remove(key, sequence: 2), .put(sample(4), keep: 1), .removeKey(key),
    ])
    #expect(dropped.map(\.sequence) == [1, 3, 4])
    #expect(dropped.map(\.reason) == [.replaced, .replaced, .unregistered])
    #expect(dropped.map(\.operation) == [1, 1, 2])
    #expect(dropped.first?.key == key)
    #expect(dropped.first?.id == sample(1).id)
    #expect(dropped.first?.uniqueID == sample(1).uniqueID)
  }

  private func tellsTheSpellingOfDroppedIDs() throws {
    let store = try make()
    let ids = [true, false].map { NotificationID(high: .max, low: .max, isLowercase: $0) }
    var puts: [StoreOperation] = []
    for (index, id) in ids.enumerated() {
      let sample = sample(UInt64(index) + 1)
      puts.append(
        .put(
          StoredNotification(
            key: key, sequence: sample.sequence, id: id, uniqueID: sample.uniqueID,
            expiration: sample.expiration, priority: sample.priority, pushType: sample.pushType,
            collapseID: [], payload: sample.payload,
            acceptedMilliseconds: sample.acceptedMilliseconds), keep: .max))
    }
    try store.commit(puts)
    let dropped = try store.commit([.removeKey(key)])
    // Two spellings of an ID are equal as values, so compare the strings.
    #expect(dropped.map(\.id.text) == ids.map(\.text))
  }

  private func carriesExtremes() throws {
    let store = try make()
    let extreme = NotificationKey(device: .max, app: .max, kind: .max)
    let notification = StoredNotification(
      key: extreme, sequence: UInt64(Int64.max),
      id: NotificationID(high: .max, low: .max, isLowercase: true),
      uniqueID: NotificationID(high: 0, low: 0),
      expiration: .max, priority: .max, pushType: .max,
      collapseID: [UInt8](repeating: 0, count: 64),
      payload: [UInt8](repeating: 0xFF, count: 5_120), acceptedMilliseconds: .max)
    try store.commit([.put(notification, keep: .max - 1)])
    #expect(try store.load(device: .max) == [notification])
    #expect(try store.load(device: .max).first?.id.text == notification.id.text)
    #expect(try store.devices() == [.max])
    #expect(try store.highestSequence() == UInt64(Int64.max))
  }

  /// Compares the results of random operations with those of the in-memory store, which is simple enough to serve as
  /// the model.
  private func agreesWithAModel() throws {
    for seed in UInt64(1)...3 {
      let store = try make()
      let model = MemoryNotificationStore()
      var random = SeededGenerator(seed: seed)
      var sequence: UInt64 = 0
      for _ in 0..<60 {
        let batch = (0..<Int.random(in: 1...20, using: &random)).map { _ in
          randomOperation(&sequence, &random)
        }
        #expect(try store.commit(batch) == model.commit(batch), "seed \(seed)")
        try store.checkInvariants()
        try model.checkInvariants()
      }
      for device in UInt64(1)...3 {
        #expect(try store.load(device: device) == model.load(device: device), "seed \(seed)")
      }
      #expect(try store.count() == model.count())
      #expect(try store.devices() == model.devices())
      #expect(try store.highestSequence() == model.highestSequence())
    }
  }

  private func refusesAfterClosing() throws {
    let store = try make()
    store.close()
    #expect(throws: StorageFailure.self) { try store.commit([.removeDevice(1)]) }
    #expect(throws: StorageFailure.self) { try store.load(device: 1) }
    #expect(throws: StorageFailure.self) { try store.highestSequence() }
    #expect(throws: StorageFailure.self) {
      try store.times(key, uniqueID: NotificationID(high: 2, low: 1))
    }
  }

  private func randomOperation(
    _ sequence: inout UInt64, _ random: inout SeededGenerator
  ) -> StoreOperation {
    let key = NotificationKey(
      device: .random(in: 1...3, using: &random), app: .random(in: 1...2, using: &random), kind: 1)
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return .removeDevice(key.device)
    case 1: return .removeKey(key)
    case 2:
      return .removeExpired(
        beforeUnixSeconds: .random(in: 0...20, using: &random),
        limit: .random(in: 1...5, using: &random))
    case 8:
      return .withdraw(
        key, uniqueID: NotificationID(high: 2, low: .random(in: 0...sequence, using: &random)))
    case 3..<8: return .remove(key, sequence: .random(in: 0...sequence, using: &random))
    default:
      sequence += 1
      let collapse: [UInt8] =
        Bool.random(using: &random) ? [] : [.random(in: 1...3, using: &random)]
      let keep: UInt32 = [1, 1, 2, 5, .max].randomElement(using: &random) ?? 1
      return .put(
        sample(
          sequence, key, collapse: collapse, expiration: .random(in: 0...40, using: &random)),
        keep: keep)
    }
  }

  private func sequences(_ store: Store) throws -> [UInt64] {
    try store.load(device: 1).map(\.sequence)
  }

  private var key: NotificationKey { NotificationKey(device: 1, app: 1, kind: 1) }

  private func sample(
    _ sequence: UInt64, _ key: NotificationKey? = nil, payload: [UInt8] = [0x7B, 0x7D],
    collapse: [UInt8] = [], expiration: Int64 = .max
  ) -> StoredNotification {
    .sample(
      sequence, key ?? self.key, payload: payload, collapse: collapse, expiration: expiration)
  }
}

extension StoredNotification {
  /// Returns a notification whose IDs contain `sequence`.
  public static func sample(
    _ sequence: UInt64, _ key: NotificationKey, payload: [UInt8] = [0x7B, 0x7D],
    collapse: [UInt8] = [], expiration: Int64 = .max
  ) -> StoredNotification {
    StoredNotification(
      key: key, sequence: sequence, id: NotificationID(high: 1, low: sequence),
      uniqueID: NotificationID(high: 2, low: sequence), expiration: expiration, priority: 10,
      pushType: 1, collapseID: collapse, payload: payload, acceptedMilliseconds: 1_700_000_000_000)
  }
}
