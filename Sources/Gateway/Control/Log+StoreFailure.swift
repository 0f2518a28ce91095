import Storage
import System

extension Log {
  /// Logs a store failure unless it is a disk failure, because the store's health check reports disk failures once per
  /// minute.
  func storeFailure(_ what: String, _ failure: StorageFailure) {
    if !failure.isOfDisk { error(what, ["why": "\(failure)"]) }
  }
}
