import BelfryWire
import System

/// The agent's wall clock: the machine's, or one that only `belfry clock` moves.
enum AgentClock: Hashable {
  case system
  /// Milliseconds since 1970.
  case manual(Int64)

  /// Milliseconds since 1970.
  var unixMilliseconds: Int64 {
    switch self {
    case .system: SystemClock.unixMilliseconds
    case .manual(let milliseconds): milliseconds
    }
  }
}
