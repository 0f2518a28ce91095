import BelfryWire
import PushWire
import Storage
import TestSupport
import Testing

@testable import Gateway

@Suite struct StoredDeliveryLogTests {
  @Test func `lines of several loops are sorted by time, and equal times by loop`() throws {
    let scratch = try ScratchFolder()
    let folder = GatewayFolder(path: scratch.file("gateway"))
    _ = try DataFolder(folder.path)
    for (loop, times) in [[1, 3], [1, 2]].enumerated() {
      let log = try DeliveryLog(
        file: folder.deliveryLogFile(loop: loop), capacity: Limits.deliveryLogLines)
      for time in times {
        log.append(
          DeliveryLog.Entry(
            atMilliseconds: Int64(time), state: .sent,
            key: NotificationKey(
              device: UInt64(10 * loop + time), app: 1, kind: TokenKind.alert.rawValue),
            id: NotificationID(high: 1, low: 1), uniqueID: NotificationID(high: 2, low: 1)))
      }
    }
    let stored = StoredDeliveryLog(
      folder: folder, store: try SQLiteControlStore.inMemory(), environment: .sandbox)
    #expect(stored.lines(of: .everything, fromLoop: 0).map(\.device) == [1, 11, 12, 3])
    #expect(stored.lines(of: .everything, fromLoop: 1).map(\.device) == [11, 12])
  }
}
