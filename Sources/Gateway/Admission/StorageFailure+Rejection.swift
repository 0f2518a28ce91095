import PushWire
import Storage

extension StorageFailure {
  /// The reason with which the gateway refuses a request that could not be stored.
  ///
  /// The absence of a database server is temporary; a failing disk needs an operator.
  var rejection: Rejection { isOfServer ? .serviceUnavailable : .internalServerError }
}
