import Synchronization

/// A handler that hears of the first call alone: an app that answers twice does no harm.
package final class OnceOnly<Value: Sendable>: Sendable {
  private let handler: Mutex<(@Sendable (Value) -> Void)?>

  package init(_ handler: @escaping @Sendable (Value) -> Void) {
    self.handler = Mutex(handler)
  }

  /// Passes the value on if none was passed before; returns whether it did.
  @discardableResult
  package func call(_ value: Value) -> Bool {
    let taken = handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
    taken?(value)
    return taken != nil
  }
}
