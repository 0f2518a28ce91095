package import BelfryWire
package import PushWire
package import System
import Transport

/// The owner of a push receiver, which the receiver informs of the link's events.
package protocol PushReceiverOwner: AnyObject {
  /// Handles an event for the engine.
  func handle(_ event: AgentEvent)

  /// Records durably that the data is from another machine.
  func onMachineReplaced()

  /// Called when the link is up or the device's number has changed.
  func identityChanged()
}

/// The agent's end of the link to its gateway, which sends registrations, receives pushes, and acknowledges durable
/// ones.
package final class PushReceiver: GatewayConnectionDelegate {
  private let gateway: AgentConfiguration.Gateway
  private let identities: any DeviceIdentityStore
  private weak var owner: (any PushReceiverOwner)?
  private let log: Log
  private var link: GatewayConnection?
  /// The reason that the link is down; nil while it is up.
  package private(set) var reason: String? = "not connected yet"
  private let received: ReceivedFile?
  /// The tokens of the current connection, for the file of received pushes.
  private var tokens: [LinkSubject: [UInt8]] = [:]
  /// True if the outcome of the first attempt to connect has been reported.
  private var hasReportedLink = false

  /// The advice for the user while the link is down.
  private(set) var advice = ""

  /// Creates a link that is offline until `start` is called.
  ///
  /// Each received push is appended to `received`. `configure` sets the options of the link; `memory` holds the IDs of
  /// the latest pushes, oldest first.
  package init(
    _ gateway: AgentConfiguration.Gateway, identities: any DeviceIdentityStore,
    received: ReceivedFile? = nil, on loop: EventLoop, log: Log, owner: any PushReceiverOwner,
    configure: (inout GatewayConnection.Configuration) -> Void
  ) throws(DeviceIdentityFolder.Failure) {
    self.gateway = gateway
    self.identities = identities
    self.received = received
    self.owner = owner
    self.log = log
    let (identity, hasMoved) = try identities.load(authorityPEM: gateway.authorityPEM) {
      owner.onMachineReplaced()
    }
    if hasMoved {
      log.warning(
        "this data is from another machine: the device gets a new identity, and each app "
          + "gets a new token once it is launched; until then, the app receives no pushes")
    }
    if identity.device == nil { owner.handle(.identityReplaced) }
    var configuration = GatewayConnection.Configuration(
      host: gateway.host, port: gateway.port, authorityPEM: gateway.authorityPEM)
    configuration.enrollmentCode = gateway.enrollmentCode
    configure(&configuration)
    link = GatewayConnection(on: loop, configuration, identity: identity, delegate: self)
  }

  /// The device's number at the gateway; nil before enrollment.
  var device: UInt64? { link?.identity.device }

  /// Connects to the gateway.
  package func start() { link?.goOnline() }

  /// The expiration time of the device's certificate, in seconds since 1970; nil before the device has a certificate.
  var certificateEnd: Int64? {
    link?.identity.chainPEM.flatMap { try? Certificate(pem: $0) }?.notAfter
  }

  package func close() { link?.goOffline() }

  package func register(_ app: AppID, _ kind: TokenKind) { link?.register(Self.subject(app, kind)) }

  /// Requests a Web Push subscription.
  package func subscribe(_ subject: WebPushSubject) { link?.register(.topic(subject.topic)) }

  /// Ends a Web Push subscription.
  package func unsubscribe(_ subject: WebPushSubject) { link?.cancel(.topic(subject.topic)) }

  package func unregister(_ app: AppID, _ kind: TokenKind) { link?.cancel(Self.subject(app, kind)) }

  /// Acknowledges a durable push.
  package func acknowledge(_ id: NotificationID) { link?.onPersisted(id) }

  /// Rejects a push that could not be made durable.
  package func reject(_ id: NotificationID) { link?.onDiscarded(id, .noRoom) }

  /// Reports the device's state to the gateway.
  package func announce(_ state: DeviceState) { link?.setState(state) }

  /// Probes the link.
  ///
  /// If the network has changed, the learned keep-alive intervals are discarded.
  package func probe(isOtherNetwork: Bool) {
    if isOtherNetwork { link?.networkChanged() }
    link?.probe()
  }

  private static func subject(_ app: AppID, _ kind: TokenKind) -> LinkSubject {
    .topic(LinkTopic(bundleID: app.text, kind: kind))
  }

  // MARK: - Events from the link

  package func link(_ link: GatewayConnection, isUpAs device: UInt64, unixMilliseconds: UInt64) {
    reason = nil
    hasReportedLink = true
    log.info("connected", ["device": String(device)])
    owner?.identityChanged()
    owner?.handle(.unifiedPush(.linkUp(origin: UTF8Text(link.webPushOrigin))))
    if let environment = link.environment { owner?.handle(.gatewayKnown(environment)) }
    owner?.handle(.linkChanged(isUp: true))
  }

  package func link(_ link: GatewayConnection, isDownBecause reason: String) {
    let wasUp = self.reason == nil
    self.reason = reason
    advice = link.latestLoss.advice(host: gateway.host, port: gateway.port)
    // The reason that no connection was established begins with the words of the message.
    let words = "not connected: "
    let why = reason.hasPrefix(words) ? String(reason.dropFirst(words.count)) : reason
    log.info("not connected", ["why": why])
    if link.isStopped, link.identity.device != nil {
      self.reason = "revoked by the gateway"
      advice = GatewayLinkLoss.enrollAgain(identity: identities.path)
      log.error("the gateway has revoked this device: \(advice)")
    } else if case .enrollmentRefused(.revoked, hasCode: _) = link.latestLoss {
      advice = GatewayLinkLoss.enrollAgain(identity: identities.path)
    }
    if link.identity.device == nil {
      // The gateway no longer knows this device, so none of the device's tokens are valid.
      owner?.identityChanged()
      owner?.handle(.identityReplaced)
    }
    let address = Endpoint.tcp(host: gateway.host, port: gateway.port)
    owner?.handle(
      .linkFailed(
        problem: "no link to the gateway at \(address) (\(self.reason ?? reason)): \(advice)"))
    if wasUp || !hasReportedLink { owner?.handle(.linkChanged(isUp: false)) }
    hasReportedLink = true
  }

  package func link(_ link: GatewayConnection, enrolledAs identity: DeviceIdentity) {
    do {
      try identities.save(identity)
    } catch {
      log.error("cannot store the device's identity", ["why": "\(error)"])
    }
    owner?.identityChanged()
  }

  package func link(_ link: GatewayConnection, renewedAs identity: DeviceIdentity) throws {
    do {
      try identities.save(identity)
    } catch {
      log.error(
        "cannot store the device's new certificate: keeping the current one", ["why": "\(error)"])
      throw error
    }
    log.info("the gateway renewed the device's certificate")
  }

  package func link(_ link: GatewayConnection, enrollmentRefused refusal: LinkEnrollmentRefusal) {
    let hasCode = !gateway.enrollmentCode.isEmpty
    let remedy =
      refusal == .revoked
      ? GatewayLinkLoss.enrollAgain(identity: identities.path) : refusal.advice(hasCode: hasCode)
    log.error(
      "the gateway rejected this device: \(remedy)", ["why": refusal.reason(hasCode: hasCode)])
  }

  package func link(_ link: GatewayConnection, enrollmentUnusable why: String) {
    log.error(
      "the gateway issued a certificate that this device cannot use: the device enrolls again automatically",
      ["why": why])
  }

  package func link(_ link: GatewayConnection, registered subject: LinkSubject, token: [UInt8]) {
    if let subject = WebPushSubject(subject) {
      owner?.handle(.unifiedPush(.subscribed(subject, id: token)))
      return
    }
    guard case .topic(let topic) = subject, let app = AppID(topic.bundleID) else { return }
    if received != nil { tokens[subject] = token }
    owner?.handle(.registrationSucceeded(app, topic.kind, token: token))
  }

  package func link(_ link: GatewayConnection, cancelled subject: LinkSubject) {
    if let web = WebPushSubject(subject), !link.owesCancellation(of: subject) {
      owner?.handle(.unifiedPush(.unsubscribed(web)))
      return
    }
    // Another cancellation might be pending if the app has since registered and unregistered.
    guard case .topic(let topic) = subject, let app = AppID(topic.bundleID),
      !link.owesCancellation(of: subject)
    else { return }
    owner?.handle(.registrationCancelled(app, topic.kind))
  }

  package func link(_ link: GatewayConnection, refused subject: LinkSubject, _ refusal: LinkRefusal)
  {
    if let subject = WebPushSubject(subject) {
      owner?.handle(.unifiedPush(.refused(subject, refusal)))
      return
    }
    guard case .topic(let topic) = subject, let app = AppID(topic.bundleID) else { return }
    guard refusal != .tryLater else {
      // The link retries automatically, and the token is reported when it arrives.
      return log.warning(
        "the gateway cannot register an app now: retrying", ["app": app.text])
    }
    owner?.handle(
      .registrationRefused(app, topic.kind, message: refusal.message(for: app, topic.kind)))
  }

  package func link(
    _ link: GatewayConnection, received notification: LinkNotification, for subject: LinkSubject
  ) {
    if let owner, let subject = WebPushSubject(subject) {
      owner.handle(
        .unifiedPush(
          .received(
            ReceivedWebPush(
              subject: subject, id: notification.uniqueID, payload: notification.payload,
              expiration: notification.expiration))))
      return
    }
    guard let owner, case .topic(let topic) = subject, let app = AppID(topic.bundleID) else {
      link.onPersisted(notification.uniqueID)
      return
    }
    received?.append(
      notification, for: subject, token: tokens[subject] ?? [], device: device ?? 0)
    let push = ReceivedPush(
      id: notification.id, uniqueID: notification.uniqueID, app: app, kind: topic.kind,
      payload: notification.payload,
      collapseID: String(decoding: notification.collapseID, as: UTF8.self))
    owner.handle(.pushReceived(push))
  }
}

extension WebPushSubject {
  /// Creates the subject of a Web Push subscription; nil for any other subject.
  fileprivate init?(_ subject: LinkSubject) {
    guard case .topic(let topic) = subject else { return nil }
    self.init(topic)
  }
}

extension LinkRefusal {
  /// Returns a description of the problem and the remedy, separated by a colon.
  fileprivate func message(for app: AppID, _ kind: TokenKind) -> String {
    switch self {
    case .unknownApp:
      "the gateway does not list the app \(app.text): run 'belfry topic add \(app.text)' on the gateway's machine, "
        + "with --team ID if the gateway has several teams, then restart the app"
    case .badTopic:
      "the gateway refused the app's ID \(app.text): use one such as com.example.app"
    case .badKind:
      "the gateway does not support \(kind.name) tokens: make the app register for another kind"
    default: "the gateway refused to register the app (\(self)): check the gateway's log"
    }
  }
}
