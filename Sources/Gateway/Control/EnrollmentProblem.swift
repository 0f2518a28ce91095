import BelfryWire

/// The reason why a device wasn't enrolled.
enum EnrollmentProblem: Error {
  case refused(LinkEnrollmentRefusal)
  case failed(String)

  var refusal: LinkEnrollmentRefusal {
    switch self {
    case .refused(let refusal): refusal
    case .failed: .tryLater
    }
  }

  var log: String? {
    switch self {
    case .refused: nil
    case .failed(let what): what
    }
  }

  /// A warning about a condition that an operator may need to act on.
  var warning: String? {
    switch self {
    case .refused(.tooMany): "more per minute than --enroll-rate allows"
    case .refused(.revoked): "its key was revoked"
    case .refused, .failed: nil
    }
  }
}
