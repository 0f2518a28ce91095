/// The unanswered pushes of a team, over all of its connections on one loop.
final class TeamLoad {
  fileprivate(set) var unanswered = 0

  /// True if one more push may wait for its answer.
  var hasRoom: Bool { unanswered < Limits.teamUnansweredMax }
}

/// The unanswered pushes of one provider connection, including those of requests that have since been reset.
final class ProviderLoad {
  private(set) var unanswered = 0
  /// The team of the connection's credentials, set once a push has been admitted.
  var team: TeamLoad?

  /// True if the connection may be read, because its next push may also wait.
  var hasRoom: Bool { unanswered < Limits.providerUnansweredMax }

  func begin() {
    unanswered += 1
    team?.unanswered += 1
  }

  func end() {
    assert(unanswered > 0, "at least one push is unanswered")
    unanswered -= 1
    team?.unanswered -= 1
  }
}
