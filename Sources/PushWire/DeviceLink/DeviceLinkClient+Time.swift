/// Timer-driven work: connection attempts, keep-alives, and renewals.
extension DeviceLinkClient {
  /// Handles all events that are due at `now`.
  ///
  /// Call this method at ``deadline``; an earlier call is harmless.
  public mutating func timerFired(at now: Int64, output: inout [UInt8]) -> Action? {
    guard now >= deadline else { return nil }
    switch phase {
    case .offline, .closing, .stopped: return nil
    case .waiting: return dial()
    case .dialling, .greeting, .enrolling, .connecting:
      return disconnect(LinkFault(.tooSlow), then: .pause, at: now, output: &output)
    case .up:
      if now >= pingEnd {
        pathFailed()
        return disconnect(LinkFault(.silent), then: .pause, at: now, output: &output)
      }
      flush(at: now, output: &output)
      if subjects.retry(at: now, to: &output) { lastSent = now }
      if now >= nextPing { ping(at: now, seconds: intervalSeconds, output: &output) }
      return nil
    }
  }

  mutating func ping(at now: Int64, seconds: UInt16, output: inout [UInt8]) {
    assert(isUp, "pings are sent only while the link is up")
    pingToken &+= 1
    pingedSeconds = seconds
    pingEnd = now + settings.graceNanoseconds
    send(.ping(pingToken), at: now, output: &output)
  }

  mutating func handlePong(_ token: UInt32, _ seconds: UInt16) -> Action {
    guard token == pingToken else { return .proceed }
    provedSeconds = max(provedSeconds, pingedSeconds)
    if seconds > 0 { intervalSeconds = seconds }
    return .alive
  }

  mutating func pathFailed() {
    failedSeconds = intervalSeconds
    provedSeconds = min(provedSeconds, UInt16(UInt32(failedSeconds) * 3 / 4))
  }
}
