/// The reason that a PostgreSQL server did not execute a statement.
enum PostgresFailure: Error, CustomStringConvertible {
  /// The server rejected a statement, so the transaction had no effect; `state` is the SQLSTATE.
  case refused(state: String, message: String)
  /// No connection could be made, so nothing was sent.
  case notConnected(why: String)
  /// The connection was lost; if a commit was sent, its result is unknown.
  case lost(why: String)
  /// The server committed with a warning, for example because it stopped waiting for its standby servers.
  ///
  /// The result is unknown: after a failover, the transaction might be missing.
  case uncertain(message: String)

  var description: String {
    switch self {
    case .refused(let state, let message): "\(message) (SQLSTATE \(state))"
    case .notConnected(let why), .lost(let why): why
    case .uncertain(let message): message
    }
  }
}
