import PushWire

/// The consequences of a provider's errors: errors lower the stream limit of the provider's connection, and too many
/// errors close the connection (apns-protocol 1.11).
///
/// It is a value without I/O. Accepted requests offset errors, and errors decay over time. As a result, only a provider
/// whose requests mostly fail is slowed, however long it stays connected.
struct ProviderErrorPolicy {
  /// The numbers of errors, beyond the accepted requests, that close a connection.
  struct Bounds: Sendable, Equatable {
    /// The limit of errors of any kind; 0 for no limit.
    var errors: UInt32 = 1_000
    /// The limit of BadDeviceToken errors, which a client causes by guessing tokens; 0 for no limit.
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
    /// Advertise this limit of concurrent streams.
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

  /// True if an error remains that an accepted request can offset.
  var hasErrors: Bool { errors > 0 || badDeviceTokens > 0 }

  /// The current limit of concurrent streams.
  var streams: UInt32 { Limits.providerConcurrentStreams >> UInt32(halvings) }

  /// Records an accepted request, which offsets one error.
  mutating func accepted() -> Verdict {
    errors = max(0, errors - 1)
    badDeviceTokens = max(0, badDeviceTokens - 1)
    return evaluate()
  }

  /// Records a refused request.
  mutating func refused(_ rejection: Rejection, at now: Int64) -> Verdict {
    guard Self.isError(rejection) else { return .unchanged }
    forgive(at: now)
    errors += 1
    if rejection == .badDeviceToken { badDeviceTokens += 1 }
    return evaluate()
  }

  /// Reduces the counts over time, at a rate of the whole limit per minute.
  mutating func passTime(at now: Int64) -> Verdict {
    forgive(at: now)
    return evaluate()
  }

  /// Returns true if the error is the provider's fault: not 410 (token expired), not 429 (rate limited), and not a
  /// fault of the gateway.
  static func isError(_ rejection: Rejection) -> Bool {
    (400..<500).contains(rejection.status) && rejection.status != 410 && rejection.status != 429
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
    // Raise the limit one step late, so that a connection at the edge of a step isn't sent SETTINGS repeatedly.
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
