/// Every bound of the device link, with its unit and its reason (`docs/device-link.md` 2).
public enum LinkLimits {
  /// The protocol's name in TLS's application-layer negotiation.
  public static let applicationProtocol = "belfry-link/1"
  /// The one version there is.
  public static let version: UInt8 = 1
  /// Seconds for which a gateway issues a device's certificate, where its authority lasts as long: ten years.
  public static let deviceCertificateSeconds: Int64 = 3_650 * 86_400
  /// Bytes of a frame's header: two of length, one of type.
  public static let headerBytes = 3
  /// Bytes of a frame's body that a device may send: the largest is ENROL.
  public static let deviceBodyBytesMax = 1_024
  /// Bytes of a frame's body that a gateway may send: the largest are NOTIFICATION and ENROLLED.
  public static let gatewayBodyBytesMax = 8_192
  /// Bytes of a payload: APNs' largest, VoIP's and broadcasts'.
  public static let payloadBytesMax = 5_120
  /// Bytes of a collapse identifier (apns-protocol 1.4).
  public static let collapseIDBytesMax = 64
  /// Bytes of NOTIFICATION before the collapse identifier.
  public static let notificationFixedBytes = 60
  /// Bytes of a device token, as apps must expect of APNs (apns-protocol 1.1).
  public static let tokenBytesMax = 100
  /// Bytes of a channel's identifier.
  public static let channelIDBytesMax = 64
  /// Bytes of the nonce that a device's proof of possession signs.
  public static let nonceBytes = 16
  /// Bytes of a device's public key as SubjectPublicKeyInfo; a P-256 key takes 91.
  public static let publicKeyBytesMax = 256
  /// Bytes of the proof: an ECDSA signature over P-256 as r ‖ s.
  public static let proofBytes = 64
  /// Bytes of an enrolment code.
  public static let enrolmentCodeBytesMax = 128
  /// Bytes of a device's name.
  public static let deviceNameBytesMax = 128
  /// Bytes of the mark of the trusted authorities: SHA-256.
  public static let trustMarkBytes = 32
  /// Authorities that a device is told to trust: two while one takes the other's place, and room for an operator's own.
  public static let authoritiesMax = 4
  /// Nanoseconds between two requests of a device for a certificate, at least, also where the answer was lost.
  public static let renewalPauseNanoseconds: Int64 = 60_000_000_000
  /// Nanoseconds until a device asks again that could not use or keep what it was given.
  public static let renewalFailedNanoseconds: Int64 = 3_600_000_000_000
  /// Seconds that a device waits at most because a gateway asks for it: a day.
  public static let renewalWaitSecondsMax: UInt32 = 86_400
  /// Bytes of a host's name in RECONNECT.
  public static let hostBytesMax = 253
  /// Notifications in flight that a device may ask for: more would only pile up in buffers.
  public static let windowMax: UInt16 = 256
  /// Nanoseconds until a request that was refused for now is made again, at first: most causes are short.
  public static let retryNanoseconds: Int64 = 1_000_000_000
  /// Nanoseconds until then at most: a gateway whose disk fails is not asked all the time.
  public static let retryNanosecondsMax: Int64 = 300_000_000_000
  /// Nanoseconds that a device waits at most because a gateway asks for it, and as many at most that it adds
  /// at random.
  public static let reconnectHintNanosecondsMax: Int64 = 600_000_000_000
}
