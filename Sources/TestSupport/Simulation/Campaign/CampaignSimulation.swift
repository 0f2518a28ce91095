import BelfryProvider
import BelfryWire
import ProviderService
import Storage
import System

/// A simulation of a campaign with its registry, a push service, and an operator, on one thread, with one seed and a
/// virtual clock.
///
/// The real ``CampaignWork`` sends the campaign, with the real lifecycle, pacing, delivery-log queries, and an
/// in-memory registry store. For a while, everything that can fail does: the provider service crashes; the store fails
/// before or after a write; requests and answers are lost; the push service is unreachable or busy; its log cannot be
/// read or has lost lines; apps unregister; and the operator pauses, resumes, or cancels. Then a period without faults
/// follows, in which the campaign must end. The same seed always produces the same run.
public final class CampaignSimulation: SimulatedWorld, @unchecked Sendable {
  // The class is used only on one thread, which makes the unchecked conformance safe.

  /// The result of a run.
  public struct Outcome: Sendable {
    /// The seed of the run.
    public let seed: UInt64
    /// The length of the period with faults.
    public let length: SimulationLength
    /// The first violation; `nil` if no promise was violated.
    public let violation: String?
    /// The last events before the violation.
    public let trace: [String]
    /// The number of pushes that were submitted.
    public let pushes: Int
    /// The number of starts of the provider service.
    public let starts: Int
    /// The number of events on the virtual clock.
    public let events: Int

    /// The report for developers, with the command that replays the run.
    public var report: String {
      guard let violation else {
        return "seed \(seed): \(pushes) pushes, \(starts) starts, \(events) events"
      }
      let lines = trace.map { "  " + $0 }.joined(separator: "\n")
      return
        "seed \(seed): \(violation)\n\(lines)\nreplay it with: make simulate MODEL=campaign SEED=\(seed)"
        + length.replayOption
    }
  }

  /// Runs the world generated from `seed` to its end or to the first violation.
  public static func run(seed: UInt64, length: SimulationLength = .full) -> Outcome {
    let outcome = CampaignSimulation(seed: seed, length: length, isTracing: false).play()
    guard outcome.violation != nil else { return outcome }
    return CampaignSimulation(seed: seed, length: length, isTracing: true).play()
  }

  let time: VirtualTime
  var random: SeededGenerator
  private var ownJournal: SimulationJournal
  /// The world of the gateway to which the campaign is sent; nil if a push service is imitated.
  private(set) unowned var host: GatewaySimulation?
  let profile: CampaignSimulationProfile
  private(set) var isTroubled = true
  private let seed: UInt64
  private let length: SimulationLength
  private(set) lazy var service: any CampaignPushService =
    host.map { HostedPushService(of: self, in: $0) } ?? SimulatedPushGateway(in: self)
  private(set) lazy var provider = SimulatedProviderService(in: self)
  private(set) var ledger = CampaignLedger()

  private init(seed: UInt64, length: SimulationLength, isTracing: Bool) {
    self.seed = seed
    self.length = length
    time = VirtualTime()
    ownJournal = SimulationJournal(isTracing: isTracing)
    random = SeededGenerator(seed: seed)
    profile = CampaignSimulationProfile(&random, length: length)
  }

  /// Creates a campaign that is sent to a simulated gateway and shares the clock and the journal of the gateway's
  /// world.
  init(in host: GatewaySimulation) {
    seed = host.random.next()
    length = host.length
    self.host = host
    time = host.time
    ownJournal = SimulationJournal(isTracing: false)
    random = SeededGenerator(seed: seed)
    var profile = CampaignSimulationProfile(&random, length: length)
    // Disable quiet hours, because they last longer than the gateway's world.
    profile.hasQuietHours = false
    self.profile = profile
  }

  var journal: SimulationJournal {
    _read {
      if let host { yield host.journal } else { yield ownJournal }
    }
    _modify {
      if let host { yield &host.journal } else { yield &ownJournal }
    }
  }

  var label: String { host == nil ? "" : "campaign: " }

  /// Returns true if a fault of this kind occurs now, which is a random choice.
  func failsNow(_ fault: CampaignSimulationProfile.Fault) -> Bool {
    isTroubled && chance(profile.chances[fault] ?? 0)
  }

  /// Applies a change to the ledger, and reports a violation if the change returns one.
  func record(_ change: (inout CampaignLedger) -> String?) {
    if let promise = change(&ledger) { fail(promise) }
  }

  private func play() -> Outcome {
    begin()
    let end = time.now + profile.troubled
    step(until: end)
    calmDown()
    step(until: end + profile.calm)
    check()
    time.cancelAll()
    return Outcome(
      seed: seed, length: length, violation: violation, trace: Array(journal.lines.suffix(120)),
      pushes: ledger.submitted, starts: provider.starts, events: time.eventsHandled)
  }

  /// Registers the devices, and starts the campaign.
  func begin() {
    assert(ledger.devices.isEmpty, "a campaign begins once")
    do throws(StorageFailure) {
      try provider.prepare()
      provider.start()
      provider.plan()
    } catch {
      fail("the world's own store failed: \(error)")
    }
  }

  /// Ends all faults.
  func calmDown() {
    note("the faults end")
    isTroubled = false
    provider.calmDown()
  }

  /// Checks the promises at the end of the world.
  func check() {
    guard violation == nil else { return }
    do throws(StorageFailure) {
      if let promise = try provider.checkEnd(ledger) { fail(promise) }
    } catch {
      fail("the world's own store failed: \(error)")
    }
  }

  private func step(until end: Int64) {
    while violation == nil, time.nextEvent <= end { time.handleNext() }
    time.advance(to: end)
  }
}

/// The severity of the faults in a simulated campaign.
struct CampaignSimulationProfile {
  /// A kind of fault.
  enum Fault: CaseIterable {
    /// The store refuses a write.
    case writes
    /// The store reports an error although it performed a write.
    case lateErrors
    case reads
    /// A request does not reach the push service.
    case lostRequests
    /// The push service crashes after it receives a request and before it commits the push.
    case lostCommits
    case lostAnswers
    /// The push service answers with an internal error, although the device might get the push.
    case internalErrors
    /// The push service answers that it is busy.
    case busy
    /// The push service refuses the whole campaign.
    case refusals
    /// No connection can be opened.
    case unreachable
    /// The delivery log cannot be read.
    case unreadableLog
    /// The provider service crashes after a step.
    case crashes
  }

  let devices: Int
  let hasLog: Bool
  let rate: Int64?
  var hasQuietHours: Bool
  /// The number of lines that the delivery log retains.
  let keptLines: Int
  /// The number of lines about other notifications that each push adds to the log.
  let otherLines: Int
  /// The difference between the push service's clock and the provider's, in milliseconds.
  let aheadMilliseconds: Int64
  /// The maximum time between two consecutive steps of a request, in milliseconds.
  let latencyMilliseconds: Int64
  let troubled: Int64
  let calm: Int64 = 3 * 86_400_000_000_000
  /// The mean time between two events of the same kind, in nanoseconds.
  let operatorEvery: Int64
  let restartEvery: Int64
  let unregisterEvery: Int64
  private(set) var chances: [Fault: Double] = [:]

  init(_ random: inout SeededGenerator, length: SimulationLength) {
    func pick<Value>(_ choices: Value...) -> Value {
      choices[Int(random.next() % UInt64(choices.count))]
    }
    let second: Int64 = 1_000_000_000
    let never = Int64.max / 4
    devices = pick(1, 3, 12, 12, 40, 40, 120, 700)
    hasLog = pick(true, true, true, false)
    rate = pick(nil, nil, nil, 2, 30, 500)
    hasQuietHours = pick(false, false, true)
    keptLines = pick(40, 2_000, 2_000)
    otherLines = pick(0, 0, 1, 3)
    aheadMilliseconds = pick(0, 0, -90_000, 3_600_000)
    latencyMilliseconds = pick(2, 50, 800)
    troubled = pick(20, 120, 600) * second / length.troubleDivisor.clamped(to: 1...5)
    operatorEvery = pick(never, 10 * second, 60 * second) / length.intervalDivisor
    restartEvery = pick(never, 10 * second, 60 * second) / length.intervalDivisor
    unregisterEvery = pick(never, 2 * second) / length.intervalDivisor
    for fault in Fault.allCases {
      chances[fault] = pick(0, 0, 0.01, 0.1, 0.3)
    }
    // Keep refusals rare: a refusal only pauses the campaign, so constant refusals would test nothing else.
    chances[.refusals] = pick(0, 0, 0.002)
    chances[.crashes] = pick(0, 0, 0.01, 0.1)
  }
}

extension Int64 {
  fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
