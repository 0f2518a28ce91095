import TestSupport

/// A part of Belfry that is played under seeds.
enum SimulationModel: String, CaseIterable {
  /// The gateway with its providers and devices.
  case gateway
  /// The agent with its apps, a person and a gateway.
  case agent
  /// The stores on a disk whose power goes.
  case disk

  /// What one world showed, whatever the model.
  struct Outcome {
    let violation: String?
    let report: String
    let events: Int
    /// What tells two runs apart; nil where the model has none.
    let digest: UInt64?
  }

  /// Plays the world of `seed` to its end, or to the first broken promise; those of the stores have one length.
  func play(_ seed: UInt64, length: SimulationLength) -> Outcome {
    switch self {
    case .gateway:
      let outcome = GatewaySimulation.run(seed: seed, length: length)
      return Outcome(
        violation: outcome.violation, report: outcome.report, events: outcome.events,
        digest: outcome.digest)
    case .agent:
      let outcome = AgentSimulation.run(seed: seed, length: length)
      return Outcome(
        violation: outcome.violation, report: outcome.report, events: outcome.events, digest: nil)
    case .disk:
      let outcome = PowerCutSimulation.run(seed: seed)
      return Outcome(
        violation: outcome.violation, report: outcome.report, events: outcome.cuts, digest: nil)
    }
  }
}
