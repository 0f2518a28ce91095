import BelfryWire

/// Why a device was not enrolled.
enum EnrolmentProblem: Error {
  case refused(LinkEnrolmentRefusal)
  case failed(String)

  var refusal: LinkEnrolmentRefusal {
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

  /// What an operator may have to do something about.
  var warning: String? {
    switch self {
    case .refused(.tooMany): "more a minute than --enroll-rate has"
    case .refused(.revoked): "its key was revoked"
    case .refused, .failed: nil
    }
  }
}
