public import PushWire

/// A receiver of a device link's events.
///
/// The methods are called on the thread of the link's loop, and can call any of the link's methods.
public protocol GatewayConnectionDelegate: AnyObject {
  /// Called when the link is up; `unixMilliseconds` is the time on the gateway's clock.
  func link(_ link: GatewayConnection, isUpAs device: UInt64, unixMilliseconds: UInt64)

  /// Called when the link goes down or cannot be established; the link retries unless its `isStopped` is true.
  func link(_ link: GatewayConnection, isDownBecause reason: String)

  /// Called when the device was enrolled; the identity must be stored.
  func link(_ link: GatewayConnection, enrolledAs identity: DeviceIdentity)

  /// Called when the device has a new certificate or new authorities to trust.
  ///
  /// The identity must be stored durably before this method returns. If the method throws, the link continues with the
  /// previous identity.
  func link(_ link: GatewayConnection, renewedAs identity: DeviceIdentity) throws

  /// Called when the gateway refuses to enroll the device.
  func link(_ link: GatewayConnection, enrollmentRefused refusal: LinkEnrollmentRefusal)

  /// Called when the gateway enrolls the device with a certificate that the device cannot use; the device enrolls again
  /// after a pause.
  func link(_ link: GatewayConnection, enrollmentUnusable why: String)

  /// Called with the token of a subject (a channel has none) after registration, and again on each connection.
  func link(_ link: GatewayConnection, registered subject: LinkSubject, token: [UInt8])

  /// Called when the subject's registration is cancelled.
  func link(_ link: GatewayConnection, cancelled subject: LinkSubject)

  /// Called when the gateway refuses a request for the subject.
  func link(_ link: GatewayConnection, refused subject: LinkSubject, _ refusal: LinkRefusal)

  /// Called once for each notification; the notification's bytes are valid only during the call.
  ///
  /// Answer with ``GatewayConnection/onPersisted(_:)`` or ``GatewayConnection/onDiscarded(_:_:)``, now or later.
  func link(
    _ link: GatewayConnection, received notification: LinkNotification, for subject: LinkSubject)

  /// Called when the gateway confirms that the topic's notifications are on or off.
  func link(_ link: GatewayConnection, switched subject: LinkSubject, isEnabled: Bool)

  /// Called when the gateway answers a ping: the gateway has read everything that was sent before the ping.
  func linkIsAlive(_ link: GatewayConnection)
}

extension GatewayConnectionDelegate {
  /// Ignores the confirmation by default.
  public func link(_ link: GatewayConnection, switched subject: LinkSubject, isEnabled: Bool) {}

  /// Ignores the renewal by default: an identity that is not stored is renewed only for the lifetime of the link.
  public func link(_ link: GatewayConnection, renewedAs identity: DeviceIdentity) throws {}

  /// Does nothing by default, because the same reason is reported when the connection closes.
  public func link(_ link: GatewayConnection, enrollmentUnusable why: String) {}

  /// Ignores the answer by default.
  public func linkIsAlive(_ link: GatewayConnection) {}
}
