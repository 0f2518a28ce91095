/// The limits of the device link, each with its unit and its reason (`docs/device-link.md` 2).
public enum LinkLimits {
  /// The protocol's name in TLS application-layer protocol negotiation (ALPN).
  public static let applicationProtocol = "belfry-link/1"
  /// The only protocol version so far.
  public static let version: UInt8 = 1
  /// The lifetime of a device's certificate in seconds, unless its authority expires earlier: ten years.
  public static let deviceCertificateSeconds: Int64 = 3_650 * 86_400
  /// The number of bytes in a frame's header: two for the length, one for the type.
  public static let headerBytes = 3
  /// The maximum number of bytes in the body of a frame from a device; ENROL has the largest body.
  public static let deviceBodyBytesMax = 1_024
  /// The maximum number of bytes in the body of a frame from a gateway; NOTIFICATION and ENROLLED have the largest
  /// bodies.
  public static let gatewayBodyBytesMax = 8_192
  /// The maximum number of bytes in a payload: the highest limit in APNs, which applies to VoIP pushes and broadcasts.
  public static let payloadBytesMax = 5_120
  /// The maximum number of bytes in a collapse identifier (apns-protocol 1.4).
  public static let collapseIDBytesMax = 64
  /// The number of bytes in NOTIFICATION that precede the collapse identifier.
  public static let notificationFixedBytes = 60
  /// The maximum number of bytes in a device token; apps must expect tokens of up to this length from APNs
  /// (apns-protocol 1.1).
  public static let tokenBytesMax = 100
  /// The maximum number of bytes in the origin of Web Push endpoints: the scheme, a hostname, and a port.
  public static let webPushOriginBytesMax = 255
  /// The maximum number of bytes in a channel's identifier.
  public static let channelIDBytesMax = 64
  /// The number of bytes in the nonce that a device signs as part of its proof of possession.
  public static let nonceBytes = 16
  /// The maximum number of bytes in a device's public key as SubjectPublicKeyInfo; a P-256 key has 91 bytes.
  public static let publicKeyBytesMax = 256
  /// The number of bytes in the proof: an ECDSA signature over P-256 as r ‖ s.
  public static let proofBytes = 64
  /// The maximum number of bytes in an enrollment code.
  public static let enrollmentCodeBytesMax = 128
  /// The maximum number of bytes in a device's name.
  public static let deviceNameBytesMax = 128
  /// The number of bytes in the SHA-256 hash that identifies the trusted authorities.
  public static let trustMarkBytes = 32
  /// The maximum number of authorities that a device can be asked to trust: two during a rotation, plus an operator's
  /// own.
  public static let authoritiesMax = 4
  /// The minimum time, in nanoseconds, between two certificate requests from a device, even if the first response was
  /// lost.
  public static let renewalPauseNanoseconds: Int64 = 60_000_000_000
  /// The time, in nanoseconds, until a device requests a certificate again after it failed to use or store a
  /// certificate.
  public static let renewalFailedNanoseconds: Int64 = 3_600_000_000_000
  /// The maximum time, in seconds, for which a gateway can ask a device to wait before the next certificate request:
  /// one day.
  public static let renewalWaitSecondsMax: UInt32 = 86_400
  /// The maximum number of bytes in a hostname in RECONNECT.
  public static let hostBytesMax = 253
  /// The maximum number of notifications in flight that a device can request.
  ///
  /// Any further notifications would only accumulate in buffers.
  public static let windowMax: UInt16 = 256
  /// The time, in nanoseconds, before the first retry of a temporarily refused request; most causes last only briefly.
  public static let retryNanoseconds: Int64 = 1_000_000_000
  /// The maximum time, in nanoseconds, before a retry of a temporarily refused request.
  ///
  /// A device keeps retrying, but does not constantly send requests to a gateway with a failing disk.
  public static let retryNanosecondsMax: Int64 = 300_000_000_000
  /// The maximum time, in nanoseconds, for which a gateway can ask a device to wait before it reconnects.
  ///
  /// The same maximum applies to the random delay that the device adds.
  public static let reconnectHintNanosecondsMax: Int64 = 600_000_000_000
}
