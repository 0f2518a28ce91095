extension DeviceLinkClient {
  /// An action for the shell to carry out.
  public enum Action: Equatable {
    /// A frame was handled; no action is needed.
    case proceed
    /// Open a connection to this host and port or, if the host is empty and the port is 0, to the usual host and port.
    ///
    /// Then call ``opened(at:output:)`` or ``lost(at:random:)``.
    case connect(host: String, port: UInt16)
    /// Sign these bytes with the device's key and call ``signed(_:at:output:)``.
    case sign([UInt8])
    /// Check and store the certificate; the next connection uses it.
    ///
    /// If it cannot be used, call ``enrollmentFailed(_:at:output:)`` with a new enrollment.
    case enrolled(device: UInt64, chainPEM: [UInt8])
    /// The gateway refused to enroll the device.
    ///
    /// The device does not retry, except after `tryLater`.
    case enrollmentRefused(LinkEnrollmentRefusal)
    /// The link is up.
    case connected(device: UInt64, unixMilliseconds: UInt64)
    /// The subject has this token; the token is empty for a channel.
    case registered(LinkSubject, token: [UInt8])
    /// The subject's registration is cancelled.
    case cancelled(LinkSubject)
    /// The gateway has recorded whether notifications of the topic are enabled.
    case switched(LinkSubject, isEnabled: Bool)
    /// The gateway answered a ping, which proves that it has read all frames that were sent before the ping.
    case alive
    /// The gateway refused a request for this subject.
    case refused(LinkSubject, LinkRefusal)
    /// Deliver this notification once, and call ``onPersisted(_:at:)`` or ``onDiscarded(_:_:at:output:)`` with its
    /// unique ID.
    case received(LinkNotification, LinkSubject)
    /// Check and store this certificate and its authorities, then call ``use(_:)`` and ``comeBack(at:output:)``.
    ///
    /// If the certificate cannot be checked or stored, call ``renewalFailed(at:)``.
    case renewed(LinkFrame.Renewed)
    /// The gateway does not issue a certificate at present. The device repeats the request automatically.
    case renewalRefused(LinkEnrollmentRefusal)
    /// Send `output`, close the connection, then call ``lost(at:random:)``.
    case disconnect(LinkFault)
  }

  /// The durations, in nanoseconds, and the limits for the device's end of the link.
  public struct Settings: Hashable, Sendable {
    /// The maximum number of unacknowledged notifications.
    public var window: UInt16 = 64
    /// The number of stored notifications whose unique IDs the device remembers; at least `window`.
    public var memory = 256
    /// The longest delay of an acknowledgment; the protocol allows 200 ms.
    public var acknowledgementNanoseconds: Int64 = 10_000_000
    /// The longest time from the start of the connection attempt to CONNECTED.
    public var openNanoseconds: Int64 = 30_000_000_000
    /// The time within which the gateway must answer a ping.
    public var graceNanoseconds: Int64 = 15_000_000_000
    /// The delays between connection attempts.
    public var pause = ReconnectPause()

    /// Creates settings with the values specified in `docs/device-link.md`.
    public init() {}
  }
}

extension DeviceLinkClient {
  /// The subjects of the requests that the gateway has not answered on this connection.
  package var unanswered: Set<LinkSubject> { subjects.unanswered }
}
