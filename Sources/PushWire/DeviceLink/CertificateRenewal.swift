/// The part of a device's credential that the link's state machine needs.
public struct LinkCredential: Hashable, Sendable {
  /// The device's public key as SubjectPublicKeyInfo in DER; renewal keeps the key.
  public var publicKey: [UInt8]
  /// The SHA-256 hash that identifies the trusted authorities.
  ///
  /// The hash covers the SHA-256 hashes of the authorities' SubjectPublicKeyInfo, concatenated in order.
  public var trustMark: [UInt8]
  /// The time at which the device requests a newer certificate, in seconds since 1970 on the gateway's clock.
  public var renewAtSeconds: Int64

  /// Creates a credential from its parts.
  public init(publicKey: [UInt8], trustMark: [UInt8], renewAtSeconds: Int64) {
    assert(
      trustMark.count == LinkLimits.trustMarkBytes,
      "the trust mark has the required size, not \(trustMark.count) bytes")
    self.publicKey = publicKey
    self.trustMark = trustMark
    self.renewAtSeconds = renewAtSeconds
  }

  /// Returns the time at which a certificate with this validity is due for renewal: after one tenth of its lifetime.
  ///
  /// A device that is offline for the other nine tenths can still reconnect. The validity of a certificate begins
  /// together with the validity of its authority, before the certificate is issued. The lifetime is therefore counted
  /// backward from the expiration date. A certificate that expires together with its authority is never due, because a
  /// new certificate could not expire later. The gateway announces a new authority before that date.
  public static func renewalSeconds(
    notBefore: Int64, notAfter: Int64, authorityNotAfter: Int64?
  ) -> Int64 {
    if let authorityNotAfter, notAfter >= authorityNotAfter { return .max }
    let tenth = max(0, notAfter - notBefore) / 10
    return max(notBefore + tenth, notAfter - LinkLimits.deviceCertificateSeconds / 10 * 9)
  }
}

/// The schedule on which a device requests a new certificate (`docs/device-link.md` 3, Renewal).
///
/// The device requests a certificate only after the gateway has announced on this connection that it renews
/// certificates. If the gateway wants the device to trust other authorities, the device sends the request immediately.
/// Otherwise, it waits until the certificate is due. It sends at most one request per minute, across all connections.
struct CertificateRenewal {
  /// The device's credential; nil for a device that does not renew.
  var credential: LinkCredential?
  /// The trust mark that the gateway sent on this connection.
  private var offered: [UInt8]?
  /// A reading of the gateway's clock, in milliseconds since 1970, and the time on the loop clock at which it was read.
  private var clock: (milliseconds: Int64, at: Int64)?
  private(set) var isAsked = false
  private var heldUntil: Int64 = .min

  mutating func connected(unixMilliseconds: UInt64, at now: Int64) {
    clock = (Int64(clamping: unixMilliseconds), now)
  }

  mutating func offer(_ mark: [UInt8]) { offered = mark }

  mutating func disconnected() { (offered, clock, isAsked) = (nil, nil, false) }

  /// The time of the next request, or `.max` if the device does not send one.
  var due: Int64 {
    guard let credential, let offered, let clock, !isAsked else { return .max }
    guard offered == credential.trustMark else { return max(heldUntil, clock.at) }
    let (milliseconds, overflowed) = credential.renewAtSeconds.multipliedReportingOverflow(
      by: 1_000)
    if overflowed { return .max }
    let wait = max(0, milliseconds - clock.milliseconds)
    // Treat a longer wait as never, because the loop clock overflows after 292 years.
    guard wait < Int64.max / 4_000_000 else { return .max }
    return max(heldUntil, clock.at + wait * 1_000_000)
  }

  /// Records a request for a certificate.
  ///
  /// If the response is lost, the pause that starts here delays the next request.
  mutating func asked(at now: Int64) {
    assert(!isAsked, "no other certificate request is pending")
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
    assert(isUp || !isAsked, "a certificate request is pending only on an open link")
    assert(isUp || offered == nil, "a trust mark is offered only on an open link")
  }
}
