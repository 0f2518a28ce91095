import Synchronization

/// A handler that runs for the first call alone, so that an app which answers twice does no harm.
package final class CallOnce<Value: Sendable>: Sendable {
  private let handler: Mutex<(@Sendable (Value) -> Void)?>

  package init(_ handler: @escaping @Sendable (Value) -> Void) {
    self.handler = Mutex(handler)
  }

  /// Calls the handler, unless it ran before; returns whether it ran.
  @discardableResult
  package func call(_ value: Value) -> Bool {
    let unused = handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
    unused?(value)
    return unused != nil
  }
}
