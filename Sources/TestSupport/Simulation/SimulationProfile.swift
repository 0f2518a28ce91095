/// How rough one simulated world is: drawn from the seed, so that different seeds stress different parts.
struct SimulationProfile {
  var devices: Int
  var apps: Int
  /// Virtual nanoseconds for which things go wrong.
  var troubled: Int64
  /// Virtual nanoseconds in which all is well, at the end.
  var calm: Int64 = 900_000_000_000
  var latencyMost: Int64
  var commitMost: Int64
  /// Nanoseconds between two pushes, on average.
  var pushEvery: Int64
  var gatewayCrashEvery: Int64
  var deviceCrashEvery: Int64
  var cutEvery: Int64
  var darkEvery: Int64
  var stateEvery: Int64
  var topicEvery: Int64
  var offlineEvery: Int64
  var drainEvery: Int64
  var commitFailure: Double
  var window: UInt16
  var keepMost: Int64
  var loops: Int
  var providers: Int
  /// What a socket takes before its reader reads; nil: what the kernel gives.
  var bufferBytes: Int32?
  var stallEvery: Int64
  var pauseEvery: Int64
  var fullEvery: Int64
  var clockStepEvery: Int64
  var revokeEvery: Int64
  var feedbackEvery: Int64
  /// How often devices throw away what comes for a while, each for one of the reasons.
  var discardEvery: Int64
  /// How often one kind of reading or writing fails for a while, each time.
  var streakEvery: Int64
  /// Whether the wall clock is sometimes set by forty days, and back.
  var hasLongJumps: Bool
  /// Pushes that come at once for a device that is away.
  var backlog: Int

  /// Whether the wall clock is ever set.
  var hasClockSteps: Bool { clockStepEvery < .max / 8 }

  /// What of the folder an old copy is restored of.
  enum RestoredPart {
    case notifications, control, both
  }

  /// The share of the gateway's starts before which an old copy is restored.
  var restoreShare: Double
  var restoredPart: RestoredPart
  /// Whether the one copy is made while devices still enrol.
  var hasEarlyCopy: Bool

  /// Whether commits sometimes fail.
  var hasFailingCommits: Bool {
    commitFailure > 0 || fullEvery < .max / 8 || streakEvery < .max / 8
  }

  /// A world in which nothing goes wrong by itself.
  static func quiet(loops: Int = 2, apps: Int = 1) -> SimulationProfile {
    var random = SeededGenerator(seed: 1)
    var profile = SimulationProfile(&random)
    let never = Int64.max / 4
    profile.loops = loops
    profile.apps = apps
    profile.latencyMost = 1_000_000
    profile.commitMost = 2_000_000
    profile.commitFailure = 0
    profile.window = 64
    profile.keepMost = 1_000_000
    profile.bufferBytes = nil
    profile.clockStepEvery = never
    profile.discardEvery = never
    profile.streakEvery = never
    profile.hasLongJumps = false
    profile.backlog = 0
    profile.restoreShare = 0
    return profile
  }

  init(_ random: inout SeededGenerator, length: SimulationLength = .full) {
    func pick(_ choices: Int64...) -> Int64 {
      choices[Int(random.next() % UInt64(choices.count))]
    }
    let never = Int64.max / 4
    let second: Int64 = 1_000_000_000
    devices = Int(pick(1, 2, 3))
    apps = Int(pick(1, 2, 4))
    troubled = pick(20, 60, 180) * second
    latencyMost = pick(1_000_000, 30_000_000, 400_000_000)
    commitMost = pick(2_000_000, 20_000_000, 800_000_000)
    pushEvery = pick(40_000_000, 200_000_000, 1_500_000_000)
    gatewayCrashEvery = pick(never, 25 * second, 90 * second)
    deviceCrashEvery = pick(never, 20 * second, 60 * second)
    cutEvery = pick(never, 5 * second, 40 * second)
    darkEvery = pick(never, 60 * second)
    stateEvery = pick(never, 4 * second, 30 * second)
    topicEvery = pick(never, 10 * second, 60 * second)
    offlineEvery = pick(never, 15 * second, 60 * second)
    drainEvery = pick(never, never, 60 * second)
    commitFailure = pick(0, 0, 1) == 1 ? 0.02 : 0
    window = UInt16(pick(1, 4, 64))
    keepMost = pick(1_000_000, 50_000_000, 2_000_000_000)
    loops = Int(pick(1, 2, 2, 3))
    providers = Int(pick(1, 2, 3))
    bufferBytes = [nil, nil, 4_608][Int(pick(0, 1, 2))]
    hasEarlyCopy = pick(0, 1) == 0
    stallEvery = pick(never, 5 * second, 30 * second)
    pauseEvery = pick(never, second, 10 * second)
    fullEvery = pick(never, never, 40 * second)
    clockStepEvery = pick(never, never, 30 * second)
    revokeEvery = pick(never, never, 60 * second)
    feedbackEvery = pick(never, 20 * second)
    discardEvery = pick(never, 15 * second, 60 * second)
    streakEvery = pick(never, never, 20 * second)
    hasLongJumps = pick(0, 1) == 1
    restoreShare = pick(0, 0, 0, 1) == 1 ? 0.3 : 0
    backlog = pick(0, 1, 2, 3, 4, 5, 6, 7) == 0 && pick(0, 1, 2, 3, 4, 5) == 0 ? 10_000 : 0
    restoredPart = [.notifications, .control, .both][Int(pick(0, 1, 2))]
    shorten(to: length)
  }

  private mutating func shorten(to length: SimulationLength) {
    guard length != .full else { return }
    troubled /= length.troubleDivisor
    backlog /= 10
    let intervals: [WritableKeyPath<Self, Int64>] = [
      \.gatewayCrashEvery, \.deviceCrashEvery, \.cutEvery, \.darkEvery, \.stateEvery, \.topicEvery,
      \.offlineEvery, \.drainEvery, \.stallEvery, \.pauseEvery, \.fullEvery, \.clockStepEvery,
      \.revokeEvery, \.feedbackEvery, \.discardEvery, \.streakEvery,
    ]
    for interval in intervals where self[keyPath: interval] < .max / 8 {
      self[keyPath: interval] /= length.intervalDivisor
    }
  }
}
