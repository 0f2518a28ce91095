import Foundation

/// A shared reference to a value that a lock protects, for objects that an app can use on any thread.
///
/// Sendable: every access goes through the lock. `Mutex` is not used, because it accepts only sendable values: the
/// values here contain delegates and handlers of an app, which might not be sendable.
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
