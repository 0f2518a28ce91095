import Agent
import PushWire
import System
import TestSupport
import Transport

/// A gateway and the link of one device on one loop, which the test runs.
final class LinkScenario {
  let loop: EventLoop
  let gateway: LinkGateway
  let device = RecordingDevice()
  let configuration: GatewayConnection.Configuration
  let link: GatewayConnection

  init(_ change: (inout GatewayConnection.Configuration) -> Void = { _ in }) throws {
    loop = try EventLoop()
    gateway = try LinkGateway(on: loop)
    var configuration = GatewayConnection.Configuration(
      host: "127.0.0.1", port: gateway.port, authorityPEM: gateway.authority.certificatePEM)
    configuration.enrollmentCode = gateway.enrollmentCode
    configuration.deviceName = "test"
    change(&configuration)
    self.configuration = configuration
    link = GatewayConnection(
      on: loop, configuration, identity: DeviceIdentity(key: try ES256PrivateKey()),
      delegate: device)
  }

  /// Runs the loop until `condition` holds, and returns `false` on timeout.
  func run(until condition: () -> Bool) throws -> Bool {
    let end = SystemClock.monotonicNanoseconds + TestTimeout.standardNanoseconds
    while !condition() {
      guard SystemClock.monotonicNanoseconds < end else { return false }
      loop.schedule(afterNanoseconds: 20_000_000) {}
      loop.turn(mayBlock: true)
    }
    return true
  }
}

/// A device that records everything that a link reports.
final class RecordingDevice: GatewayConnectionDelegate {
  var identity: DeviceIdentity?
  var ups: [UInt64] = []
  var downs: [String] = []
  var refusals: [LinkEnrollmentRefusal] = []
  var unusable: [String] = []
  var tokens: [LinkSubject: [UInt8]] = [:]
  var refused: [LinkSubject: LinkRefusal] = [:]
  var cancelled: [LinkSubject] = []
  var received: [(id: NotificationID, payload: String, isFromStorage: Bool)] = []
  var persistsAtOnce = true
  var signsOfLife = 0

  func linkIsAlive(_ link: GatewayConnection) { signsOfLife += 1 }

  func keepAll(_ link: GatewayConnection) {
    for notification in received { link.onPersisted(notification.id) }
  }

  func link(_ link: GatewayConnection, isUpAs device: UInt64, unixMilliseconds: UInt64) {
    ups.append(device)
  }

  func link(_ link: GatewayConnection, isDownBecause reason: String) { downs.append(reason) }

  func link(_ link: GatewayConnection, enrolledAs identity: DeviceIdentity) {
    self.identity = identity
  }

  func link(_ link: GatewayConnection, enrollmentRefused refusal: LinkEnrollmentRefusal) {
    refusals.append(refusal)
  }

  func link(_ link: GatewayConnection, enrollmentUnusable why: String) { unusable.append(why) }

  func link(_ link: GatewayConnection, registered subject: LinkSubject, token: [UInt8]) {
    tokens[subject] = token
  }

  func link(_ link: GatewayConnection, cancelled subject: LinkSubject) { cancelled.append(subject) }

  func link(_ link: GatewayConnection, refused subject: LinkSubject, _ refusal: LinkRefusal) {
    refused[subject] = refusal
  }

  func link(
    _ link: GatewayConnection, received notification: LinkNotification, for subject: LinkSubject
  ) {
    let payload = String(decoding: notification.payload, as: UTF8.self)
    received.append((notification.uniqueID, payload, notification.isFromStorage))
    if persistsAtOnce { link.onPersisted(notification.uniqueID) }
  }
}
