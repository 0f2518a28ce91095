/// What a device shows and trusts, as far as the machine of its link has to know.
public struct LinkCredential: Hashable, Sendable {
  /// The device's public key as SubjectPublicKeyInfo in DER; renewal keeps the key.
  public var publicKey: [UInt8]
  /// SHA-256 over the SHA-256 of the SubjectPublicKeyInfo of each authority that the device trusts, in order.
  public var trustMark: [UInt8]
  /// When a newer certificate is asked for, in seconds since 1970 of the gateway's clock.
  public var renewAtSeconds: Int64

  /// A credential from its parts.
  public init(publicKey: [UInt8], trustMark: [UInt8], renewAtSeconds: Int64) {
    assert(trustMark.count == LinkLimits.trustMarkBytes, "a mark of \(trustMark.count) bytes")
    self.publicKey = publicKey
    self.trustMark = trustMark
    self.renewAtSeconds = renewAtSeconds
  }

  /// When a certificate with these ends is due for renewal: after a tenth of its life.
  ///
  /// A device that is away for the other nine tenths of it still finds its way back. A certificate begins with its
  /// authority and is issued later, so its life counts back from its end. One that ends with its authority is the
  /// longest that can be had: the gateway names another authority in time.
  public static func renewalSeconds(
    notBefore: Int64, notAfter: Int64, authorityNotAfter: Int64?
  ) -> Int64 {
    if let authorityNotAfter, notAfter >= authorityNotAfter { return .max }
    let tenth = max(0, notAfter - notBefore) / 10
    return max(notBefore + tenth, notAfter - LinkLimits.deviceCertificateSeconds / 10 * 9)
  }
}

/// When a device asks for another certificate (`docs/device-link.md` 3, Renewal).
///
/// Asks once it knows, on this connection, that the gateway renews: where the gateway wants other authorities to be
/// trusted, at once; else when the certificate is due. At most once a minute, over all connections.
struct CertificateRenewal {
  /// What the device has; nil for one that renews nothing.
  var credential: LinkCredential?
  /// The mark that the gateway sent on this connection.
  private var offered: [UInt8]?
  /// The gateway's clock, in milliseconds since 1970, at a time of the loop's.
  private var clock: (milliseconds: Int64, at: Int64)?
  private(set) var isAsked = false
  private var heldUntil: Int64 = .min

  mutating func connected(unixMilliseconds: UInt64, at now: Int64) {
    clock = (Int64(clamping: unixMilliseconds), now)
  }

  mutating func offer(_ mark: [UInt8]) { offered = mark }

  mutating func disconnected() { (offered, clock, isAsked) = (nil, nil, false) }

  /// When the device asks; `.max` where it does not.
  var due: Int64 {
    guard let credential, let offered, let clock, !isAsked else { return .max }
    guard offered == credential.trustMark else { return max(heldUntil, clock.at) }
    let (milliseconds, overflowed) = credential.renewAtSeconds.multipliedReportingOverflow(
      by: 1_000)
    if overflowed { return .max }
    let wait = max(0, milliseconds - clock.milliseconds)
    // The loop's clock ends after 292 years.
    guard wait < Int64.max / 4_000_000 else { return .max }
    return max(heldUntil, clock.at + wait * 1_000_000)
  }

  /// The certificate is asked for; where the answer is lost, this is the pause.
  mutating func asked(at now: Int64) {
    assert(!isAsked, "a certificate is asked for twice")
    isAsked = true
    heldUntil = now + LinkLimits.renewalPauseNanoseconds
  }

  mutating func refused(afterSeconds: UInt32, at now: Int64) {
    isAsked = false
    let seconds = min(afterSeconds, LinkLimits.renewalWaitSecondsMax)
    heldUntil = max(heldUntil, now + Int64(seconds) * 1_000_000_000)
  }

  mutating func answered() { isAsked = false }

  mutating func failed(at now: Int64) {
    heldUntil = now + LinkLimits.renewalFailedNanoseconds
  }

  func checkInvariants(isUp: Bool) {
    assert(isUp || !isAsked, "a certificate is awaited without a connection")
    assert(isUp || offered == nil, "an offer of a connection that is gone")
  }
}
