import Synchronization

/// A clock that a test controls.
final class TestClock: Sendable {
  private let moment = Mutex<Int64>(0)

  var milliseconds: Int64 {
    get { moment.withLock { $0 } }
    set { moment.withLock { $0 = newValue } }
  }
}
