/// The size of a simulated cluster, and the severity of the faults that only a cluster has.
struct ClusterSimulationProfile {
  var nodes: Int
  var leaseMilliseconds: Int64
  /// The greatest difference between a machine's wall clock and the world's, in milliseconds.
  var clockDifferenceMilliseconds: Int64
  /// The share of the transactions whose connection is lost before the client knows the result.
  var unknownShare: Double
  /// The mean time between two absences of the database, in nanoseconds.
  var absenceEvery: Int64
  /// The mean time between two periods in which the primary server is cut off from its standby server.
  var isolationEvery: Int64
  /// The mean time between two periods in which a node is frozen, often for longer than its lease.
  var freezeEvery: Int64
  /// The mean time between two absences of the bus.
  var busAbsenceEvery: Int64
  /// The mean time between two periods in which two nodes cannot reach each other over the bus.
  var partitionEvery: Int64
  /// The shares of messages that are lost and doubled.
  var loss: Double
  var doubling: Double
  /// The time, in nanoseconds, that most messages take at most.
  var delayMost: Int64
  /// The mean time between two revocations of provider keys.
  var keyRevocationEvery: Int64

  /// Returns the profile for a cluster in which faults occur only if a test causes them.
  static func quiet(nodes: Int) -> ClusterSimulationProfile {
    var random = SeededGenerator(seed: 1)
    var profile = ClusterSimulationProfile(&random, length: .full)
    let never = Int64.max / 4
    profile.nodes = nodes
    profile.leaseMilliseconds = 30_000
    profile.clockDifferenceMilliseconds = 0
    profile.unknownShare = 0
    profile.absenceEvery = never
    profile.isolationEvery = never
    profile.freezeEvery = never
    profile.busAbsenceEvery = never
    profile.partitionEvery = never
    profile.loss = 0
    profile.doubling = 0
    profile.delayMost = 1_000_000
    profile.keyRevocationEvery = never
    return profile
  }

  init(_ random: inout SeededGenerator, length: SimulationLength) {
    func pick(_ choices: Int64...) -> Int64 {
      choices[Int(random.next() % UInt64(choices.count))]
    }
    let never = Int64.max / 4
    let second: Int64 = 1_000_000_000
    nodes = Int(pick(2, 2, 3, 4))
    leaseMilliseconds = pick(5, 10, 30) * 1_000
    clockDifferenceMilliseconds = pick(0, 0, 1_000, 180_000)
    unknownShare = [0, 0.02, 0.1][Int(pick(0, 1, 2))]
    absenceEvery = pick(never, 20 * second, 60 * second)
    isolationEvery = pick(never, 20 * second, 60 * second)
    freezeEvery = pick(never, 20 * second, 60 * second)
    busAbsenceEvery = pick(never, 15 * second, 60 * second)
    partitionEvery = pick(never, 15 * second, 60 * second)
    loss = [0, 0.02, 0.3][Int(pick(0, 1, 2))]
    doubling = [0, 0.02, 0.3][Int(pick(0, 1, 2))]
    delayMost = pick(1_000_000, 30_000_000, 800_000_000)
    keyRevocationEvery = pick(never, 20 * second, 60 * second)
    guard length != .full else { return }
    let intervals: [WritableKeyPath<Self, Int64>] = [
      \.absenceEvery, \.isolationEvery, \.freezeEvery, \.busAbsenceEvery, \.partitionEvery,
      \.keyRevocationEvery,
    ]
    for interval in intervals where self[keyPath: interval] < .max / 8 {
      self[keyPath: interval] /= length.intervalDivisor
    }
  }
}

extension SimulationProfile {
  /// Replaces the faults that only a single gateway has with those of a cluster.
  mutating func useCluster(_ random: inout SeededGenerator, length: SimulationLength) {
    cluster = ClusterSimulationProfile(&random, length: length)
    // The stores are in the database, which no node restores, and the differences between the clocks are constant.
    restoreShare = 0
    clockStepEvery = .max / 4
    hasLongJumps = false
    backlog /= 10
    loops = min(loops, 2)
    // Shorter worlds have more starts and claims in the same time.
    if length == .full { troubled = min(troubled, 60_000_000_000) }
  }
}
