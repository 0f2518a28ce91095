import PushWire
import Storage

extension StorageFailure {
  /// The reason with which the gateway refuses a request that could not be stored.
  ///
  /// The absence of a database server is temporary; a failing disk needs an operator.
  var rejection: Rejection {
    switch self {
    case .unreachable, .takenOver, .inUse: .serviceUnavailable
    case .foreign, .newerSchema, .diskFull, .inputOutput, .busy, .readOnly, .corrupt, .damagedRow,
      .engine, .rejected, .unsuitable, .system, .closed, .exists, .missing:
      .internalServerError
    }
  }
}
