import Scheduling

/// A point in time on the agent's three clocks.
package struct AgentTime: Hashable, Sendable {
  /// Milliseconds since 1970 on the device's clock.
  package var wall: Int64
  /// Milliseconds of elapsed time, including sleep, from an arbitrary start that is stored on disk.
  package var elapsed: Int64
  /// The time that the machine was awake, in milliseconds, from an arbitrary start.
  ///
  /// This clock measures how long a region crossing lasts.
  package var awake: Int64

  /// Creates a point in time.
  package init(wall: Int64, elapsed: Int64, awake: Int64) {
    self.wall = wall
    self.elapsed = elapsed
    self.awake = awake
  }

  /// The two clocks of the schedule.
  var moment: ScheduleMoment { ScheduleMoment(wall: wall, elapsed: elapsed) }
}
