internal import Synchronization

/// How a client's connection to its service stands.
public enum ProviderConnectionState: Sendable, Equatable {
  /// There was none yet: no push has needed it.
  case idle
  /// The first one is being made.
  case connecting
  /// It accepts pushes since a moment, in milliseconds since 1970.
  case connected(sinceMilliseconds: Int64)
  /// The last one was good, and ended at a moment, in milliseconds since 1970; the next push makes another.
  case ended(atMilliseconds: Int64)
  /// The last attempt failed.
  case failed(reason: String)
}

/// The connection's state as the client's loop says it, for every thread.
final class ConnectionReport: Sendable {
  private let current = Mutex<ProviderConnectionState>(.idle)

  var state: ProviderConnectionState { current.withLock { $0 } }

  /// Notes an attempt; a failure before it stands until one succeeds.
  func connecting() {
    current.withLock { state in
      if case .failed = state { return }
      state = .connecting
    }
  }

  func opened(atMilliseconds moment: Int64) {
    current.withLock { $0 = .connected(sinceMilliseconds: moment) }
  }

  /// Notes that no connection is left; the end of one that never opened is a failure.
  func ended(_ reason: String, atMilliseconds moment: Int64) {
    current.withLock { state in
      if case .connected = state {
        state = .ended(atMilliseconds: moment)
      } else {
        state = .failed(reason: reason)
      }
    }
  }
}
