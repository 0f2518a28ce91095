import Storage
import System

extension Log {
  /// Says that the store failed; of its disk the store's health speaks, once a minute.
  func storeFailure(_ what: String, _ failure: StorageFailure) {
    if !failure.isOfDisk { error(what, ["why": "\(failure)"]) }
  }
}
