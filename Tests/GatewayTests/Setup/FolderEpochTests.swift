import Storage
import TestSupport
import Testing

@testable import Gateway

@Suite struct FolderEpochTests {
  private let scratch: ScratchFolder
  private let control: SQLiteControlStore
  private let notifications: SQLiteNotificationStore

  init() throws {
    scratch = try ScratchFolder()
    control = try SQLiteControlStore(path: scratch.file("control.sqlite"))
    notifications = try SQLiteNotificationStore(path: scratch.file("notifications.sqlite"))
  }

  private func begin() throws -> FolderEpoch { try .begin(in: control, notifications) }

  private func put(_ text: String?) throws {
    try control.apply([
      .putSetting(name: ControlSetting.epoch, value: text.map { Array($0.utf8) })
    ])
  }

  @Test
  func `each start has an epoch of its own, and nothing to tell of a folder that is whole`() throws
  {
    let epochs = try (0..<5).map { _ in try begin() }
    #expect(Set(epochs.map(\.number)).count == 5)
    #expect(epochs.allSatisfy { $0.restoration == nil && $0.number > 0 })
    #expect(try notifications.epoch() == epochs[4].number)
  }

  @Test
  func `a start that ended between its writes is no restoration, however often`() throws {
    let first = try begin()
    // Imitate a start that wrote the control store but not the notification store. Then imitate two such starts in a
    // row.
    try put("77 \(first.number)")
    #expect(try begin().restoration == nil)
    let second = try notifications.epoch()
    try put("78 \(second)")
    try put("79 \(second)")
    #expect(try begin().restoration == nil)
    // Imitate a start that wrote both stores, but whose last write to the control store is missing.
    let third = try notifications.epoch()
    try put("\(third) 79")
    #expect(try begin().restoration == nil)
  }

  @Test
  func `a new database, or one that does not match the other, is reported exactly once`() throws {
    let copy = try begin()
    _ = try begin()
    let latest = try begin()
    try put("\(copy.number) \(copy.number)")
    #expect(try begin().restoration?.contains("do not match") == true)
    #expect(try begin().restoration == nil)
    try put(nil)
    #expect(try begin().restoration?.hasPrefix("control.sqlite is new") == true)
    #expect(try begin().restoration == nil)
    try notifications.putEpoch(0)
    #expect(try begin().restoration?.hasPrefix("notifications.sqlite is new") == true)
    try notifications.putEpoch(latest.number)
    #expect(try begin().restoration?.contains("do not match") == true)
    #expect(try begin().restoration == nil)
  }

  @Test
  func `numbers of an epoch are its own, and every reader of JSON holds them`() {
    var numbers = DeviceNumbers(epoch: .max >> 1)
    let first = numbers.next()
    #expect(first == UInt64(UInt32.max >> 1) << 22 + 1)
    for _ in 1..<(1 << 22) - 1 { _ = numbers.next() }
    #expect(numbers.next() == nil, "an overflowing count would enter another epoch")
    let all = DeviceNumbers.numbers(ofEpoch: .max >> 1)
    #expect(all.upperBound <= 1 << 53)
    #expect(!DeviceNumbers.numbers(ofEpoch: 1).contains(1), "1 is a number of an earlier release")
    #expect(!all.overlaps(DeviceNumbers.numbers(ofEpoch: (.max >> 1) - 1)))
  }
}
