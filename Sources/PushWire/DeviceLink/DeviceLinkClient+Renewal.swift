/// Certificate renewal: the device obtains a new certificate before the current one expires, and receives the list of
/// authorities to trust.
extension DeviceLinkClient {
  /// Sets the device's certificate and trusted authorities.
  ///
  /// Call this method at startup and whenever a new certificate has been stored.
  ///
  /// A device without a credential never requests a certificate.
  public mutating func use(_ credential: LinkCredential?) { renewal.credential = credential }

  /// Handles a failure to use or store a new certificate.
  ///
  /// The device keeps its current certificate and requests a new certificate later.
  public mutating func renewalFailed(at now: Int64) { renewal.failed(at: now) }

  /// Disconnects, then reconnects immediately with the new certificate.
  public mutating func comeBack(at now: Int64, output: inout [UInt8]) -> Action? {
    guard isUp else { return nil }
    acknowledge(at: now, output: &output)
    return disconnect(
      LinkFault(.goodbye), then: .reconnect(afterNanoseconds: 0, jitter: 0), at: now,
      output: &output)
  }

  mutating func askForCertificate(at now: Int64, output: inout [UInt8]) {
    assert(isUp, "certificates are requested only while the link is up")
    guard renewal.due <= now, let credential = renewal.credential else { return }
    renewal.asked(at: now)
    send(.renew(publicKey: credential.publicKey), at: now, output: &output)
  }

  mutating func handleRenewal(_ frame: LinkFrame, at now: Int64) throws(LinkFault) -> Action {
    switch frame {
    case .trust(let mark):
      renewal.offer(mark)
      return .proceed
    case .renewed(let renewed):
      guard renewal.isAsked else { throw frame.unexpected }
      renewal.answered()
      return .renewed(renewed)
    case .renewalRefused(let refusal, let seconds):
      guard renewal.isAsked else { throw frame.unexpected }
      renewal.refused(afterSeconds: seconds, at: now)
      return .renewalRefused(refusal)
    default:
      throw frame.unexpected
    }
  }
}
