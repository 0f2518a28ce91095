/// The count of a team's unanswered pushes on all of its connections to one loop.
final class TeamLoad {
  fileprivate(set) var unanswered = 0

  /// True if one more push can wait for its answer.
  var hasRoom: Bool { unanswered < Limits.teamUnansweredMax }
}

/// The count of unanswered pushes on one provider connection, including pushes whose requests were reset in the
/// meantime.
final class ProviderLoad {
  private(set) var unanswered = 0
  /// The team of the connection's credentials, set once a push has been admitted.
  var team: TeamLoad?

  /// True if one more push can wait for its answer; the gateway can then continue to read from the connection.
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
