import CSystemd
public import System

/// What systemd is told of a service that it started with `Type=notify` (sd_notify(3)); nothing without it.
///
/// Here, since one target alone knows systemd's library.
public final class ServiceNotifier {
  private let loop: EventLoop

  /// A notifier of the program whose main loop this is.
  public init(on loop: EventLoop) { self.loop = loop }

  /// Says that every listener accepts, and from then on at half of the watchdog's time that this loop turns.
  public func ready() {
    notify("READY=1")
    var microseconds: UInt64 = 0
    guard unsafe sd_watchdog_enabled(0, &microseconds) > 0 else { return }
    watch(everyNanoseconds: Int64(clamping: microseconds) * 500)
  }

  /// Says that the service goes down.
  public func stopping() { notify("STOPPING=1") }

  private func watch(everyNanoseconds pause: Int64) {
    assert(pause > 0, "a watchdog without time")
    notify("WATCHDOG=1")
    _ = loop.schedule(afterNanoseconds: pause) { [weak self] in
      self?.watch(everyNanoseconds: pause)
    }
  }

  /// What cannot be told is of no harm: the service manager ends a service that it waits for in vain.
  private func notify(_ state: String) { _ = unsafe sd_notify(0, state) }
}
