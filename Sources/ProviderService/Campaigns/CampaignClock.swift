internal import Synchronization
public import System

/// The clock that determines when campaigns are sent: the wall clock, unless it was set forward.
///
/// A push cannot be recalled, so a clock that was set forward is trusted only after a day (`ExpiryClock`). A clock that
/// was set back is trusted immediately. Time that the machine spends asleep counts toward that day. Any thread can use
/// the clock; a service uses a single clock throughout its lifetime.
public final class CampaignClock: Sendable {
  /// The number of nanoseconds since the machine started, and the wall-clock time in milliseconds since 1970.
  public typealias Reading = (nanoseconds: Int64, unixMilliseconds: Int64)

  private let read: @Sendable () -> Reading
  private let clock: Mutex<ExpiryClock>
  private let log: Log

  /// Creates a clock that trusts the current wall clock.
  public convenience init(log: Log) {
    self.init(log: log) {
      (SystemClock.elapsedMilliseconds * 1_000_000, SystemClock.unixMilliseconds)
    }
  }

  /// Creates a clock that obtains the time from `read` instead of the machine's clocks.
  package init(log: Log, read: @escaping @Sendable () -> Reading) {
    self.read = read
    self.log = log
    let now = read()
    clock = Mutex(ExpiryClock(nanoseconds: now.nanoseconds, unixMilliseconds: now.unixMilliseconds))
  }

  /// The time in seconds since 1970.
  package var unixSeconds: Int64 { compare() / 1_000 }

  /// Compares the clocks, and returns the time in milliseconds since 1970.
  ///
  /// Call this method regularly, so that the clock follows small corrections.
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
        "the wall clock was changed: for a day, or until it is set back, campaigns wait until both "
          + "the old and the new time allow them",
        ["seconds": "\(milliseconds / 1_000)"])
    case .agreeing: log.info("campaigns are sent by the wall clock again")
    }
    return time
  }
}
