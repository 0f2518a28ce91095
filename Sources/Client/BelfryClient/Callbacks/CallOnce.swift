import Synchronization

/// A handler that runs only for the first call, so that an app that answers twice does no harm.
package final class CallOnce<Value: Sendable>: Sendable {
  private let handler: Mutex<(@Sendable (Value) -> Void)?>

  package init(_ handler: @escaping @Sendable (Value) -> Void) {
    self.handler = Mutex(handler)
  }

  /// Calls the handler, unless it was already called.
  ///
  /// Returns whether this call ran the handler.
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
