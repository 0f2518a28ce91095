import Agent
import BelfryWire

/// The severity of the faults on a simulated device.
///
/// The profile is drawn from the seed, so that different seeds test different parts.
struct AgentSimulationProfile {
  let apps: Int
  /// The length of the period with faults, in virtual nanoseconds.
  private(set) var troubled: Int64
  /// The length of the final period without faults, in virtual nanoseconds.
  static let calm: Int64 = 14_400_000_000_000
  let policy: GrantPolicy
  let hasManualClock: Bool
  let pendingLimit: Int
  /// The mean time between two events of the same kind, in nanoseconds.
  let pushEvery: Int64
  let askEvery: Int64
  private(set) var appCrashEvery: Int64
  private(set) var appStartEvery: Int64
  let personEvery: Int64
  let commandEvery: Int64
  private(set) var agentCrashEvery: Int64
  private(set) var clockEvery: Int64
  private(set) var conditionEvery: Int64
  private(set) var placeEvery: Int64
  private(set) var linkEvery: Int64
  /// The proportion of commits after which the agent crashes.
  let crashAtCommit: Double
  /// The proportion of commits that the disk refuses, apart from periods in which it refuses all commits.
  let commitFailure: Double
  private(set) var diskStreakEvery: Int64
  /// The duration of the slowest commit, in milliseconds.
  let commitMost: Int64
  /// The proportion of questions that apps answer immediately and correctly.
  let goodAnswers: Double
  /// True if presenters report immediately what they show.
  ///
  /// Otherwise, they report it later or never.
  let showsAtOnce: Bool
  /// The size of the buffers of the sockets between the agent and the apps.
  let bufferBytes: Int32

  /// Draws a profile; `count` is the number of apps, or nil to draw that number as well.
  init(
    _ random: inout SeededGenerator, length: SimulationLength = .full, apps count: Int? = nil
  ) {
    func pick<Value>(_ choices: Value...) -> Value {
      choices[Int(random.next() % UInt64(choices.count))]
    }
    let never = Int64.max / 4
    let second: Int64 = 1_000_000_000
    let drawn = pick(1, 2, 3)
    apps = count ?? drawn
    troubled = pick(30, 120, 600) * second
    policy = pick(.ask, .ask, .ask, .all, .none, .types([.alert, .badge]))
    hasManualClock = pick(false, false, false, true)
    pendingLimit = pick(2, 5, 64)
    pushEvery = pick(300_000_000, 2 * second, 15 * second)
    askEvery = pick(200_000_000, second, 5 * second)
    appCrashEvery = pick(never, 10 * second, 60 * second)
    appStartEvery = pick(5 * second, 40 * second)
    personEvery = pick(500_000_000, 3 * second, 20 * second)
    commandEvery = pick(second, 5 * second, 30 * second)
    agentCrashEvery = pick(never, 15 * second, 90 * second)
    clockEvery = pick(never, 10 * second, 60 * second)
    conditionEvery = pick(never, 3 * second, 20 * second)
    placeEvery = pick(never, 2 * second, 20 * second)
    linkEvery = pick(never, 10 * second, 60 * second)
    crashAtCommit = pick(0, 0, 0.002, 0.02)
    commitFailure = pick(0, 0, 0.02)
    diskStreakEvery = pick(never, never, 30 * second)
    commitMost = pick(1, 5, 400)
    goodAnswers = pick(0.95, 0.6, 0.2)
    showsAtOnce = pick(true, false)
    bufferBytes = pick(4_096, 65_536, 212_992)
    shorten(to: length)
  }

  private mutating func shorten(to length: SimulationLength) {
    guard length != .full else { return }
    troubled /= length.troubleDivisor
    let intervals: [WritableKeyPath<Self, Int64>] = [
      \.appCrashEvery, \.appStartEvery, \.agentCrashEvery, \.clockEvery, \.conditionEvery,
      \.placeEvery, \.linkEvery, \.diskStreakEvery,
    ]
    for interval in intervals where self[keyPath: interval] < .max / 8 {
      self[keyPath: interval] /= length.intervalDivisor
    }
  }
}
