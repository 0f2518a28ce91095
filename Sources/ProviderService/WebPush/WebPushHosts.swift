internal import BelfryWire

/// The push services of Web Push subscriptions, and the decision whether a message can be sent to one of them now.
///
/// Browsers choose the services, so a service can be slow, unreachable, or malicious. Messages to a service that does not
/// respond are held back, so that they do not take up the connections and the time of messages to other services.
///
/// This type is a state machine without I/O.
struct WebPushHosts {
  /// The result of a message.
  enum Ending: Equatable {
    /// The service responded, and asked the sender to wait for this number of seconds if it is overloaded.
    case answered(overloadedSeconds: Int64?)
    /// The service asked the sender to wait before the next message for the same subscription.
    case limited(seconds: Int64?)
    /// The service could not be reached, or did not respond in time.
    case silent
    /// The message does not show the state of the service.
    case other
  }

  private struct Host {
    var pendingCount = 0
    /// The number of consecutive times that the service did not respond.
    var silences = 0
    /// The time before which nothing is sent to the service, in monotonic nanoseconds.
    var pausedUntil: Int64 = .min
    /// True if the service has responded to a message.
    var hasAnswered = false
    /// The time of the last message, in monotonic nanoseconds.
    var lastUse: Int64 = .min
  }

  private let countMax: Int
  private var hosts: [UTF8Text: Host] = [:]
  /// The time before which nothing is sent to a subscription, by endpoint, in monotonic nanoseconds.
  private var limitedEndpoints: [UTF8Text: Int64] = [:]
  /// The number of services with pending messages that have not responded yet.
  private var untestedCount = 0

  /// Creates a table for at most `countMax` services; those that were not used for the longest time are forgotten.
  init(countMax: Int = Limits.webPushHostsMax) {
    precondition(countMax > 0, "a table has room for a service")
    self.countMax = countMax
  }

  /// Decides whether to send a message; the caller reports the result of each message that it sends.
  mutating func begin(_ name: UTF8Text, endpoint: UTF8Text, at now: Int64) -> Bool {
    if let until = limitedEndpoints[endpoint] {
      guard until <= now else { return false }
      limitedEndpoints[endpoint] = nil
    }
    var host = hosts[name] ?? Host()
    guard host.pausedUntil <= now else { return false }
    // After a pause, a single message shows whether the service responds again.
    guard host.silences == 0 || host.pendingCount == 0 else { return false }
    if !host.hasAnswered, host.pendingCount == 0 {
      // Services that have responded keep the other connections of the client.
      guard untestedCount < Limits.untestedHostsMax else { return false }
    }
    if hosts[name] == nil { forgetOldest() }
    guard hosts[name] != nil || hosts.count < countMax else { return false }
    if !host.hasAnswered, host.pendingCount == 0 { untestedCount += 1 }
    host.pendingCount += 1
    host.lastUse = now
    hosts[name] = host
    return true
  }

  /// Handles the result of a message that was sent; `random` spreads the ends of pauses.
  mutating func end(
    _ name: UTF8Text, endpoint: UTF8Text, _ ending: Ending, at now: Int64, random: UInt64
  ) {
    guard var host = hosts[name], host.pendingCount > 0 else {
      assertionFailure("only a message that was sent has a result")
      return
    }
    let wasUntested = !host.hasAnswered
    host.pendingCount -= 1
    switch ending {
    case .answered(let seconds):
      host.hasAnswered = true
      host.silences = 0
      host.pausedUntil = seconds.map { Self.end(of: $0, from: now) } ?? .min
    case .limited(let seconds):
      host.hasAnswered = true
      host.silences = 0
      if let seconds { limit(endpoint, until: Self.end(of: seconds, from: now), at: now) }
    case .silent where host.pausedUntil <= now:
      host.silences += 1
      let backoff = Backoff(
        firstNanoseconds: Limits.webPushSilenceNanoseconds,
        longestNanoseconds: Limits.webPushSilenceNanosecondsMax)
      host.pausedUntil =
        now + backoff.nanoseconds(afterFailures: host.silences, random: random)
    // Messages that were sent at the same time as the first one without a response count once.
    case .silent, .other: break
    }
    if wasUntested, host.hasAnswered || host.pendingCount == 0 { untestedCount -= 1 }
    hosts[name] = host
    checkInvariants()
  }

  private mutating func limit(_ endpoint: UTF8Text, until end: Int64, at now: Int64) {
    if limitedEndpoints.count >= Limits.limitedEndpointsMax {
      limitedEndpoints = limitedEndpoints.filter { $0.value > now }
    }
    guard limitedEndpoints.count < Limits.limitedEndpointsMax else { return }
    limitedEndpoints[endpoint] = end
  }

  /// Makes room for a service.
  private mutating func forgetOldest() {
    guard hosts.count >= countMax else { return }
    let idle = hosts.filter { $0.value.pendingCount == 0 }
    guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    hosts[oldest.key] = nil
  }

  private static func end(of seconds: Int64, from now: Int64) -> Int64 {
    now + min(max(seconds, 0), Limits.retryAfterSecondsMax) * 1_000_000_000
  }

  /// Asserts the invariants that hold between events.
  func checkInvariants() {
    assert(hosts.count <= countMax, "the number of services is within its limit")
    assert(
      limitedEndpoints.count <= Limits.limitedEndpointsMax,
      "the number of subscriptions that wait is within its limit")
    assert(
      untestedCount == hosts.values.count { !$0.hasAnswered && $0.pendingCount > 0 },
      "the services that have not responded are counted")
    assert(
      untestedCount <= Limits.untestedHostsMax, "services that respond have connections left")
  }
}
