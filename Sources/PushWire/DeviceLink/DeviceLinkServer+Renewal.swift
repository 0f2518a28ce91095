/// Renewal of a connected device's certificate.
extension DeviceLinkServer {
  /// The answer to a renewal request.
  public enum RenewalAnswer: Equatable, Sendable {
    case renewed(LinkFrame.Renewed)
    /// The device must wait at least this many seconds before it requests a certificate again.
    case refused(LinkEnrollmentRefusal, afterSeconds: UInt32)
  }

  /// Announces the authorities that the device should trust.
  ///
  /// Call this method after ``accept(unixMilliseconds:output:)``, and whenever the authorities change.
  ///
  /// Nothing is sent to a device that did not declare renewal in HELLO.
  public mutating func announce(trustMark: [UInt8], output: inout [UInt8]) {
    guard renews else { return }
    switch phase {
    case .connected, .ready: LinkFrame.trust(mark: trustMark).encode(to: &output)
    case .greeting, .greeted, .enrolling, .draining, .closed: return
    }
  }

  /// Answers a renewal request.
  ///
  /// Does nothing once the link is closed.
  public mutating func answerRenewal(_ answer: RenewalAnswer, output: inout [UInt8]) {
    // The device might have disconnected before the caller decided.
    if case .closed = phase { return }
    precondition(isRenewing, "only a requested renewal is answered")
    isRenewing = false
    switch answer {
    case .renewed(let renewed): LinkFrame.renewed(renewed).encode(to: &output)
    case .refused(let refusal, let seconds):
      LinkFrame.renewalRefused(refusal, afterSeconds: seconds).encode(to: &output)
    }
  }

  mutating func handleRenew(
    _ publicKey: [UInt8], _ frame: LinkFrame, output: inout [UInt8]
  ) throws(LinkFault) -> Action {
    guard renews else { throw frame.unexpected }
    guard !isRenewing else {
      throw LinkFault(.tooManyRequests, frameType: frame.type.rawValue)
    }
    if case .draining = phase {
      LinkFrame.renewalRefused(.tryLater, afterSeconds: 60).encode(to: &output)
      return .proceed
    }
    isRenewing = true
    return .renew(publicKey: publicKey)
  }
}
