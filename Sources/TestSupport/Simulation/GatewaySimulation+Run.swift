/// The runs of worlds, and their results.
extension GatewaySimulation {
  /// The part of Belfry that a world contains.
  public enum Model: String, Sendable {
    /// A gateway with its providers and devices.
    case gateway
    /// A gateway with agents and a campaign.
    case whole
    /// Several gateways that share a database and a bus.
    case cluster
  }

  /// The result of a run.
  public struct Outcome: Sendable {
    /// The seed of the run.
    public let seed: UInt64
    /// The length of the period with faults.
    public let length: SimulationLength
    /// The first violation; `nil` if no promise was violated.
    public internal(set) var violation: String?
    /// The last events that are relevant to the violation.
    public let trace: [String]
    /// The number of pushes that were created.
    public let pushes: Int
    /// The number of pushes that were answered with 200.
    public let accepted: Int
    /// The number of notifications that were displayed.
    public let shown: Int
    /// The number of times that an older control store was restored.
    public let controlRestorations: Int
    /// The number of events on the virtual clock.
    public let events: Int
    /// A digest of the run, which differs if two runs differ.
    ///
    /// The digest covers the time of every event and every random number.
    public let digest: UInt64
    /// The model of the world.
    public var model = Model.gateway
    /// The rule that a part of the world breaks; nil if all parts keep their rules.
    public var planted: PlantedFault?

    /// The report for developers, with the command that replays the run.
    public var report: String {
      guard let violation else {
        return
          "seed \(seed): \(pushes) pushes, \(accepted) accepted, \(shown) shown, "
          + "\(controlRestorations) restored, \(events) events, digest \(String(digest, radix: 16))"
      }
      let lines = trace.map { "  " + $0 }.joined(separator: "\n")
      return
        "seed \(seed): \(violation)\n\(lines)\nreplay it with: make simulate MODEL=\(model.rawValue) SEED=\(seed)"
        + length.replayOption + (planted.map { " PLANT=\($0.rawValue)" } ?? "")
    }
  }

  /// Runs the world generated from `seed` to its end or to the first violation.
  ///
  /// If `hasAgents` is true, the devices run the real agent.
  public static func run(
    seed: UInt64, length: SimulationLength = .full, hasAgents: Bool = false
  ) -> Outcome {
    run(seed: seed, length: length, model: hasAgents ? .whole : .gateway)
  }

  /// Runs the world of a model to its end or to the first violation; `planted` is a rule that a part of the world breaks.
  public static func run(
    seed: UInt64, length: SimulationLength = .full, model: Model, planted: PlantedFault? = nil
  ) -> Outcome {
    let outcome = run(
      seed: seed, length: length, isTracing: false, model: model, planted: planted)
    guard let violation = outcome.violation else { return outcome }
    var traced = run(seed: seed, length: length, isTracing: true, model: model, planted: planted)
    if traced.digest != outcome.digest {
      traced.violation = "\(violation); the traced run diverged from the first run"
    }
    return traced
  }

  /// Runs the world generated from `seed` with different keys and certificates, which must not affect the run.
  static func run(seed: UInt64, identities: SimulatedIdentities) -> Outcome {
    run(seed: seed, length: .full, isTracing: false, identities: identities)
  }

  private static func run(
    seed: UInt64, length: SimulationLength, isTracing: Bool,
    identities: SimulatedIdentities? = nil, model: Model = .gateway,
    planted: PlantedFault? = nil
  ) -> Outcome {
    do {
      let world = try GatewaySimulation(
        seed: seed, length: length, isTracing: isTracing, identities: identities,
        model: model, planted: planted)
      return world.play()
    } catch {
      return Outcome(
        seed: seed, length: length, violation: "the world could not be created: \(error)",
        trace: [], pushes: 0, accepted: 0, shown: 0, controlRestorations: 0, events: 0, digest: 0,
        model: model, planted: planted)
    }
  }
}
