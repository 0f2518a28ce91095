/// What the user allows, put together from answers and changes that may overtake one another.
struct LocationPermission {
  /// What is known; nil before the first answer.
  private(set) var known: CLAuthorizationStatus?
  /// Names a question that is asked now, see ``learn(_:askedAt:)``.
  private(set) var question = 0

  /// What managers are told.
  var status: CLAuthorizationStatus { known ?? .notDetermined }

  /// The agent told of a change.
  mutating func change(to status: CLAuthorizationStatus) {
    question += 1
    known = status
  }

  /// The answer to a question; nothing new when a change came since it was asked.
  mutating func learn(_ status: CLAuthorizationStatus, askedAt question: Int) {
    guard question == self.question else { return }
    known = status
  }

  /// The status for a manager that was last told `told`; nil when that is still so.
  func news(after told: inout CLAuthorizationStatus?) -> CLAuthorizationStatus? {
    guard told != status else { return nil }
    told = status
    return status
  }
}
