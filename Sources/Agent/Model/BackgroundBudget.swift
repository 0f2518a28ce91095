import BelfryWire
import AppWire

/// A token bucket that limits how often one app is woken in the background.
///
/// The bucket refills faster for an app whose wakes bring new data (S2-17, S2-22; client-api 3.45, 3.47).
package struct BackgroundBudget: Hashable, Sendable {
  /// The number of wakes in a full bucket.
  package static let capacity = 10.0
  /// Wakes per hour for an app whose wakes all bring new data; Apple advises two or three.
  package static let wakesPerHour = 3.0
  /// The fraction of `wakesPerHour` for an app whose wakes never bring new data.
  static let minimumShare = 0.25

  private var level = Self.capacity
  /// A moving average of the usefulness of wakes, from 0 to 1.
  private var usefulness = 1.0
  /// The time when `level` was last updated, in milliseconds since 1970.
  private var levelMilliseconds: Int64?

  init() {}

  /// Consumes a wake; returns false if none is available.
  mutating func consumeWake(atUnixMilliseconds now: Int64) -> Bool {
    settle(now)
    guard level >= 1 else { return false }
    level -= 1
    return true
  }

  /// Returns the time when the next wake is available, in milliseconds since 1970.
  func nextUnixMilliseconds(after now: Int64) -> Int64 {
    var settled = self
    settled.settle(now)
    guard settled.level < 1 else { return now }
    let hours = (1 - settled.level) / Self.rate(usefulness)
    return now + Int64((hours * 3_600_000).rounded(.up))
  }

  /// Records the result of a wake; `result` is nil if the app did not report a result before its timeout.
  mutating func finishWake(_ result: FetchResult?) {
    switch result {
    case .newData: usefulness += (1 - usefulness) / 4
    case .noData: usefulness *= 0.9
    case .failed: usefulness *= 0.75
    case nil: usefulness *= 0.5
    }
  }

  /// The budget as stored on disk, so that a restart grants no new wakes.
  var json: JSONObject {
    [
      "level": .double(level), "usefulness": .double(usefulness),
      "at": levelMilliseconds.map(JSONValue.integer) ?? .null,
    ]
  }

  /// Reads a stored budget; missing or invalid values keep their defaults.
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

  /// Traps in debug builds if the budget is out of bounds.
  func checkInvariants() {
    assert((0...Self.capacity).contains(level), "the level is between 0 and the budget's capacity")
    assert((0...1).contains(usefulness), "usefulness is between 0 and 1")
  }

  private static func rate(_ usefulness: Double) -> Double {
    wakesPerHour * (minimumShare + (1 - minimumShare) * usefulness)
  }
}
