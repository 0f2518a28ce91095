internal import Synchronization

/// The objects to which callbacks of the library are delivered, by number.
///
/// The library passes a number instead of a pointer to each callback, and a callback whose receiver was removed finds
/// nothing. The library can call back at any time after a connection is destroyed, so a pointer could dangle.
final class CallbackRegistry<Receiver: Sendable>: Sendable {
  private struct Entries {
    var last: UInt = 0
    var receivers: [UInt: Receiver] = [:]
  }

  private let entries = Mutex(Entries())

  /// Adds a receiver, and returns its number, which is never used again.
  func add(_ receiver: Receiver) -> UInt {
    entries.withLock { entries in
      entries.last += 1
      assert(entries.receivers[entries.last] == nil, "the number of a receiver is new")
      entries.receivers[entries.last] = receiver
      return entries.last
    }
  }

  /// Removes a receiver; callbacks that already hold it can still be running.
  func remove(_ number: UInt) {
    let removed = entries.withLock { $0.receivers.removeValue(forKey: number) }
    assert(removed != nil, "a receiver is removed only once")
  }

  /// Returns the receiver for the closure argument of a callback; nil if it was removed.
  func receiver(_ closure: UnsafeMutableRawPointer?) -> Receiver? {
    let number = UInt(bitPattern: closure)
    assert(number != 0, "the library returns the number that it was given")
    return entries.withLock { $0.receivers[number] }
  }

  /// Returns the closure argument for a receiver, which is a number and not the address of anything.
  static func closure(_ number: UInt) -> UnsafeMutableRawPointer? {
    unsafe UnsafeMutableRawPointer(bitPattern: number)
  }
}
