internal import Dispatch
internal import Synchronization

/// A container for a value that is set once, after the container is created.
///
/// Any thread can wait for the value.
package final class Once<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isSet = DispatchGroup()

  package init() { isSet.enter() }

  /// Sets the value; call it only once.
  package func set(_ value: Value) {
    self.value.withLock { current in
      precondition(current == nil, "the value is set only once")
      current = value
    }
    isSet.leave()
  }

  /// Waits for the value and returns it.
  package func wait() -> Value {
    isSet.wait()
    guard let value = value.withLock({ $0 }) else { preconditionFailure("the value was not set") }
    return value
  }
}
