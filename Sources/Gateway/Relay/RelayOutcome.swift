import PushWire

/// The consequence of an upstream's result for the sender, the log, and the operator.
enum RelayOutcome: Sendable, Equatable {
  /// The sender gets the upstream's answer.
  case answered(UpstreamAnswer)
  /// The answer concerns the publisher's credentials: the sender gets 503, and the operator an error in the log.
  case withheld(UpstreamAnswer)
  /// The upstream did not process the push: the sender gets 503, and the operator an error in the log.
  case unreachable(reason: String)  // text: only tests compare it
  /// The maximum number of unanswered pushes was reached, so the push was not sent: the sender gets 503.
  case busy
  /// The sender's budget is used up, so the push was not sent: the sender gets 429.
  case overBudget(retryAfterSeconds: Int64)
  /// The store could not count the push for the sender's budget, so the push was not sent: the sender gets 503.
  case uncounted
  /// The upstream might have accepted the push: the sender gets 503, and the log contains `Unknown`.
  case unknown(reason: String)  // text: only tests compare it

  init(_ result: UpstreamResult) {
    switch result {
    case .unreachable(let reason): self = .unreachable(reason: reason)
    case .unknown(let reason): self = .unknown(reason: reason)
    case .answered(let answer):
      if answer.status == 200 {
        self = .answered(answer)
      } else if !(400..<600).contains(answer.status) || answer.reason.isEmpty {
        // A proxy in front of the upstream answered, and nothing is known about the push.
        self = .unknown(reason: "the upstream answered with status \(answer.status) and no reason")
      } else {
        self = Self.isAboutCredentials(answer) ? .withheld(answer) : .answered(answer)
      }
    }
  }

  /// Returns true if an answer concerns the publisher's credentials or their use, which the sender cannot change.
  private static func isAboutCredentials(_ answer: UpstreamAnswer) -> Bool {
    if answer.status == 403 { return true }
    return Rejection(reason: answer.reason) == .tooManyProviderTokenUpdates
  }

  /// The label by which the metrics count this outcome.
  var kind: RelayKind {
    switch self {
    case .answered(let answer): answer.status == 200 ? .accepted : .refused
    case .withheld: .credentials
    case .unreachable: .unreachable
    case .busy: .busy
    case .overBudget: .budget
    case .uncounted: .uncounted
    case .unknown: .unknown
    }
  }

  /// The problem that the operator must fix; nil if the outcome is not a problem.
  var problem: RelayProblem? {
    switch self {
    case .withheld(let answer):
      RelayProblem(
        kind: .credentials, what: "the upstream refuses the publisher's credentials",
        why: "\(answer.status) \(answer.reason)",
        remedy: "check the key, its ID and its team, and run 'belfry upstream add' again")
    case .unreachable(let reason):
      RelayProblem(
        kind: .unreachable, what: "cannot send to the upstream", why: reason,
        remedy: "check the network and the upstream; senders get 503 until it answers")
    case .unknown(let reason):
      RelayProblem(
        kind: .unknown, what: "the upstream did not answer pushes that it might have accepted",
        why: reason, remedy: "see the lines with the state Unknown in 'belfry log'")
    case .busy:
      RelayProblem(
        kind: .busy, what: "the upstream answers too slowly",
        why: "\(Limits.relayUnansweredMax) pushes of the topic are unanswered",
        remedy: "check the upstream; senders get 503 for further pushes")
    case .uncounted:
      RelayProblem(
        kind: .uncounted, what: "cannot count pushes for the sender's budget",
        why: "the store failed, or the budget's row is damaged",
        remedy: "see the store's errors and 'belfry damage list'; senders get 503")
    case .answered(let answer) where Rejection(reason: answer.reason) == .topicDisallowed:
      RelayProblem(
        kind: .credentials, what: "the upstream does not permit the topic",
        why: "\(answer.status) \(answer.reason)",
        remedy: "use a publisher's key that is valid for this topic")
    case .answered, .overBudget: nil
    }
  }
}

/// The outcomes of relayed pushes, as the metrics count them.
enum RelayKind: String, CaseIterable {
  case accepted, refused, credentials, unreachable, busy, budget, uncounted, unknown
}

/// A problem of an upstream, for the operator's log.
struct RelayProblem: Sendable, Equatable {
  let kind: RelayKind
  let what: String  // text: only tests compare it
  let why: String  // text: only tests compare it
  let remedy: String  // text: only tests compare it
}

/// The decision whether a problem is logged: at once if it is the first of its kind, then at most once per minute.
struct RelayAlarm {
  private var reported: [RelayKind: Int64] = [:]

  /// Returns true if the problem must be logged at `now`, in monotonic nanoseconds.
  mutating func isDue(_ kind: RelayKind, at now: Int64) -> Bool {
    if let last = reported[kind], now - last < Limits.relayAlarmNanoseconds { return false }
    reported[kind] = now
    return true
  }
}
