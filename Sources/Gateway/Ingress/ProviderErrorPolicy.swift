import BelfryWire

/// Decides what a provider's errors do to its connection: they lower its limit of streams, and too many end it
/// (apns-protocol 1.11).
///
/// A value without I/O. Errors are counted against accepted requests, and forgotten with time: so only who does little
/// else than err is slowed, however long it stays.
struct ProviderErrorPolicy {
  /// Errors beyond the accepted requests that end a connection.
  struct Bounds: Sendable, Equatable {
    /// Of any reason; 0: any number.
    var errors: UInt32 = 1_000
    /// BadDeviceToken alone, which is what guessing tokens gets; 0: any number.
    var badDeviceTokens: UInt32 = 250
  }

  /// What ends a connection.
  enum Excess: String, CaseIterable {
    case errors = "too many errors"
    case badDeviceTokens = "too many BadDeviceToken"
  }

  /// What to do with the connection.
  enum Verdict: Equatable {
    case unchanged
    /// Announce this limit of concurrent streams.
    case streams(UInt32)
    case end(Excess)
  }

  private let bounds: Bounds
  private var errors: Double = 0
  private var badDeviceTokens: Double = 0
  /// When time was last taken off the counts, in monotonic nanoseconds.
  private var countedAt: Int64 = 0
  /// How often the limit of streams is halved.
  private var halvings = 0
  private var hasEnded = false

  init(bounds: Bounds) { self.bounds = bounds }

  /// Whether there is an error left that an accepted request makes up for.
  var hasErrors: Bool { errors > 0 || badDeviceTokens > 0 }

  /// The limit of concurrent streams that stands.
  var streams: UInt32 { Limits.providerConcurrentStreams >> UInt32(halvings) }

  /// Notes an accepted request, which makes up for one error.
  mutating func accepted() -> Verdict {
    errors = max(0, errors - 1)
    badDeviceTokens = max(0, badDeviceTokens - 1)
    return evaluate()
  }

  /// Notes a refused request.
  mutating func refused(_ rejection: Rejection, at now: Int64) -> Verdict {
    guard Self.isError(rejection) else { return .unchanged }
    forgive(at: now)
    errors += 1
    if rejection == .badDeviceToken { badDeviceTokens += 1 }
    return evaluate()
  }

  /// Takes off the counts what time forgives: all of a bound in a minute.
  mutating func passTime(at now: Int64) -> Verdict {
    forgive(at: now)
    return evaluate()
  }

  /// Whether the provider could have known better: not of a token that has died, nor of a limit of rates, which says
  /// itself how to go on, nor of a fault of the gateway's.
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
    assert((0...Limits.streamHalvingsMax).contains(wanted), "\(wanted) halvings")
    // Raised a step late, so that a connection at a step's edge is not sent SETTINGS again and again.
    guard wanted > halvings || wanted + 1 < halvings || wanted == 0 && errors < 1 && halvings > 0
    else { return .unchanged }
    halvings = wanted
    return .streams(streams)
  }

  private static func share(_ count: Double, of bound: UInt32) -> Double {
    assert(count >= 0, "a count of \(count)")
    return bound == 0 ? 0 : count / Double(bound)
  }

  /// Traps in debug builds when the fields contradict each other.
  func checkInvariants() {
    assert(errors >= 0 && badDeviceTokens >= 0, "errors are counted, not owed")
    assert((0...Limits.streamHalvingsMax).contains(halvings), "\(halvings) halvings")
    assert(streams > 0, "a provider may always send")
  }
}
