/// An object of an app that is passed to the thread on which it is used.
///
/// Sendable: its creator uses the value only on the main thread, as Apple documents for delegates, or passes it on
/// unused.
package struct MainThreadOnly<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
