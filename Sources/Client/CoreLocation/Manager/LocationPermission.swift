/// The permission to use the location.
///
/// Answers to requests and reported changes can arrive in any order.
struct LocationPermission {
  /// The known status; nil before the first answer.
  private(set) var known: CLAuthorizationStatus?
  /// The number that a request must pass to ``handleAnswer(_:askedAt:)`` if it is sent now.
  private(set) var question = 0

  /// The status that managers report.
  var status: CLAuthorizationStatus { known ?? .notDetermined }

  /// Handles a change that the agent reports.
  mutating func change(to status: CLAuthorizationStatus) {
    question += 1
    known = status
  }

  /// Handles the answer to a request.
  ///
  /// The answer is ignored if a change arrived after the request was sent.
  mutating func handleAnswer(_ status: CLAuthorizationStatus, askedAt question: Int) {
    guard question == self.question else { return }
    known = status
  }

  /// Returns the status for a manager that last reported `reported`; nil if the status has not changed.
  func unreportedStatus(after reported: inout CLAuthorizationStatus?) -> CLAuthorizationStatus? {
    guard reported != status else { return nil }
    reported = status
    return status
  }
}
