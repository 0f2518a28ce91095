/// How long things go wrong in a simulated world, and how often meanwhile.
public enum SimulationLength: String, Sendable {
  /// For minutes, with time between one fault and the next for what it left to settle.
  case full
  /// For seconds, with several times the faults for each push: many more worlds in the same time.
  case short

  /// What the time for which things go wrong is divided by.
  var troubleDivisor: Int64 { self == .full ? 1 : 20 }

  /// What the time between two faults of a kind is divided by.
  var intervalDivisor: Int64 { self == .full ? 1 : 4 }

  /// What follows the seed in the command that replays a world.
  public var replayOption: String { self == .full ? "" : " LENGTH=\(rawValue)" }
}
