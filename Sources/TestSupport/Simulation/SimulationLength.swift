/// The length of the period with faults in a simulated world, which also determines the frequency of the faults.
public enum SimulationLength: String, Sendable {
  /// Minutes, with enough time between faults for their consequences to settle.
  case full
  /// Seconds, with several times as many faults per push, so that many more worlds run in the same time.
  case short

  /// The divisor of the length of the period with faults.
  var troubleDivisor: Int64 { self == .full ? 1 : 20 }

  /// The divisor of the time between two faults of the same kind.
  var intervalDivisor: Int64 { self == .full ? 1 : 4 }

  /// The text that follows the seed in the command that replays a world.
  public var replayOption: String { self == .full ? "" : " LENGTH=\(rawValue)" }
}
