import BelfryWire
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite struct StoreHealthTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func put(_ sequence: UInt64) -> StoreOperation {
    .put(.sample(sequence, NotificationKey(device: 1, app: 1, kind: 1)), keep: .max)
  }

  @Test func `a store that fails is tried at growing intervals, and told once a minute`() {
    let health = StoreHealth(name: "a")
    let second: Int64 = 1_000_000_000
    let full = StorageFailure.diskFull(path: "a")
    var now: Int64 = 5
    #expect(health.report(atNanoseconds: now) == nil && !health.isRetryDue(atNanoseconds: now))
    var pauses: [Int64] = []
    var reports = 0
    let end = now + 180 * second
    while now < end {
      #expect(health.refusal(atNanoseconds: now) == nil)
      health.writeFailed(full, atNanoseconds: now)
      let failed = now
      while !health.isRetryDue(atNanoseconds: now) {
        #expect(health.refusal(atNanoseconds: now) != nil)
        if health.report(atNanoseconds: now) != nil { reports += 1 }
        now += second / 20
      }
      pauses.append(now - failed)
    }
    #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(pauses.first == second / 10 && pauses.last == 10 * second)
    #expect((3...4).contains(reports), "one report per minute, for three minutes and a pause")
    health.writeSucceeded(atNanoseconds: now)
    #expect(health.failure == nil && health.refusal(atNanoseconds: now) == nil)
    guard case .works(let nanoseconds, _) = health.report(atNanoseconds: now) else {
      Issue.record("the recovery was not reported")
      return
    }
    #expect(nanoseconds == now - 5)
    #expect(health.report(atNanoseconds: now) == nil)
  }

  @Test func `a failed sync closes the engine; the next one makes no file`() throws {
    let now = Mutex(Int64(0))
    let store = try LockedEngine<FailingEngine>(path: folder.file("store")) { now.withLock { $0 } }
    let first = try store.read { engine throws(StorageFailure) in engine.number }
    let failure = StorageFailure.inputOutput(path: "a", operation: "sync", why: "b")
    #expect(throws: StorageFailure.self) {
      try store.write { _ throws(StorageFailure) in throw failure }
    }
    #expect(throws: StorageFailure.self, "the store does not try again during the pause") {
      try store.write { _ throws(StorageFailure) in Issue.record("the store tried again") }
    }
    now.withLock { $0 += 1_000_000_000 }
    let second = try store.write { engine throws(StorageFailure) in
      #expect(!engine.mayCreate)
      return engine.number
    }
    #expect(second != first)
    #expect(store.health.failure != nil, "an operation without changes does not test the disk")
    try store.write { engine throws(StorageFailure) in engine.changeCount += 1 }
    #expect(store.health.failure == nil)
    // If the disk is full, the changes that couldn't be written are rolled back, and the engine continues to work.
    #expect(throws: StorageFailure.self) {
      try store.write { _ throws(StorageFailure) in throw .diskFull(path: "a") }
    }
    now.withLock { $0 += 1_000_000_000 }
    let third = try store.write { engine throws(StorageFailure) in
      engine.changeCount += 1
      return engine.number
    }
    #expect(third == second)
    #expect(throws: StorageFailure.self) {
      try store.write { _ throws(StorageFailure) in throw .exists(what: "a request's own fault") }
    }
    #expect(store.health.failure == nil)
    store.close()
    #expect(throws: StorageFailure.self) { try store.read { _ throws(StorageFailure) in } }
  }

  @Test func `entries missing from a store are detected by its mark and reported until forgotten`()
    throws
  {
    let path = folder.file("store")
    func store() throws -> SQLiteNotificationStore { try SQLiteNotificationStore(path: path) }
    var open = try store()
    for sequence in UInt64(1)...5 { try open.commit([put(sequence)]) }
    open.close()
    let older = try Data(contentsOf: URL(fileURLWithPath: path))
    open = try store()
    #expect(try open.lostCount() == 0)
    try open.commit([
      put(6), put(7), .remove(NotificationKey(device: 1, app: 1, kind: 1), sequence: 1),
    ])
    open.close()
    open = try store()
    #expect(try open.lostCount() == 0, "a shutdown writes everything to the file")
    open.close()
    try older.write(to: URL(fileURLWithPath: path))
    open = try store()
    #expect(try open.lostCount() == 2)
    try open.commit([put(8)])
    #expect(try open.lostCount() == 1, "the commit reduces the count by one")
    try open.forgetLost()
    open.close()
    open = try store()
    #expect(try open.lostCount() == 0)
    open.close()
    // A mark that can't be read has no effect.
    try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path + "-mark"))
    #expect(try store().lostCount() == 0)
  }
}

/// An engine that records how it was opened.
private final class FailingEngine: StoreEngine {
  private static let count = Mutex(0)
  let mayCreate: Bool
  let number: Int
  var changeCount: Int64 = 0

  func setAsideDamage() throws(StorageFailure) {}

  init(path: String, mayCreate: Bool, damage: StoreDamage) throws(StorageFailure) {
    self.mayCreate = mayCreate
    number = Self.count.withLock { count in
      count += 1
      return count
    }
  }
}
