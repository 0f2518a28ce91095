import CLinux

/// What a descriptor is ready for, or what its owner waits for.
public struct Readiness: OptionSet, Sendable, Hashable {
  /// The bits of this set.
  public let rawValue: UInt8

  /// A set with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bytes, a connection or the end of the stream can be read.
  public static let readable = Readiness(rawValue: 1)
  /// Bytes can be written, or a connection attempt has ended.
  public static let writable = Readiness(rawValue: 2)
  /// The peer is gone or the descriptor has an error; always reported, never asked for.
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

/// Handles a registered descriptor's readiness, on the loop's thread.
public protocol EventHandler: AnyObject {
  /// Called once a turn for as long as the descriptor is ready (level-triggered).
  func ready(_ readiness: Readiness)
  /// Called once when the loop ends while the descriptor is still registered: the last chance to close
  /// it. The loop is not to be called any more.
  func loopEnded()
}

extension EventHandler {
  /// Does nothing: the descriptor is closed by its owner.
  public func loopEnded() {}
}

/// A descriptor's place in a loop; worthless in any other loop.
public struct Registration: Sendable {
  let index: UInt32
  let generation: UInt32
}

/// Handles a timer, on the loop's thread.
public protocol TimerTarget: AnyObject {
  /// Called once; `tag` is what was given when the timer was set.
  func timerFired(tag: UInt64)
}

/// Hears that the current turn of the loop ends: the place for one write per connection.
public protocol TurnEndTarget: AnyObject {
  /// Called once for each `atTurnEnd`.
  func turnEnded()
}
