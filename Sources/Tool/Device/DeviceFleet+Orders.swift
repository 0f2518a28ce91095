import Agent
import BelfryWire
import PushWire
import System

// Orders from `belfry device order`, and commands from standard input.
extension DeviceFleet {
  /// Performs a command that applies to devices.
  ///
  /// Throws if the run does not have the device or the app that the command specifies.
  func perform(_ command: FleetCommand) throws(DeviceOrder.Refusal) {
    var targets = devices
    if let number = command.device { targets = [try device(number)] }
    var isPerformed = false
    for device in targets { isPerformed = device.perform(command) || isPerformed }
    guard isPerformed else { throw unknownApp(command) }
  }

  private func unknownApp(_ command: FleetCommand) -> DeviceOrder.Refusal {
    func name(_ bundleID: String, _ kind: TokenKind?) -> String {
      bundleID + (kind.map { " with the type \($0.name)" } ?? "")
    }
    let device = command.device.map { "device \($0) does not have" } ?? "no device of this run has"
    let subjects = configuration.subjects + devices.flatMap { $0.subjects.map(\.subject) }
    var apps: Set<String> = []
    for case .topic(let topic) in subjects {
      apps.insert(name(topic.bundleID, command.kind.map { _ in topic.kind }))
    }
    return .init(
      "\(device) the app \(name(command.topic, command.kind))",
      do: apps.isEmpty
        ? "start the devices with --app" : "use \(CommandLineOptions.list(apps.sorted()))")
  }

  /// Carries out an order, or refuses it.
  func carryOut(_ order: DeviceOrder, for client: OrderConnection) {
    // Tell the command which gateway it can query.
    client.send(["event": "order", "gateway": .string(configuration.gateway.folder ?? "")])
    do throws(DeviceOrder.Refusal) {
      let targets = try targets(of: order)
      let pending = PendingOrder(for: client)
      orders.append(pending)
      for (device, token) in targets { pending.add(device.begin(order.verb, token), of: device) }
      // Some parts might already be complete.
      for (device, _) in targets { pending.check(device) }
      orders.removeAll(where: \.isFinished)
    } catch {
      client.finish(error)
    }
  }

  /// Handles a device's event, which might complete an order.
  func deviceChanged(_ device: VirtualDevice) {
    guard !orders.isEmpty else { return }
    for order in orders { order.check(device) }
    orders.removeAll { $0.isFinished || $0.isAbandoned }
  }

  private func targets(
    of order: DeviceOrder
  ) throws(DeviceOrder.Refusal) -> [(VirtualDevice, token: [UInt8]?)] {
    var targets: [(VirtualDevice, token: [UInt8]?)] = []
    switch order.target {
    case .all: targets = devices.map { ($0, nil) }
    case .device(let number):
      targets = [(try device(number), nil)]
    case .token(let token):
      guard let device = devices.first(where: { $0.hasToken(token) }) else {
        throw .init(
          "no device of this run has the token \(Hexadecimal.encode(token))",
          do: "use a registered token; an unregistered token never becomes valid again")
      }
      targets = [(device, token)]
    }
    switch order.verb {
    case .offline, .online: return targets
    case .sleep, .wake: break
    case .register:
      targets.removeAll { !$0.0.hasApps }
      guard !targets.isEmpty else {
        throw .init("the devices have no apps", do: "start the devices with --app")
      }
    case .unregister, .disable, .enable:
      targets.removeAll { !$0.0.hasTokens }
      guard !targets.isEmpty else {
        // If the devices started with --app, tokens can only be missing because they were invalidated.
        throw .init(
          "no app is registered",
          do: configuration.subjects.isEmpty
            ? "start the devices with --app"
            : "run 'belfry device order register' to register the app again")
      }
    }
    if let (device, _) = targets.first(where: { $0.0.link?.isOffline != false }) {
      throw .init(
        "device \(device.number ?? 0) is offline, so it cannot report '\(order.verb.rawValue)' to the gateway",
        do: "run 'belfry device order online' first")
    }
    return targets
  }

  private func device(_ number: UInt64) throws(DeviceOrder.Refusal) -> VirtualDevice {
    if let device = devices.first(where: { $0.number == number }) { return device }
    guard let device = devices.first(where: { UInt64($0.position) == number }) else {
      throw .init(
        "no device \(number) in this run",
        do: "use 1 to \(devices.count), or a number that 'belfry device list' shows")
    }
    return device
  }
}
