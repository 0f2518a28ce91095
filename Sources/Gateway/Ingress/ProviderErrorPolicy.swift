import PushWire

/// The consequences of a provider's errors: errors lower the connection's stream limit, and too many errors close the
/// connection (apns-protocol 1.11).
///
/// The policy is a value that performs no I/O. Accepted requests offset errors, and errors decay over time. As a
/// result, only a provider whose requests mostly fail is slowed, however long it stays connected.
struct ProviderErrorPolicy {
  /// The limits on errors that close a connection; each accepted request offsets one error.
  struct Bounds: Sendable, Equatable {
    /// The limit on errors of any kind; 0 for no limit.
    var errors: UInt32 = 1_000
    /// The limit on BadDeviceToken errors, which a client that guesses tokens causes; 0 for no limit.
    var badDeviceTokens: UInt32 = 250
  }

  /// The reason for closing a connection.
  enum Excess: String, CaseIterable {
    case errors = "too many errors"
    case badDeviceTokens = "too many BadDeviceToken"
  }

  /// The action to take on the connection.
  enum Verdict: Equatable {
    case unchanged
    /// Advertise this limit on concurrent streams.
    case streams(UInt32)
    case end(Excess)
  }

  private let bounds: Bounds
  private var errors: Double = 0
  private var badDeviceTokens: Double = 0
  /// The time at which the counts were last reduced, in monotonic nanoseconds.
  private var countedAt: Int64 = 0
  /// The number of times that the stream limit has been halved.
  private var halvings = 0
  private var hasEnded = false

  init(bounds: Bounds) { self.bounds = bounds }

  /// True if there are errors that accepted requests can still offset.
  var hasErrors: Bool { errors > 0 || badDeviceTokens > 0 }

  /// The current limit on concurrent streams.
  var streams: UInt32 { Limits.providerConcurrentStreams >> UInt32(halvings) }

  /// Records an accepted request, which offsets one error.
  mutating func accepted() -> Verdict {
    errors = max(0, errors - 1)
    badDeviceTokens = max(0, badDeviceTokens - 1)
    return evaluate()
  }

  /// Records a refused request.
  mutating func refused(_ rejection: Rejection, at now: Int64) -> Verdict {
    refused(status: rejection.status, isGuess: rejection == .badDeviceToken, at: now)
  }

  /// Records a refused request; `isGuess` is true if the refusal indicates a guessed token or endpoint.
  mutating func refused(status: Int, isGuess: Bool, at now: Int64) -> Verdict {
    guard Self.isError(status) else { return .unchanged }
    forgive(at: now)
    errors += 1
    if isGuess { badDeviceTokens += 1 }
    return evaluate()
  }

  /// Reduces the counts over time; a count decays from its limit to zero in one minute.
  mutating func passTime(at now: Int64) -> Verdict {
    forgive(at: now)
    return evaluate()
  }

  /// Returns true if the error is the provider's fault; 410 (inactive token), 429 (rate limited), and errors of the
  /// gateway aren't.
  private static func isError(_ status: Int) -> Bool {
    (400..<500).contains(status) && status != 410 && status != 429
  }

  private mutating func forgive(at now: Int64) {
    let share = Double(max(0, now - countedAt)) / Double(Limits.errorMemoryNanoseconds)
    countedAt = now
    errors = max(0, errors - share * Double(bounds.errors))
    badDeviceTokens = max(0, badDeviceTokens - share * Double(bounds.badDeviceTokens))
  }

  private mutating func evaluate() -> Verdict {
    guard !hasEnded else { return .unchanged }
    let ofErrors = Self.share(errors, of: bounds.errors)
    let ofTokens = Self.share(badDeviceTokens, of: bounds.badDeviceTokens)
    guard max(ofErrors, ofTokens) < 1 else {
      hasEnded = true
      return .end(ofTokens >= 1 ? .badDeviceTokens : .errors)
    }
    let wanted = Int(max(ofErrors, ofTokens) * Double(Limits.streamHalvingsMax + 1))
    assert(
      (0...Limits.streamHalvingsMax).contains(wanted),
      "the number of halvings is within its limit: \(wanted)")
    // Raise the limit only after the errors have fallen by an extra step, so that SETTINGS aren't sent repeatedly on a
    // connection at the edge of a step.
    guard wanted > halvings || wanted + 1 < halvings || wanted == 0 && errors < 1 && halvings > 0
    else { return .unchanged }
    halvings = wanted
    return .streams(streams)
  }

  private static func share(_ count: Double, of bound: UInt32) -> Double {
    assert(count >= 0, "the count is not negative: \(count)")
    return bound == 0 ? 0 : count / Double(bound)
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert(errors >= 0 && badDeviceTokens >= 0, "the error counts are not negative")
    assert(
      (0...Limits.streamHalvingsMax).contains(halvings),
      "the number of halvings is within its limit: \(halvings)")
    assert(streams > 0, "a provider may open at least one stream")
  }
}
