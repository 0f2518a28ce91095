import Foundation

/// A shared reference to a value behind a lock, for objects that an app may use from any thread.
///
/// Sendable: every access goes through the lock. It is not made of a `Mutex`, which accepts sendable values
/// alone: these values hold an app's delegates and handlers, which need not be.
package final class LockedBox<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  /// Reads or changes the value.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
