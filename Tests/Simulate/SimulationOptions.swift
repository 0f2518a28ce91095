import TestSupport

/// What `make simulate` asks for.
struct SimulationOptions {
  var model = SimulationModel.gateway
  var length = SimulationLength.full
  /// The first world; nil for a new one, chosen by the clock.
  var seed: UInt64?
  /// For how long new worlds are begun; nil: by their number.
  var seconds: Double?
  /// How many worlds are played; nil: one where a seed is named, else as many as fit into the time.
  var worlds: UInt64?
  /// Processes that play at once.
  var jobs = 2
  /// Plays by itself, without processes of its own: every `stride`-th world.
  var stride: UInt64?

  static let usage =
    "usage: Simulate [--model MODEL] [--length full|short] [--seed N] [--seconds N] [--worlds N] [--jobs N]\n"

  /// Nil where the arguments are none of these.
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
      case "--seed": seed = UInt64(value)
      case "--seconds": seconds = Double(value)
      case "--worlds": worlds = UInt64(value)
      case "--jobs": jobs = max(1, Int(value) ?? 1)
      case "--stride": stride = UInt64(value)
      default: return nil
      }
    }
  }
}
