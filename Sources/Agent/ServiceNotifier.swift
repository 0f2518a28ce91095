import CSystemd
public import System

/// A notifier that reports a service's state to systemd if systemd started it with `Type=notify` (sd_notify(3));
/// otherwise, it does nothing.
///
/// The type belongs to this target because no other target links systemd's library.
public final class ServiceNotifier {
  private let loop: EventLoop

  /// Creates a notifier for the program whose main loop is `loop`.
  public init(on loop: EventLoop) { self.loop = loop }

  /// Reports that every listener accepts connections.
  ///
  /// From then on, the notifier pings the watchdog from this loop, at half the watchdog's interval.
  public func ready() {
    notify("READY=1")
    var microseconds: UInt64 = 0
    guard unsafe sd_watchdog_enabled(0, &microseconds) > 0 else { return }
    watch(everyNanoseconds: Int64(clamping: microseconds) * 500)
  }

  /// Reports that the service is shutting down.
  public func stopping() { notify("STOPPING=1") }

  private func watch(everyNanoseconds pause: Int64) {
    assert(pause > 0, "the watchdog's interval is positive")
    notify("WATCHDOG=1")
    _ = loop.schedule(afterNanoseconds: pause) { [weak self] in
      self?.watch(everyNanoseconds: pause)
    }
  }

  /// Sends a state to the service manager.
  ///
  /// Errors are ignored, because the service manager terminates a service whose notifications do not arrive.
  private func notify(_ state: String) { _ = unsafe sd_notify(0, state) }
}
