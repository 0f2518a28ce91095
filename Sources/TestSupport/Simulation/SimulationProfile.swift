/// The severity of the faults in a simulated world.
///
/// The profile is drawn from the seed, so that different seeds test different parts.
struct SimulationProfile {
  /// True if some pushes have a payload of the maximum size.
  var sendsExtremes = true
  /// The number of devices without an agent, which are imitated.
  var devices: Int
  /// The number of devices with the real agent.
  var agents = 0
  var apps: Int
  /// The length of the period with faults, in virtual nanoseconds.
  var troubled: Int64
  /// The length of the final period without faults, in virtual nanoseconds.
  var calm: Int64 = 900_000_000_000
  var latencyMost: Int64
  var commitMost: Int64
  /// The mean time between two pushes, in nanoseconds.
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
  /// The number of bytes that a socket accepts before its reader reads; nil for the kernel's default.
  var bufferBytes: Int32?
  var stallEvery: Int64
  var pauseEvery: Int64
  var fullEvery: Int64
  var clockStepEvery: Int64
  var revokeEvery: Int64
  var feedbackEvery: Int64
  /// The mean time between two periods in which devices discard notifications, in nanoseconds.
  ///
  /// In each period, all notifications are discarded for the same reason.
  var discardEvery: Int64
  /// The mean time between two periods in which one kind of read or write always fails.
  var streakEvery: Int64
  /// True if the wall clock is sometimes moved by forty days and back again.
  var hasLongJumps: Bool
  /// The number of pushes that are sent in a single burst to an offline device.
  var backlog: Int

  /// True if the gateways have a Web Push service, on port 2081 without TLS.
  var servesWebPush = false

  /// The profile of a cluster; nil for a single gateway.
  var cluster: ClusterSimulationProfile?

  /// True if two clocks of the world can differ, or one clock can step.
  var hasUnevenClocks: Bool {
    hasClockSteps || (cluster?.clockDifferenceMilliseconds ?? 0) > 0
  }

  /// True if the wall clock is ever set.
  var hasClockSteps: Bool { clockStepEvery < .max / 8 }

  /// The part of the folder that is restored from an old copy.
  enum RestoredPart {
    case notifications, control, both
  }

  /// The proportion of the gateway's starts before which an old copy is restored.
  var restoreShare: Double
  var restoredPart: RestoredPart
  /// True if the only copy is made while devices are still enrolling.
  var hasEarlyCopy: Bool

  /// True if commits sometimes fail.
  var hasFailingCommits: Bool {
    commitFailure > 0 || fullEvery < .max / 8 || streakEvery < .max / 8 || cluster != nil
  }

  /// Returns the profile for a world in which faults occur only if a test causes them.
  static func quiet(loops: Int = 2, apps: Int = 1) -> SimulationProfile {
    var random = SeededGenerator(seed: 1)
    var profile = SimulationProfile(&random)
    let never = Int64.max / 4
    profile.sendsExtremes = false
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

  /// Replaces the imitated devices, except sometimes one of them, with devices that run the real agent.
  ///
  /// The agents' own faults replace the faults that only an imitated device can have.
  mutating func useAgents(_ random: inout SeededGenerator) {
    agents = 1 + Int(random.next() % 2)
    devices = Int(random.next() % 2)
    // Only the third app stores all of a campaign's pushes.
    if random.next() % 2 == 0 { apps = 4 }
    sendsExtremes = false
    backlog = 0
    restoreShare = 0
    clockStepEvery = .max / 4
    hasLongJumps = false
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
