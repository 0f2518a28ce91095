internal import Synchronization

/// The combined state of a client's connections to its service.
public enum ProviderConnectionState: Sendable, Equatable {
  /// No connection has been opened yet, because no push has needed one.
  case idle
  /// A connection is being opened, and no other connection accepts pushes.
  case connecting
  /// At least one connection has accepted pushes without interruption since this time, in milliseconds since 1970.
  case connected(sinceMilliseconds: Int64)
  /// No connection is open. The last connection worked and was closed at this time, in milliseconds since 1970; the
  /// next push opens another connection.
  case ended(atMilliseconds: Int64)
  /// The last attempt to connect failed.
  case failed(reason: String)
}

/// The state of the connections as reported by the client's loop, which can be read from any thread.
final class ConnectionReport: Sendable {
  private let current = Mutex<ProviderConnectionState>(.idle)

  var state: ProviderConnectionState { current.withLock { $0 } }

  /// Records an attempt to connect.
  ///
  /// An earlier failure remains recorded until an attempt succeeds.
  func connecting() {
    current.withLock { state in
      if case .failed = state { return }
      state = .connecting
    }
  }

  /// Records that a connection accepts pushes; others might already be open.
  func opened(atMilliseconds moment: Int64) {
    current.withLock { state in
      if case .connected = state { return }
      state = .connected(sinceMilliseconds: moment)
    }
  }

  /// Records that no connections remain.
  ///
  /// A connection that was closed without having been opened counts as a failure.
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
