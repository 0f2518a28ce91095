import CLinux

/// The events that a descriptor is ready for, or that its owner is waiting for.
public struct Readiness: OptionSet, Sendable, Hashable {
  /// The bits of this set.
  public let rawValue: UInt8

  /// Creates a set with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bytes or the end of the stream can be read, or a connection can be accepted.
  public static let readable = Readiness(rawValue: 1)
  /// Bytes can be written, or a connection attempt has finished.
  public static let writable = Readiness(rawValue: 2)
  /// The peer has disconnected or the descriptor has an error; always reported, even if not requested.
  public static let hangup = Readiness(rawValue: 4)

  var epollEvents: UInt32 {
    var events: UInt32 = 0
    if contains(.readable) { events |= EPOLLIN.rawValue }
    if contains(.writable) { events |= EPOLLOUT.rawValue }
    return events
  }

  init(epollEvents events: UInt32) {
    var readiness: Readiness = []
    if events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
    if events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
    if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.hangup) }
    self = readiness
  }
}

/// A handler for the readiness of a registered descriptor, called on the loop's thread.
public protocol EventHandler: AnyObject {
  /// Handles the readiness of the descriptor; called once per turn while the descriptor is ready (level-triggered).
  func ready(_ readiness: Readiness)
  /// Handles a stop of the loop while the descriptor is still registered.
  ///
  /// This method is called once, and is the last opportunity to close the descriptor. Do not call the loop afterward.
  func loopEnded()
}

extension EventHandler {
  /// Does nothing, because the owner closes the descriptor.
  public func loopEnded() {}
}

/// A descriptor's registration with a loop, which is not valid for any other loop.
public struct Registration: Sendable {
  let index: UInt32
  let generation: UInt32
}

/// A handler for a timer, called on the loop's thread.
public protocol TimerTarget: AnyObject {
  /// Handles the expiration of the timer; `tag` is the value that was passed when the timer was set.
  func timerFired(tag: UInt64)
}

/// A target that is called at the end of the current turn, for example to write once per connection.
public protocol TurnEndTarget: AnyObject {
  /// Handles the end of the turn; called once per call of `atTurnEnd`.
  func turnEnded()
}
