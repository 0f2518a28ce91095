import Synchronization

@testable import Gateway

/// A carrier without a network, whose test decides the results.
final class FakeCarrier: UpstreamCarrier {
  private struct State {
    var state = UpstreamState.connected
    var waiting: [(push: UpstreamPush, completion: @Sendable (UpstreamResult) -> Void)] = []
    var connects = 0
    var isClosed = false
  }

  private let shared = Mutex(State())

  var state: UpstreamState {
    get { shared.withLock { $0.state } }
    set { shared.withLock { $0.state = newValue } }
  }
  /// The pushes without a result, oldest first.
  var waiting: [UpstreamPush] { shared.withLock { $0.waiting.map(\.push) } }
  /// The number of times that the relay asked for a connection.
  var connects: Int { shared.withLock { $0.connects } }
  var isClosed: Bool { shared.withLock { $0.isClosed } }

  func send(_ push: UpstreamPush, completion: @escaping @Sendable (UpstreamResult) -> Void) {
    shared.withLock { $0.waiting.append((push, completion)) }
  }

  func connect() { shared.withLock { $0.connects += 1 } }

  func close() { shared.withLock { $0.isClosed = true } }

  /// Gives the oldest push a result.
  func answer(_ result: UpstreamResult) {
    let first = shared.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    first?.completion(result)
  }
}

/// A clock that a test sets, in nanoseconds.
final class SettableClock: Sendable {
  private let nanoseconds = Mutex<Int64>(1)

  var now: Int64 {
    get { nanoseconds.withLock { $0 } }
    set { nanoseconds.withLock { $0 = newValue } }
  }
}
