public import BelfryWire

/// Receives the events of a device's link, on its loop's thread.
///
/// Any of the link's methods may be called from here.
public protocol GatewayConnectionDelegate: AnyObject {
  /// The link is up; `unixMilliseconds` is the gateway's clock.
  func link(_ link: GatewayConnection, isUpAs device: UInt64, unixMilliseconds: UInt64)

  /// The link went down, or could not be made; it tries again unless it `isStopped`.
  func link(_ link: GatewayConnection, isDownBecause reason: String)

  /// The device was enrolled; the identity has to be stored.
  func link(_ link: GatewayConnection, enrolledAs identity: DeviceIdentity)

  /// The device has another certificate, or other authorities to trust: the identity has to be stored durably before this
  /// returns. Where it throws, the link goes on with the former one.
  func link(_ link: GatewayConnection, renewedAs identity: DeviceIdentity) throws

  /// The gateway refused to enrol the device.
  func link(_ link: GatewayConnection, enrolmentRefused refusal: LinkEnrolmentRefusal)

  /// The subject has this token (a channel has none); called again on each connection.
  func link(_ link: GatewayConnection, registered subject: LinkSubject, token: [UInt8])

  /// The subject's registration is cancelled.
  func link(_ link: GatewayConnection, cancelled subject: LinkSubject)

  /// The gateway refused what was asked for the subject.
  func link(_ link: GatewayConnection, refused subject: LinkSubject, _ refusal: LinkRefusal)

  /// A notification was received, reported once; its bytes are valid during the call.
  ///
  /// Answer with ``GatewayConnection/onPersisted(_:)`` or ``GatewayConnection/onDiscarded(_:_:)``, now or later.
  func link(
    _ link: GatewayConnection, received notification: LinkNotification, for subject: LinkSubject)

  /// The gateway confirmed whether the topic's notifications are on.
  func link(_ link: GatewayConnection, switched subject: LinkSubject, isEnabled: Bool)

  /// The gateway answered a ping: it has read all that was sent before.
  func linkIsAlive(_ link: GatewayConnection)
}

extension GatewayConnectionDelegate {
  /// Does nothing.
  public func link(_ link: GatewayConnection, switched subject: LinkSubject, isEnabled: Bool) {}

  /// Does nothing: an identity that is not stored is renewed for as long as the link lives.
  public func link(_ link: GatewayConnection, renewedAs identity: DeviceIdentity) throws {}

  /// Does nothing.
  public func linkIsAlive(_ link: GatewayConnection) {}
}
