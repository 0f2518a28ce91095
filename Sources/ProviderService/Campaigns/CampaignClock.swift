internal import Synchronization
public import System

/// The time by which campaigns are sent: the wall clock's, except where somebody set it ahead.
///
/// A push cannot be taken back: a clock that was set is believed after a day (`ExpiryClock`), or at once where it was
/// set back. The time that the machine sleeps counts. Any thread; one for a service, from its start on.
public final class CampaignClock: Sendable {
  /// Nanoseconds since the machine started, and the wall clock in milliseconds since 1970.
  public typealias Reading = (nanoseconds: Int64, unixMilliseconds: Int64)

  private let read: @Sendable () -> Reading
  private let clock: Mutex<ExpiryClock>
  private let log: Log

  /// A clock that believes the wall clock as it is now.
  public convenience init(log: Log) {
    self.init(log: log) {
      (SystemClock.elapsedMilliseconds * 1_000_000, SystemClock.unixMilliseconds)
    }
  }

  /// A clock over others than the machine's.
  init(log: Log, read: @escaping @Sendable () -> Reading) {
    self.read = read
    self.log = log
    let now = read()
    clock = Mutex(ExpiryClock(nanoseconds: now.nanoseconds, unixMilliseconds: now.unixMilliseconds))
  }

  /// Seconds since 1970.
  var unixSeconds: Int64 { compare() / 1_000 }

  /// Compares the clocks, so that small corrections are followed; returns the time in milliseconds since 1970.
  @discardableResult
  public func compare() -> Int64 {
    let now = read()
    let (finding, time) = clock.withLock { clock in
      let finding = clock.compare(
        nanoseconds: now.nanoseconds, unixMilliseconds: now.unixMilliseconds)
      let time = clock.expiry(
        nanoseconds: now.nanoseconds, unixMilliseconds: now.unixMilliseconds)
      return (finding, time)
    }
    switch finding {
    case .unchanged: break
    case .disagreeing(let milliseconds):
      log.warning(
        "the wall clock was set: until it is set back, or for a day, campaigns are sent when both times allow",
        ["seconds": "\(milliseconds / 1_000)"])
    case .agreeing: log.info("campaigns are sent by the wall clock again")
    }
    return time
  }
}
