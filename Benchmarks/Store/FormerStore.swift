import CFormerStore
import PushWire
import Storage

/// The store of notifications before the log, with the statements that it used.
final class FormerStore: MeasuredStore {
  struct Failure: Error { let code: Int32 }

  private let store: OpaquePointer

  init(path: String) throws {
    guard let store = former_store_open(path) else { throw Failure(code: -1) }
    self.store = store
  }

  func perform(_ operations: [StoreOperation]) throws {
    try check(former_store_begin(store))
    var highest: Int64 = 0
    for case .put(let row, let keep) in operations {
      highest = max(highest, Int64(row.sequence))
      let numbers: [Int64] = [
        Int64(bitPattern: row.key.device), Int64(row.key.app), Int64(row.key.kind),
        Int64(row.sequence), Int64(bitPattern: row.id.high), Int64(bitPattern: row.id.low),
        Int64(bitPattern: row.uniqueID.high), Int64(bitPattern: row.uniqueID.low), row.expiration,
        Int64(row.priority), Int64(row.pushType), row.acceptedMilliseconds,
      ]
      try check(
        former_store_put(store, numbers, row.payload, Int32(row.payload.count), Int64(keep)))
    }
    try check(former_store_commit(store, highest, Int64(operations.count)))
  }

  private func check(_ code: Int32) throws {
    guard code == 0 else { throw Failure(code: code) }
  }

  deinit { former_store_close(store) }
}
