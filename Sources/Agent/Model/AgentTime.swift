import BelfryWire

/// A moment on the agent's three clocks.
struct AgentTime: Hashable, Sendable {
  /// Milliseconds since 1970, as the device's clock says.
  var wall: Int64
  /// Elapsed milliseconds, asleep or awake, from an arbitrary start that is kept on disk.
  var elapsed: Int64
  /// Milliseconds that the machine was awake, from an arbitrary start: what a crossing must last.
  var awake: Int64

  /// Creates a moment.
  init(wall: Int64, elapsed: Int64, awake: Int64) {
    self.wall = wall
    self.elapsed = elapsed
    self.awake = awake
  }

  /// The two clocks of the schedule.
  var moment: ScheduleMoment { ScheduleMoment(wall: wall, elapsed: elapsed) }
}
