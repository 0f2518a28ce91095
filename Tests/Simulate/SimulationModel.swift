import TestSupport

/// A part of Belfry that can be simulated from a seed.
enum SimulationModel: String, CaseIterable {
  /// The gateway with its providers and devices.
  case gateway
  /// The agent with its apps, a user, and a gateway.
  case agent
  /// A campaign with its registry, a push service, and an operator.
  case campaign
  /// The gateway, with agents, their apps and users, and providers.
  case whole
  /// Several gateways that share a database and a bus.
  case cluster
  /// The stores, on a disk that loses power.
  case disk

  /// The result of simulating one world, for any model.
  struct Outcome {
    let violation: String?
    let report: String
    let events: Int
    /// A digest that distinguishes two runs, or nil if the model has no digest.
    let digest: UInt64?
  }

  /// Runs the world of `seed` until its end or the first broken guarantee.
  ///
  /// The store model has only one length.
  func play(
    _ seed: UInt64, length: SimulationLength, planted: PlantedFault?
  ) -> Outcome {
    switch self {
    case .gateway, .whole, .cluster:
      let model: GatewaySimulation.Model =
        self == .cluster ? .cluster : self == .whole ? .whole : .gateway
      let outcome = GatewaySimulation.run(
        seed: seed, length: length, model: model, planted: planted)
      return Outcome(
        violation: outcome.violation, report: outcome.report, events: outcome.events,
        digest: outcome.digest)
    case .agent:
      let outcome = AgentSimulation.run(seed: seed, length: length)
      return Outcome(
        violation: outcome.violation, report: outcome.report, events: outcome.events, digest: nil)
    case .campaign:
      let outcome = CampaignSimulation.run(seed: seed, length: length)
      return Outcome(
        violation: outcome.violation, report: outcome.report, events: outcome.events, digest: nil)
    case .disk:
      let outcome = PowerCutSimulation.run(seed: seed)
      return Outcome(
        violation: outcome.violation, report: outcome.report, events: outcome.cuts, digest: nil)
    }
  }
}
