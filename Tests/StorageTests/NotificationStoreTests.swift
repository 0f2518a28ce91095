import BelfryWire
import Glibc
import Synchronization
import System
import TestSupport
import Testing

@testable import Storage

@Suite struct NotificationStoreTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test
  func `the memory store does what every store must`() throws {
    try StoreConformance { MemoryNotificationStore() }.check()
  }

  @Test
  func `the SQLite store does what every store must`() throws {
    let folder = folder
    let number = MetricRegistry().counter("stores", help: "Made.")
    try StoreConformance {
      number.add()
      return try SQLiteNotificationStore(path: folder.file("store\(number.value).db"))
    }.check()
  }

  @Test
  func `committed notifications are still there after reopening, in a file of mode 0600`() throws {
    let path = folder.file("store.db")
    let store = try SQLiteNotificationStore(path: path)
    try store.commit((1...3).map { .put(sample($0), keep: .max) })
    store.close()
    #expect(try FileSystem.mode(of: path) == 0o600)
    let again = try SQLiteNotificationStore(path: path)
    #expect(try again.load(device: 1).map(\.sequence) == [1, 2, 3])
    #expect(try again.highestSequence() == 3)
  }

  @Test
  func `a file of another kind is refused and left unchanged`() throws {
    let text = folder.file("text.db")
    try FileSystem.write(Array("not a database, but long enough to be read as one".utf8), to: text)
    expectForeign(text)
    #expect(
      try FileSystem.read(text, limit: 100)
        == Array("not a database, but long enough to be read as one".utf8))
    let control = folder.file("control.db")
    try SQLiteControlStore(path: control).close()
    expectForeign(control)
    let foreign = folder.file("foreign.db")
    let other = try SQLiteDatabase(
      path: foreign, schema: .init(applicationID: 0, migrations: ["CREATE TABLE t (x)"]))
    other.close()
    expectForeign(foreign)
  }

  @Test
  func `a newer schema is refused`() throws {
    let path = folder.file("store.db")
    try SQLiteNotificationStore(path: path).close()
    let database = try SQLiteDatabase(
      path: path,
      schema: .init(
        applicationID: 0x4266_6E01,
        migrations: [
          "SELECT 1", "SELECT 1", "SELECT 1", "SELECT 1", "SELECT 1",
          "CREATE TABLE later (x INTEGER) STRICT",
        ]))
    database.close()
    #expect {
      try SQLiteNotificationStore(path: path)
    } throws: { error in
      if case StorageFailure.newerSchema(_, version: 6, known: 5) = error { true } else { false }
    }
  }

  @Test
  func `a store in a missing folder cannot be opened`() throws {
    #expect(throws: StorageFailure.self) {
      try SQLiteNotificationStore(path: folder.file("missing/store.db"))
    }
  }

  @Test
  func `a full disk fails the whole batch, and the store recovers afterward`() throws {
    let path = folder.file("store.db")
    let now = Mutex(Int64(0))
    let store = try SQLiteNotificationStore(path: path) { now.withLock { $0 } }
    try store.commit([.put(sample(1), keep: .max)])
    try store.limitSize(pages: 20)
    let large = (2...200).map { sequence in
      StoreOperation.put(sample(sequence, payload: [UInt8](repeating: 1, count: 4_000)), keep: .max)
    }
    #expect {
      try store.commit(large)
    } throws: { error in
      if case StorageFailure.diskFull = error { true } else { false }
    }
    #expect(try store.load(device: 1).map(\.sequence) == [1])
    #expect(store.health?.failure != nil)
    // The store stops using the disk for a short time and then tries again.
    #expect(throws: StorageFailure.self) { try store.commit([.put(sample(300), keep: .max)]) }
    now.withLock { $0 += 100_000_000 }
    try store.commit([.put(sample(300), keep: .max)])
    #expect(try store.load(device: 1).map(\.sequence) == [1, 300])
    #expect(store.health?.failure == nil)
  }

  @Test
  func `a store that another process holds fails as busy`() throws {
    let path = folder.file("store.db")
    let now = Mutex(Int64(0))
    let store = try SQLiteNotificationStore(path: path) { now.withLock { $0 } }
    let holder = try SQLiteDatabase(
      path: path,
      schema: .init(
        applicationID: 0x4266_6E01,
        migrations: ["SELECT 1", "SELECT 1", "SELECT 1", "SELECT 1", "SELECT 1"]))
    try holder.execute("BEGIN IMMEDIATE")
    try store.disableBusyTimeout()
    #expect {
      try store.commit([.put(sample(1), keep: 1)])
    } throws: { error in
      if case StorageFailure.busy = error { true } else { false }
    }
    try holder.execute("ROLLBACK")
    now.withLock { $0 += 100_000_000 }
    try store.commit([.put(sample(1), keep: 1)])
    #expect(try store.count() == 1)
  }

  private func expectForeign(_ path: String) {
    #expect {
      try SQLiteNotificationStore(path: path)
    } throws: { error in
      if case StorageFailure.foreign = error { true } else { false }
    }
  }

  private func sample(_ sequence: UInt64, payload: [UInt8] = [1]) -> StoredNotification {
    .sample(sequence, NotificationKey(device: 1, app: 1, kind: 1), payload: payload)
  }
}
