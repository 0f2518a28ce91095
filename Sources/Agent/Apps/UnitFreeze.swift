/// The suspension of one systemd unit: the requested state, the current state, and the pending call.
struct UnitFreeze: Hashable, Sendable {
  /// A call to systemd.
  enum Step: Hashable, Sendable {
    case freeze, thaw
    /// Suspension by signals, for a unit without a freezer.
    case stopProcesses, continueProcesses
  }

  /// The unit's state as last reported by systemd.
  private enum Standing: Hashable {
    case running, frozen, stopped
  }

  /// True if the unit is to be suspended.
  var isWanted = false
  private var standing = Standing.running
  private var hasFreezer = true
  private var open: Step?

  /// True if the unit is running, should keep running, and has no pending call.
  var isOver: Bool { !isWanted && standing == .running && open == nil }

  /// Returns the next call to make and marks it as pending; nil if a call is already pending or none is needed.
  mutating func next() -> Step? {
    guard open == nil else { return nil }
    switch (isWanted, standing) {
    case (true, .running): open = hasFreezer ? .freeze : .stopProcesses
    case (false, .frozen): open = .thaw
    case (false, .stopped): open = .continueProcesses
    case (true, .frozen), (true, .stopped), (false, .running): break
    }
    return open
  }

  /// Handles the answer to the pending call.
  mutating func isAnswered(_ step: Step, isDone: Bool) {
    assert(open == step, "the answer belongs to the pending call")
    open = nil
    switch step {
    case .freeze:
      if isDone { standing = .frozen } else { hasFreezer = false }
    case .stopProcesses:
      // A unit that also rejects a signal has exited.
      if isDone { standing = .stopped } else { isWanted = false }
    case .thaw, .continueProcesses: standing = .running
    }
  }
}
