/// A wrapper that carries an app's object to the thread that uses it.
///
/// Sendable: the code that creates the wrapper uses the value only on the main thread, as Apple documents for
/// delegates, or passes it along unused.
package struct MainThreadOnly<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
