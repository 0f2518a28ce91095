extension DeviceLinkClient {
  /// What the shell has to do.
  public enum Action: Equatable {
    /// A frame was handled; nothing to do.
    case proceed
    /// Open a connection, to the given host and port or (empty, 0) to the usual ones, then call
    /// ``opened(at:output:)`` or ``lost(at:random:)``.
    case connect(host: String, port: UInt16)
    /// Sign these bytes with the device's key and call ``signed(_:at:output:)``.
    case sign([UInt8])
    /// Keep the certificate: the next connection is made with it.
    case enrolled(device: UInt64, chainPEM: [UInt8])
    /// The gateway refused to enrol the device, which does not ask again except for `tryLater`.
    case enrolmentRefused(LinkEnrolmentRefusal)
    /// The link is up.
    case connected(device: UInt64, unixMilliseconds: UInt64)
    /// The subject has this token; empty for a channel.
    case registered(LinkSubject, token: [UInt8])
    /// The subject's registration is cancelled.
    case cancelled(LinkSubject)
    /// The gateway knows now whether the topic's notifications are on.
    case switched(LinkSubject, isEnabled: Bool)
    /// The gateway answered a ping: it has read all that was sent before.
    case alive
    /// The gateway refused what was asked for this subject.
    case refused(LinkSubject, LinkRefusal)
    /// Deliver this notification, once, and call ``onPersisted(_:at:)`` or ``onDiscarded(_:_:at:output:)`` with
    /// its unique id.
    case received(LinkNotification, LinkSubject)
    /// Check and keep this certificate with its authorities, then call ``use(_:)`` and ``comeBack(at:output:)``; or, where that
    /// cannot be, ``renewalFailed(at:)``.
    case renewed(LinkFrame.Renewed)
    /// The gateway gives no certificate now; the device asks again by itself.
    case renewalRefused(LinkEnrolmentRefusal)
    /// Send `output`, close the connection, then call ``lost(at:random:)``.
    case disconnect(LinkFault)
  }

  /// The times and bounds of the device's end; nanoseconds.
  public struct Settings: Hashable, Sendable {
    /// Unacknowledged notifications that the device allows.
    public var window: UInt16 = 64
    /// Unique ids remembered of notifications that were kept; at least `window`.
    public var memory = 256
    /// How long an acknowledgement may be held back; the protocol allows 200 ms.
    public var acknowledgementNanoseconds: Int64 = 10_000_000
    /// From dialling to CONNECTED.
    public var openNanoseconds: Int64 = 30_000_000_000
    /// Within which an answer to a ping has to come.
    public var graceNanoseconds: Int64 = 15_000_000_000
    /// The pauses between connections.
    public var pause = ReconnectPause()

    /// The values of `docs/device-link.md`.
    public init() {}
  }
}
