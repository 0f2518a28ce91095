import BelfryWire
import System
import TestSupport
import Testing

@testable import Storage

@Suite struct StoredNotificationCounterTests {
  @Test
  func
    `notifications are counted while the store is open and afterward; a missing file has no count`()
    throws
  {
    let folder = try ScratchFolder()
    let counter = StoredNotificationCounter(path: folder.file("store.sqlite"))
    #expect(counter.count() == nil)
    let store = try SQLiteNotificationStore(path: folder.file("store.sqlite"))
    #expect(counter.count() == 0)
    let key = NotificationKey(device: 1, app: 2, kind: 1)
    try store.commit((1...3).map { .put(.sample($0, key), keep: .max) })
    #expect(counter.count() == 3)
    try store.commit([.remove(key, sequence: 2)])
    #expect(counter.count() == 2)
    store.close()
    #expect(
      !FileSystem.exists(folder.file("store.sqlite-wal")), "the store was the file's last user")
    #expect(counter.count() == 2)
  }
}
