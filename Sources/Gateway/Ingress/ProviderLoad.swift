/// A team's pushes that wait for their answer, of all of its connections on one loop.
final class TeamLoad {
  fileprivate(set) var unanswered = 0

  /// Whether one more may wait.
  var hasRoom: Bool { unanswered < Limits.teamUnansweredMax }
}

/// The pushes of one provider's connection that wait for their answer, also of requests that were reset since.
final class ProviderLoad {
  private(set) var unanswered = 0
  /// The team that the connection's credentials are of, once a push was admitted.
  var team: TeamLoad?

  /// Whether the connection may be read: what it sends next may wait too.
  var hasRoom: Bool { unanswered < Limits.providerUnansweredMax }

  func begin() {
    unanswered += 1
    team?.unanswered += 1
  }

  func end() {
    assert(unanswered > 0, "more is answered than was asked")
    unanswered -= 1
    team?.unanswered -= 1
  }
}
