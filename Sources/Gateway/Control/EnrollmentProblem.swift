import PushWire
import System

/// The reason that a device wasn't enrolled.
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

  /// Logs the problem and the peer's address, so that an operator can find devices with an old code and clients that
  /// guess codes.
  ///
  /// The log never contains the code. It collapses repeated lines, so guesses don't fill it.
  func report(to log: Log, peer: String, hasCode: Bool) {
    switch self {
    case .failed(let what): log.error("cannot enroll a device", ["peer": peer, "why": what])
    case .refused(let refusal):
      let why =
        switch refusal {
        case .tooMany: "more enrollments per minute than --enroll-rate allows"
        case .revoked: "the device's key was revoked"
        case .notOffered:
          "a web page needs the enrollment code, even with --enroll open"
        default: refusal.reason(hasCode: hasCode)
        }
      log.warning("refused to enroll a device", ["peer": peer, "why": why])
    }
  }
}
