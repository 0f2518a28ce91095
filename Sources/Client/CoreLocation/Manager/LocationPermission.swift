/// The permission for the location, from answers and changes that may overtake one another.
struct LocationPermission {
  /// The known status; nil before the first answer.
  private(set) var known: CLAuthorizationStatus?
  /// The number of a question that is asked now, see ``handleAnswer(_:askedAt:)``.
  private(set) var question = 0

  /// The status that managers report.
  var status: CLAuthorizationStatus { known ?? .notDetermined }

  /// Handles a change that the agent reports.
  mutating func change(to status: CLAuthorizationStatus) {
    question += 1
    known = status
  }

  /// Handles the answer to a question; ignored when a change came after the question.
  mutating func handleAnswer(_ status: CLAuthorizationStatus, askedAt question: Int) {
    guard question == self.question else { return }
    known = status
  }

  /// The status for a manager that last reported `reported`; nil when it has not changed.
  func unreportedStatus(after reported: inout CLAuthorizationStatus?) -> CLAuthorizationStatus? {
    guard reported != status else { return nil }
    reported = status
    return status
  }
}
