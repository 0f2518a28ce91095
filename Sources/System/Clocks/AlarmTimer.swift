import CLinux
import Glibc

/// An alarm at a moment of one of the machine's clocks, as an event of a loop (timerfd).
///
/// The loop's own timers count time that the machine is awake; this one is for moments that must
/// hold across suspend and when the clock is set.
public final class AlarmTimer: EventHandler {
  /// The clock of the alarm's moment.
  public enum Clock: Sendable {
    /// Milliseconds since 1970; setting the clock is reported, too.
    case wall
    /// Milliseconds since the machine started, asleep or awake.
    case elapsed
  }

  /// What the timer reports.
  public enum Event: Sendable {
    /// The moment has been reached.
    case due
    /// The wall clock was set: the alarm is off and is to be set anew.
    case clockWasSet
  }

  private let loop: EventLoop
  private let clock: Clock
  private let descriptor: Int32
  private var registration: Registration?
  private let body: (Event) -> Void

  /// Calls `body` on the loop.
  ///
  /// A wall timer reports a clock that is set from the start, also before it has a moment.
  public init(
    _ clock: Clock, on loop: EventLoop, _ body: @escaping (Event) -> Void
  ) throws(SystemFailure) {
    let identifier = clock == .wall ? CLOCK_REALTIME : CLOCK_BOOTTIME
    let descriptor = timerfd_create(identifier, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
    guard descriptor >= 0 else { throw .last("timerfd_create") }
    self.loop = loop
    self.clock = clock
    self.descriptor = descriptor
    self.body = body
    do throws(SystemFailure) {
      registration = try loop.register(descriptor, for: .readable, handler: self)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    set(nil)
  }

  /// Sets the alarm, in place of an earlier one; nil turns it off.
  ///
  /// - Parameter milliseconds: On the timer's clock; a moment that has passed is due at once.
  public func set(_ milliseconds: Int64?) {
    var setting = itimerspec()
    // A wall timer without a moment still runs, far ahead: else the kernel reports no set clock.
    let moment = milliseconds ?? (clock == .wall ? Int64(Limits.farAheadMilliseconds) : 0)
    if milliseconds != nil || clock == .wall {
      // Zero would turn the timer off.
      let moment = min(max(moment, 1), Int64(Limits.farAheadMilliseconds))
      setting.it_value.tv_sec = Int(moment / 1_000)
      setting.it_value.tv_nsec = Int(moment % 1_000) * 1_000_000
      assert(setting.it_value.tv_nsec < 1_000_000_000, "less than a second")
    }
    // TFD_TIMER_ABSTIME, and TFD_TIMER_CANCEL_ON_SET for the wall clock.
    let flags: Int32 = clock == .wall ? 1 | 2 : 1
    unsafe timerfd_settime(descriptor, flags, &setting, nil)
  }

  /// Turns the alarm off; `body` is not called again.
  public func close() {
    guard let registration else { return }
    loop.deregister(registration)
    self.registration = nil
    Glibc.close(descriptor)
  }

  /// Reads whether the alarm is due or the clock was set.
  public func ready(_ readiness: Readiness) {
    var expirations: UInt64 = 0
    let count = unsafe Glibc.read(descriptor, &expirations, 8)
    if count == 8 {
      body(.due)
    } else if count < 0, errno == ECANCELED {
      body(.clockWasSet)
    }
  }

  deinit { close() }
}
