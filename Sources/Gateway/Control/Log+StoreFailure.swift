import Storage
import System

extension Log {
  /// Logs a store failure, except a disk failure, which the store's health check reports once a minute.
  func storeFailure(_ what: String, _ failure: StorageFailure) {
    if !failure.isOfDisk { error(what, ["why": "\(failure)"]) }
  }
}
