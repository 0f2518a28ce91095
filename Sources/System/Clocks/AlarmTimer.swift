import CLinux
import Glibc

/// An alarm (timerfd) that is set on one of the machine's clocks and delivered as an event on a loop.
///
/// The loop's own timers count only the time during which the machine is awake. Use an alarm for times that must remain
/// correct across suspend and clock changes.
public final class AlarmTimer: EventHandler {
  /// The clock on which the alarm's time is measured.
  public enum Clock: Sendable {
    /// Milliseconds since 1970.
    ///
    /// Changes to the clock are also reported.
    case wall
    /// Milliseconds since the machine started, including suspend.
    case elapsed
  }

  /// An event that the timer reports.
  public enum Event: Sendable {
    /// The time has been reached.
    case due
    /// The wall clock was set, which disabled the alarm; set the alarm again.
    case clockWasSet
  }

  private let loop: EventLoop
  private let clock: Clock
  private let descriptor: Int32
  private var registration: Registration?
  private let body: (Event) -> Void

  /// Creates a timer that calls `body` on the loop.
  ///
  /// A timer for the wall clock reports changes to the clock from the start, even before an alarm is set.
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

  /// Sets the alarm and replaces any earlier alarm.
  ///
  /// - Parameter milliseconds: The time on the timer's clock; nil disables the alarm. A time in the past is due
  ///   immediately.
  public func set(_ milliseconds: Int64?) {
    var setting = itimerspec()
    // Without an alarm, a timer for the wall clock is set far ahead: the kernel reports changes to the clock only while
    // a timer is running.
    let moment = milliseconds ?? (clock == .wall ? Int64(Limits.farAheadMilliseconds) : 0)
    if milliseconds != nil || clock == .wall {
      // Zero would disable the timer.
      let moment = min(max(moment, 1), Int64(Limits.farAheadMilliseconds))
      setting.it_value.tv_sec = Int(moment / 1_000)
      setting.it_value.tv_nsec = Int(moment % 1_000) * 1_000_000
      assert(setting.it_value.tv_nsec < 1_000_000_000, "the nanoseconds are less than a second")
    }
    // TFD_TIMER_ABSTIME, and TFD_TIMER_CANCEL_ON_SET for the wall clock.
    let flags: Int32 = clock == .wall ? 1 | 2 : 1
    unsafe timerfd_settime(descriptor, flags, &setting, nil)
  }

  /// Disables the alarm; `body` is not called again.
  public func close() {
    guard let registration else { return }
    loop.deregister(registration)
    self.registration = nil
    Glibc.close(descriptor)
  }

  /// Reads the timer's event: the alarm is due, or the clock was set.
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
