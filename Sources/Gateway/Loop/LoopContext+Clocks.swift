import System

/// The loop's clocks, and the handling of differences between them.
extension LoopContext {
  /// The current monotonic time, and the wall-clock time according to the expiry clock.
  var now: Moment {
    let (nanoseconds, unixMilliseconds) = (loop.nowNanoseconds, loop.unixMilliseconds)
    return Moment(
      nanoseconds: nanoseconds,
      unixMilliseconds: expiryClock.expiry(
        nanoseconds: nanoseconds, unixMilliseconds: unixMilliseconds))
  }

  /// The time at which a notification's storage period starts, in seconds since 1970.
  var storageStartSeconds: Int64 {
    expiryClock.storageStart(
      nanoseconds: loop.nowNanoseconds, unixMilliseconds: loop.unixMilliseconds) / 1_000
  }

  /// Follows small corrections of the wall clock and reports large ones.
  func compareClocks() {
    let finding = expiryClock.compare(
      nanoseconds: loop.nowNanoseconds, unixMilliseconds: loop.unixMilliseconds)
    // All loops read the same clocks, so only one loop reports a change.
    guard route.loop == 0 else { return }
    switch finding {
    case .unchanged: break
    case .disagreeing(let milliseconds):
      metrics.clockDisagreement.set(milliseconds / 1_000)
      log.warning(
        "the wall clock was changed: for a day, or until it is set back, notifications expire "
          + "only once they have expired by both the old and the new time",
        ["seconds": "\(milliseconds / 1_000)"])
    case .agreeing:
      metrics.clockDisagreement.set(0)
      log.info("stored notifications expire by the wall clock again")
    }
  }
}
