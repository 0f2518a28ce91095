/// An app's object on its way to the thread on which it is used.
///
/// Sendable: its maker uses the value on the main thread alone, as Apple documents for
/// delegates, or passes it on unused.
package struct MainThreadOnly<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
