internal import Dispatch
internal import Synchronization

/// A value that is there a moment later; any thread may wait for it.
final class Once<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isSet = DispatchGroup()

  init() { isSet.enter() }

  /// Sets the value, once.
  func set(_ value: Value) {
    self.value.withLock { current in
      precondition(current == nil, "the value is set once")
      current = value
    }
    isSet.leave()
  }

  /// The value, as soon as there is one.
  func wait() -> Value {
    isSet.wait()
    guard let value = value.withLock({ $0 }) else { preconditionFailure("the value was set") }
    return value
  }
}
