/// How one systemd unit is suspended and woken: what is wanted, what stands, and the one call that is under
/// way.
struct UnitFreeze: Hashable, Sendable {
  /// A call to systemd.
  enum Step: Hashable, Sendable {
    case freeze, thaw
    /// By signals, where the unit has no freezer.
    case stopProcesses, continueProcesses
  }

  /// How it stands, as far as systemd said.
  private enum Standing: Hashable {
    case running, frozen, stopped
  }

  /// Whether it is to stand still.
  var isWanted = false
  private var standing = Standing.running
  private var hasFreezer = true
  private var open: Step?

  /// Whether it runs, and is to run.
  var isOver: Bool { !isWanted && standing == .running && open == nil }

  /// The next call to make, which is under way then; nil while one is, or where there is none to make.
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

  /// The call that was under way is answered.
  mutating func isAnswered(_ step: Step, isDone: Bool) {
    assert(open == step, "one call is under way")
    open = nil
    switch step {
    case .freeze:
      if isDone { standing = .frozen } else { hasFreezer = false }
    case .stopProcesses:
      // A unit that takes no signal either has ended.
      if isDone { standing = .stopped } else { isWanted = false }
    case .thaw, .continueProcesses: standing = .running
    }
  }
}
