import System

/// The loop's clocks, and what it does when they disagree.
extension GatewayLoop {
  /// The present, whose wall clock is the one by which things expire.
  var now: Moment {
    let (nanoseconds, unixMilliseconds) = (loop.nowNanoseconds, loop.unixMilliseconds)
    return Moment(
      nanoseconds: nanoseconds,
      unixMilliseconds: expiryClock.expiry(
        nanoseconds: nanoseconds, unixMilliseconds: unixMilliseconds))
  }

  /// Seconds since 1970 from which a notification's time of storage counts.
  var storageStartSeconds: Int64 {
    expiryClock.storageStart(
      nanoseconds: loop.nowNanoseconds, unixMilliseconds: loop.unixMilliseconds) / 1_000
  }

  /// Follows small corrections of the wall clock, and reports large ones.
  func compareClocks() {
    let finding = expiryClock.compare(
      nanoseconds: loop.nowNanoseconds, unixMilliseconds: loop.unixMilliseconds)
    // Every loop has the same clocks; one of them speaks.
    guard index == 0 else { return }
    switch finding {
    case .unchanged: break
    case .disagreeing(let milliseconds):
      metrics.clockDisagreement.set(milliseconds / 1_000)
      log.warning(
        "the wall clock was set: until it is set back, or for a day, only what both times call expired expires",
        ["seconds": "\(milliseconds / 1_000)"])
    case .agreeing:
      metrics.clockDisagreement.set(0)
      log.info("what is stored expires by the wall clock again")
    }
  }
}
