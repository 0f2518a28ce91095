import BelfryWire

/// A token bucket that limits how often one app is woken in the background; it refills faster for an app whose
/// wakes bring new data (S2-17, S2-22; client-api 3.45, 3.47).
struct BackgroundBudget: Hashable, Sendable {
  /// Wakes in a full bucket.
  static let capacity = 10.0
  /// Wakes per hour of an app whose wakes all bring new data: Apple advises two or three.
  static let wakesPerHour = 3.0
  /// The share of that rate for an app whose wakes never bring any.
  static let minimumShare = 0.25

  private var level = Self.capacity
  /// From 0 to 1: a moving average of what wakes brought.
  private var usefulness = 1.0
  /// When `level` was last updated, in milliseconds since 1970.
  private var levelMilliseconds: Int64?

  init() {}

  /// Uses a wake, and returns whether there was one.
  mutating func consumeWake(atUnixMilliseconds now: Int64) -> Bool {
    settle(now)
    guard level >= 1 else { return false }
    level -= 1
    return true
  }

  /// Returns when the next wake is available, in milliseconds since 1970.
  func nextUnixMilliseconds(after now: Int64) -> Int64 {
    var settled = self
    settled.settle(now)
    guard settled.level < 1 else { return now }
    let hours = (1 - settled.level) / Self.rate(usefulness)
    return now + Int64((hours * 3_600_000).rounded(.up))
  }

  /// Records the result of a wake; nil when the app did not report one in time.
  mutating func finishWake(_ result: FetchResult?) {
    switch result {
    case .newData: usefulness += (1 - usefulness) / 4
    case .noData: usefulness *= 0.9
    case .failed: usefulness *= 0.75
    case nil: usefulness *= 0.5
    }
  }

  /// The budget as it is kept on disk: a restart gives no new wakes.
  var json: JSONObject {
    [
      "level": .double(level), "usefulness": .double(usefulness),
      "at": levelMilliseconds.map(JSONValue.integer) ?? .null,
    ]
  }

  /// Reads what `json` made; what is absent or out of bounds keeps its default.
  init(json: JSONObject) {
    if let level = json["level"]?.doubleValue, (0...Self.capacity).contains(level) {
      self.level = level
    }
    if let usefulness = json["usefulness"]?.doubleValue, (0...1).contains(usefulness) {
      self.usefulness = usefulness
    }
    levelMilliseconds = json["at"]?.integerValue
  }

  private mutating func settle(_ now: Int64) {
    // A clock that was set back neither adds nor removes wakes.
    let passed = max(0, now - (levelMilliseconds ?? now))
    let gained = Double(passed) / 3_600_000 * Self.rate(usefulness)
    level = min(Self.capacity, level + gained)
    levelMilliseconds = now
  }

  /// Traps in debug builds when the budget is out of bounds.
  func checkInvariants() {
    assert((0...Self.capacity).contains(level), "a budget has at most its capacity")
    assert((0...1).contains(usefulness), "usefulness is a share")
  }

  private static func rate(_ usefulness: Double) -> Double {
    wakesPerHour * (minimumShare + (1 - minimumShare) * usefulness)
  }
}
