import PushWire
import TestSupport
import Testing

@testable import Storage

@Suite struct NotificationIndexTests {
  private func insert(
    _ index: inout NotificationIndex, _ key: NotificationKey, sequence: UInt64, position: UInt64,
    expiration: Int64 = .max
  ) throws {
    let row = index.makeRow(
      key, sequence: sequence, position: position, expiration: expiration, recordBytes: 331,
      hasCollapseID: false)
    index.insert(try #require(row))
  }

  @Test func `The index agrees with a dictionary, also for large numbers`() throws {
    var random = SeededGenerator(seed: 7)
    var index = NotificationIndex()
    var model: [NotificationKey: [UInt64: Int64]] = [:]
    for step in UInt64(1)...20_000 {
      let key = NotificationKey(
        device: .random(in: 0...300, using: &random) &* (step % 3 == 0 ? 1 : .max / 300),
        app: .random(in: 1...3, using: &random), kind: 1)
      var sequence = UInt64.random(in: 1...40, using: &random)
      if step % 11 == 0 { sequence += 1 << 48 }
      if index.row(key, sequence: sequence) == nil, step % 5 != 0 || model[key] == nil {
        let expiration = [Int64.max, Int64(step), -Int64(step), 1 << 40][Int(step % 4)]
        try insert(&index, key, sequence: sequence, position: step, expiration: expiration)
        model[key, default: [:]][sequence] = expiration
      } else {
        #expect((index.remove(key, sequence: sequence) != nil) == (model[key]?[sequence] != nil))
        model[key]?[sequence] = nil
        if model[key]?.isEmpty == true { model[key] = nil }
      }
    }
    index.checkInvariants()
    #expect(index.count == model.values.reduce(0) { $0 + $1.count })
    for (key, rows) in model {
      #expect(index.rows(of: key).map(\.sequence) == rows.keys.sorted())
      #expect(
        index.excess(of: key, keep: 3).map(\.sequence) == Array(rows.keys.sorted().dropLast(3)))
    }
    let devices = Set(model.keys.map(\.device))
    #expect(index.devices() == devices.sorted())
    for device in devices {
      let all = model.filter { $0.key.device == device }.flatMap(\.value.keys).sorted()
      #expect(index.rows(ofDevice: device).map(\.sequence) == all)
      #expect(
        index.rows(ofDevice: device, after: 20, limit: 4).map(\.sequence)
          == Array(all.filter { $0 > 20 }.prefix(4)))
    }
    let expired = model.values.flatMap { $0 }.filter { $0.value < 10_000 }
      .map { ($0.value, $0.key) }.sorted { $0 < $1 }
    for limit in [1, 7, 100, .max] {
      let found = index.expired(before: 10_000, limit: limit).map { ($0.expiration, $0.sequence) }
      #expect(found.elementsEqual(expired.prefix(limit)) { $0 == $1 })
    }
  }

  @Test func `A row takes at most 32 bytes, also after most rows are gone`() throws {
    var index = NotificationIndex()
    var random = SeededGenerator(seed: 3)
    let devices = (0..<100_000).map { _ in random.next() }
    for (number, device) in devices.enumerated() {
      try insert(
        &index, NotificationKey(device: device, app: 1, kind: 1), sequence: UInt64(number) + 1,
        position: UInt64(number) + 1)
    }
    #expect(index.allocatedBytes <= 32 * devices.count, "\(index.allocatedBytes)")
    for (number, device) in devices.enumerated() where number % 20 != 0 {
      #expect(
        index.remove(
          NotificationKey(device: device, app: 1, kind: 1), sequence: UInt64(number) + 1) != nil)
    }
    #expect(index.count == 5_000)
    #expect(index.allocatedBytes <= 32 * 5_000, "\(index.allocatedBytes)")
    for (number, device) in devices.enumerated() where number % 20 == 0 {
      _ = index.remove(
        NotificationKey(device: device, app: 1, kind: 1), sequence: UInt64(number) + 1)
    }
    #expect(index.count == 0 && index.byteCount == 0 && index.allocatedBytes < 1_000)
  }

  @Test func `Rows of one device in order of sequence leave full leaves`() throws {
    var index = NotificationIndex()
    for sequence in UInt64(1)...50_000 {
      try insert(
        &index, NotificationKey(device: 9, app: 1, kind: 1), sequence: sequence, position: sequence)
    }
    #expect(index.allocatedBytes <= 30 * 50_000, "\(index.allocatedBytes)")
  }

  @Test func `The IDs of the newest notifications are found, and the memory for them is bounded`() {
    var recent = RecentIDs()
    let id = { (position: UInt64) in
      NotificationID(high: position, low: 1, isLowercase: position % 2 == 0)
    }
    for position in UInt64(1)...2_000_000 {
      recent.fit(rows: Int(position))
      recent.insert(position, id(position), id(~position))
    }
    #expect(recent.slotCount == RecentIDs.slotsMax)
    #expect(recent.ids(at: 1) == nil)
    for position in UInt64(1_999_000)...2_000_000 {
      #expect(recent.ids(at: position)?.id.text == id(position).text)
      #expect(recent.ids(at: position)?.uniqueID == id(~position))
    }
    for _ in 0..<30 { recent.fit(rows: 10) }
    #expect(recent.slotCount < 100_000)
    #expect(recent.ids(at: 2_000_000)?.id == id(2_000_000), "the newest ones remain")
    #expect(recent.ids(at: 2_000_001) == nil)
  }
}
