/// A budget of points that limits the excess traffic a peer can send on one connection.
///
/// Every frame that isn't part of a useful request costs points. Complete requests and the passage of time restore
/// points.
struct FloodBudget {
  private var balance: Int32
  /// The time up to which points have been restored, in monotonic nanoseconds.
  private var refilledNanoseconds: Int64
  /// The number of answered streams that the peer may still reset without a charge, once each.
  private var answeredStreams: UInt64 = 0
  /// The reason that the budget was exhausted; nil if points remain.
  private(set) var excess: StaticString?
  private static let nanosecondsPerPoint = 1_000_000_000 / Limits.floodPointsPerSecond

  init(nowNanoseconds: Int64) {
    balance = Limits.floodPoints
    refilledNanoseconds = nowNanoseconds
  }

  /// An event that costs points.
  enum Event {
    case frame(type: UInt8, flags: UInt8, length: Int)
    /// This side reset a stream, for example because the stream was malformed or too large.
    case resetByUs
    case oversizedHeader
    /// The peer reset a stream that awaits its answer.
    case reset
    /// The peer reset a stream that has closed or is being answered.
    case lateReset
  }

  /// Deducts the points that an event costs.
  ///
  /// Returns false if the peer has exhausted its budget; the connection is then closed with ENHANCE_YOUR_CALM.
  mutating func charge(_ event: Event) -> Bool {
    if case .lateReset = event, answeredStreams > 0 {
      answeredStreams -= 1
    } else {
      balance &-= Self.cost(event)
    }
    guard balance < 0 else { return true }
    excess = excess ?? Self.excess(of: event)
    return false
  }

  /// Allows one free reset of an answered stream.
  ///
  /// If an answer arrives early, a client might reset the stream before it notices that its own request is complete.
  mutating func streamAnswered() { answeredStreams &+= 1 }

  /// Restores the points for a complete request.
  mutating func credit() {
    balance = min(Limits.floodPoints, balance &+ Limits.requestPoints)
  }

  /// Restores the points for the elapsed time.
  mutating func refill(nowNanoseconds: Int64) {
    let elapsed = nowNanoseconds &- refilledNanoseconds
    assert(elapsed >= 0, "the monotonic clock does not go backward")
    let points = elapsed / Self.nanosecondsPerPoint
    guard points > 0 else { return }
    // The remaining time counts toward the next point.
    refilledNanoseconds &+= points &* Self.nanosecondsPerPoint
    let more = Int32(truncatingIfNeeded: min(points, Int64(Limits.floodPoints)))
    balance = min(Limits.floodPoints, balance &+ more)
    checkInvariants(nowNanoseconds: nowNanoseconds)
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants(nowNanoseconds: Int64) {
    assert(balance <= Limits.floodPoints, "the balance does not exceed that of a new connection")
    let rest = nowNanoseconds &- refilledNanoseconds
    assert((0..<Self.nanosecondsPerPoint).contains(rest), "every whole point was refilled")
  }

  private static func cost(_ event: Event) -> Int32 {
    switch event {
    case .resetByUs: 40
    case .oversizedHeader: 200
    case .reset, .lateReset: 30
    case .frame(let type, let flags, let length):
      switch HTTP2FrameType(rawValue: type) {
      case .data where length >= Limits.usefulDataBytes || flags & 1 != 0: 0
      case .data: length == 0 ? 20 : 5
      case .headers: 1
      case .priority: 4
      // The cost is charged later, when the state of the reset stream is known.
      case .resetStream: 0
      case .settings: flags & 1 != 0 ? 1 : 40
      case .pushPromise: 100
      case .ping: 10
      case .goAway: 10
      case .windowUpdate: 4
      case .continuation: 10
      case nil: 20
      }
    }
  }

  /// Returns the reason that the connection is closed, for its GOAWAY and the log.
  private static func excess(of event: Event) -> StaticString {
    switch event {
    case .resetByUs: "too many streams that had to be reset"
    case .oversizedHeader: "too many header lists over the limit"
    case .reset, .lateReset: "too many RST_STREAM frames"
    case .frame(let type, _, _):
      switch HTTP2FrameType(rawValue: type) {
      case .data: "too many empty DATA frames"
      case .headers: "too many HEADERS frames"
      case .priority: "too many PRIORITY frames"
      case .resetStream: "too many RST_STREAM frames"
      case .settings: "too many SETTINGS frames"
      case .pushPromise: "too many PUSH_PROMISE frames"
      case .ping: "too many PING frames"
      case .goAway: "too many GOAWAY frames"
      case .windowUpdate: "too many WINDOW_UPDATE frames"
      case .continuation: "too many CONTINUATION frames"
      case nil: "too many frames of unknown types"
      }
    }
  }
}

/// The frame types of RFC 9113 section 6.
enum HTTP2FrameType: UInt8 {
  case data
  case headers
  case priority
  case resetStream
  case settings
  case pushPromise
  case ping
  case goAway
  case windowUpdate
  case continuation
}
