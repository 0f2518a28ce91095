import Agent
import BelfryWire
import PushWire
import System
import Transport

/// A virtual device, which prints the events of its link.
final class VirtualDevice: GatewayConnectionDelegate {
  struct Subject {
    let subject: LinkSubject
    var line: [UInt8]
    var token: [UInt8] = []
    /// The number of times that the gateway has confirmed a change of the user's notification setting for an app.
    var switches = 0
    /// The number of requests that the gateway refused, and the reason for the last refusal.
    var refusals = 0
    var refusal = ""
  }

  private unowned let fleet: DeviceFleet
  /// The device's position in the fleet, which begins at 1 and stays the same in later runs.
  let position: Int
  private(set) var subjects: [Subject] = []
  /// The number of times that the link was established.
  private(set) var ups = 0
  /// The number of pings that the gateway has answered, and the number to wait for.
  private(set) var pongs = 0
  private var pongsWanted = 0
  private(set) var link: GatewayConnection?
  private let subscription: VirtualSubscription?

  init(
    _ fleet: DeviceFleet, at position: Int, on loop: EventLoop,
    _ configuration: GatewayConnection.Configuration, identity: DeviceIdentity
  ) {
    self.fleet = fleet
    self.position = position
    subscription =
      fleet.configuration.hasWebPush ? try? VirtualSubscription(of: identity) : nil
    let link = GatewayConnection(on: loop, configuration, identity: identity, delegate: self)
    self.link = link
    for subject in fleet.configuration.subjects { link.register(subject) }
  }

  var number: UInt64? { link?.identity.device }
  var isUp: Bool { link?.isUp == true }
  var isStopped: Bool { link?.isStopped == true }

  // MARK: Commands

  /// Performs a command.
  ///
  /// Returns false if the device does not have the app that the command specifies.
  func perform(_ command: FleetCommand) -> Bool {
    guard let link else { return true }
    switch command.verb {
    case .offline: link.goOffline()
    case .online: link.goOnline()
    case .sleep: changeState(link.state.union(.asleep))
    case .wake: changeState(link.state.subtracting(.asleep))
    case .power(let isRestricted):
      changeState(
        isRestricted ? link.state.union(.powerRestricted) : link.state.subtracting(.powerRestricted)
      )
    case .disable, .enable, .unregister, .register: return changeTopics(command, link)
    case .subscribe: if let channel = command.channel { link.register(.channel(channel)) }
    case .unsubscribe: if let channel = command.channel { link.cancel(.channel(channel)) }
    case .summary, .exit: break
    }
    return true
  }

  func changeState(_ state: DeviceState) {
    link?.setState(state)
    print(
      "state",
      [
        ("asleep", .bool(state.contains(.asleep))),
        ("powerRestricted", .bool(state.contains(.powerRestricted))),
      ])
  }

  /// Returns false if the device does not have the app.
  private func changeTopics(_ command: FleetCommand, _ link: GatewayConnection) -> Bool {
    var topics = subjects.map(\.subject) + fleet.configuration.subjects
    if case .register = command.verb {
      topics = [.topic(LinkTopic(bundleID: command.topic, kind: command.kind ?? .alert))]
    }
    var seen: Set<LinkSubject> = []
    for case .topic(let topic) in topics
    where topic.bundleID == command.topic && (command.kind ?? topic.kind) == topic.kind
      && seen.insert(.topic(topic)).inserted
    {
      switch command.verb {
      case .disable: link.setEnabled(false, topic)
      case .enable: link.setEnabled(true, topic)
      case .unregister: link.cancel(.topic(topic))
      default: link.register(.topic(topic))
      }
    }
    return !seen.isEmpty
  }

  /// Sends this number of pings to the gateway, one after another.
  ///
  /// Returns the value of ``pongs`` at which the last of these pings has been answered.
  func awaitPongs(_ count: Int) -> Int {
    pongsWanted = max(pongsWanted, pongs + count)
    link?.probe()
    return pongs + count
  }

  // MARK: The link's events

  func linkIsAlive(_ link: GatewayConnection) {
    pongs += 1
    if pongs < pongsWanted { link.probe() }
    fleet.deviceChanged(self)
  }

  func link(_ link: GatewayConnection, isUpAs device: UInt64, unixMilliseconds: UInt64) {
    ups += 1
    print("link", [("state", "up")])
    fleet.deviceChanged(self)
  }

  func link(_ link: GatewayConnection, isDownBecause reason: String) {
    print("link", [("state", "down"), ("reason", .string(reason))])
    fleet.deviceChanged(self)
    fleet.lost(self, because: reason)
  }

  func link(_ link: GatewayConnection, enrolledAs identity: DeviceIdentity) {
    fleet.persist(identity, of: self)
  }

  func link(_ link: GatewayConnection, renewedAs identity: DeviceIdentity) throws {
    try fleet.persistRenewed(identity, of: self)
  }

  func link(_ link: GatewayConnection, enrollmentRefused refusal: LinkEnrollmentRefusal) {
    let hasCode = !fleet.configuration.gateway.enrollmentCode.isEmpty
    fleet.reportOnce(
      "the gateway refused to enroll a device, \(refusal.reason(hasCode: hasCode)): "
        + refusal.advice(hasCode: hasCode))
  }

  func link(_ link: GatewayConnection, enrollmentUnusable why: String) {
    fleet.reportOnce(
      "the gateway issued a certificate that the device cannot use, so the device enrolls again: \(why)"
    )
  }

  func link(_ link: GatewayConnection, registered subject: LinkSubject, token: [UInt8]) {
    let index = index(of: subject)
    guard subjects[index].token != token || token.isEmpty else { return }
    subjects[index].token = token
    fleet.statistics.registered()
    if case .channel = subject {
      fleet.print { DeviceLine.event("subscribed", subjects[index].line, to: &$0) }
    } else if let subscription, case .topic(let topic) = subject, topic.kind == .webPush {
      print("subscribed", subscription.members(origin: link.webPushOrigin, token: token))
    } else {
      let members: [(String, JSONValue)] = [
        ("token", .string(Hexadecimal.encode(token))), ("position", .integer(Int64(position))),
      ]
      fleet.print { DeviceLine.event("registered", subjects[index].line, members, to: &$0) }
    }
    fleet.deviceChanged(self)
  }

  func link(_ link: GatewayConnection, cancelled subject: LinkSubject) {
    let index = index(of: subject)
    subjects[index].token = []
    let event = if case .channel = subject { "unsubscribed" } else { "unregistered" }
    fleet.print { DeviceLine.event(event, subjects[index].line, to: &$0) }
    fleet.deviceChanged(self)
  }

  func link(_ link: GatewayConnection, switched subject: LinkSubject, isEnabled: Bool) {
    let index = index(of: subject)
    subjects[index].switches += 1
    let line = subjects[index].line
    fleet.print { DeviceLine.event(isEnabled ? "enabled" : "disabled", line, to: &$0) }
    fleet.deviceChanged(self)
  }

  func link(_ link: GatewayConnection, refused subject: LinkSubject, _ refusal: LinkRefusal) {
    let index = index(of: subject)
    subjects[index].refusals += 1
    subjects[index].refusal = "\(refusal)"
    let line = subjects[index].line
    fleet.print {
      DeviceLine.event("refused", line, [("reason", .string("\(refusal)"))], to: &$0)
    }
    fleet.deviceChanged(self)
  }

  func link(
    _ link: GatewayConnection, received given: LinkNotification, for subject: LinkSubject
  ) {
    let isWebPush = given.pushType == .webPush
    let notification = isWebPush ? subscription?.decrypted(given) ?? given : given
    let latency = unsafe notification.payload.withUnsafeBytes {
      unsafe DeviceLine.latencyMicros($0)
    }
    fleet.received(notification, latencyMicros: latency)
    let index = index(of: subject)
    fleet.keep(notification, for: subject, token: subjects[index].token, device: number)
    if !fleet.configuration.isSummary {
      fleet.print {
        DeviceLine.received(notification, subjects[index].line, latencyMicros: latency, to: &$0)
      }
    }
    if fleet.configuration.acknowledges { link.onPersisted(notification.uniqueID) }
  }

  private func index(of subject: LinkSubject) -> Int {
    if let index = subjects.firstIndex(where: { $0.subject == subject }) { return index }
    let line = DeviceLine.subject(subject, device: number ?? 0)
    subjects.append(Subject(subject: subject, line: line))
    return subjects.count - 1
  }

  private func print(_ event: String, _ members: [(String, JSONValue)]) {
    guard !fleet.configuration.isSummary else { return }
    let device = number.map { Array(",\"device\":\($0)".utf8) } ?? []
    fleet.print { DeviceLine.event(event, device, members, to: &$0) }
  }
}
