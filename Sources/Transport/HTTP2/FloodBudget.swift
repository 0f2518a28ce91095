/// One budget for everything that a peer may send too much of: each frame that is no useful request
/// costs points, a whole request gives some back, and so does time.
struct FloodBudget {
  private var balance: Int32
  private var refilledNanoseconds: Int64

  init(nowNanoseconds: Int64) {
    balance = Limits.floodPoints
    refilledNanoseconds = nowNanoseconds
  }

  /// What costs points.
  enum Event {
    case frame(type: UInt8, flags: UInt8, length: Int)
    /// A stream that this side had to reset: malformed, too large, or made to be reset.
    case resetByUs
    case oversizedHeader
  }

  /// False when the peer has sent too much: ENHANCE_YOUR_CALM.
  mutating func charge(_ event: Event) -> Bool {
    balance &-= Self.cost(event)
    return balance >= 0
  }

  /// A whole request came.
  mutating func credit() {
    balance = min(Limits.floodPoints, balance &+ Limits.requestPoints)
  }

  mutating func refill(nowNanoseconds: Int64) {
    let elapsed = nowNanoseconds &- refilledNanoseconds
    let points = elapsed / (1_000_000_000 / Limits.floodPointsPerSecond)
    guard points > 0 else { return }
    refilledNanoseconds = nowNanoseconds
    let more = Int32(truncatingIfNeeded: min(points, Int64(Limits.floodPoints)))
    balance = min(Limits.floodPoints, balance &+ more)
  }

  private static func cost(_ event: Event) -> Int32 {
    switch event {
    case .resetByUs: 40
    case .oversizedHeader: 200
    case .frame(let type, let flags, let length):
      switch HTTP2FrameType(rawValue: type) {
      case .data where length >= Limits.usefulDataBytes || flags & 1 != 0: 0
      case .data: length == 0 ? 20 : 5
      case .headers: 1
      case .priority: 4
      case .resetStream: 30
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
}

/// RFC 9113 section 6.
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
