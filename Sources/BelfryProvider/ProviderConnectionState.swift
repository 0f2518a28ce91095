internal import Synchronization

/// How a client's connections to its service stand, as one.
public enum ProviderConnectionState: Sendable, Equatable {
  /// There was none yet: no push has needed it.
  case idle
  /// One is being made, and none accepts pushes.
  case connecting
  /// At least one accepts pushes, without a gap since a moment, in milliseconds since 1970.
  case connected(sinceMilliseconds: Int64)
  /// The last one was good, and ended at a moment, in milliseconds since 1970; the next push makes another.
  case ended(atMilliseconds: Int64)
  /// The last attempt failed.
  case failed(reason: String)
}

/// The connections' state as the client's loop says it, for every thread.
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

  /// Notes a connection that accepts pushes; others may be there since before.
  func opened(atMilliseconds moment: Int64) {
    current.withLock { state in
      if case .connected = state { return }
      state = .connected(sinceMilliseconds: moment)
    }
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
