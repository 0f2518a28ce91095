import TestSupport

/// The options of `make simulate`.
struct SimulationOptions {
  var model = SimulationModel.gateway
  var length = SimulationLength.full
  /// The rule that a part of a cluster breaks, or nil if all parts keep their rules.
  var planted: PlantedFault?
  /// The seed of the first world, or nil to take a new seed from the clock.
  var seed: UInt64?
  /// The time, in seconds, during which new worlds can begin, or nil for no time limit.
  var seconds: Double?
  /// The number of worlds to run.
  ///
  /// If this value is nil, a given seed means that one world runs; without a seed, worlds run until the time limit.
  var worlds: UInt64?
  /// The number of concurrent processes.
  var jobs = 2
  /// The difference between the numbers of two successive worlds that this process runs.
  ///
  /// If this value is nil, the worlds are distributed among separate processes.
  var stride: UInt64?
  /// The number of worlds after which the first of these worlds is run again.
  ///
  /// Both runs must have the same result.
  var replay = 250

  static let usage =
    "usage: Simulate [--model MODEL] [--length full|short] [--plant FAULT] [--seed N] [--seconds N] [--worlds N] [--jobs N] "
    + "[--replay N]\n"

  /// Parses the arguments; returns nil if they aren't valid.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch name {
      case "--model":
        guard let model = SimulationModel(rawValue: value) else { return nil }
        self.model = model
      case "--length":
        guard let length = SimulationLength(rawValue: value) else { return nil }
        self.length = length
      case "--plant":
        guard let fault = PlantedFault(rawValue: value) else { return nil }
        planted = fault
      case "--seed": seed = UInt64(value)
      case "--seconds": seconds = Double(value)
      case "--worlds": worlds = UInt64(value)
      case "--jobs": jobs = max(1, Int(value) ?? 1)
      case "--replay": replay = max(1, Int(value) ?? 1)
      case "--stride": stride = UInt64(value)
      default: return nil
      }
    }
  }
}
