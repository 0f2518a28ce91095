import BelfryWire
import Gateway
import Glibc
import System

/// An exchange that sends a `belfry device order` to the devices and waits until the gateway shows the result.
struct OrderExchange {
  private let order: DeviceOrder
  private let end: ContinuousClock.Instant
  /// The time limit in seconds, as the user specified it.
  private let limit: String

  init(_ order: DeviceOrder, until end: ContinuousClock.Instant, limit: String) {
    self.order = order
    self.end = end
    self.limit = limit
  }

  /// Sends the order and calls `report` for each part that was carried out.
  ///
  /// `gateway` is the folder of the gateway to which an agent belongs; virtual devices report their gateway themselves.
  func run(
    with devices: DeviceRunFile, gateway: String, _ report: (JSONObject) -> Void
  ) throws {
    if let folder = devices.folder {
      try run(inFolder: folder, report)
    } else if let file = devices.agentReadyFile {
      try run(withAgent: file, GatewayAccess(folder: gateway), report)
    }
  }

  private func run(
    withAgent readyFile: String, _ gateway: GatewayAccess, _ report: (JSONObject) -> Void
  ) throws {
    let bytes = try? FileSystem.readRegularFile(readyFile, limit: 65_536)
    guard let ready = bytes.flatMap({ try? JSONValue(parsing: $0) })?.objectValue,
      let socket = ready["socket"]?.stringValue,
      let device = ready["device"]?.stringValue.flatMap({ UInt64($0) })
    else {
      throw DeviceOrder.Refusal(
        "the agent has not joined the gateway", do: "check the agent's log, and try again")
    }
    try settle(AgentOrder(order, socket: socket, device: device).run(), gateway, report)
  }

  private func run(inFolder folder: String, _ report: (JSONObject) -> Void) throws {
    let descriptor = try connect(folder)
    defer { close(descriptor) }
    let request = JSONValue.object(order.line).bytes + [0x0A]
    let sent = unsafe request.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard sent == request.count else {
      throw SystemFailure.call(name: "send", errno: errno, subject: folder)
    }
    var gateway: GatewayAccess?
    var input: [UInt8] = []
    var carriedOut: [JSONObject] = []
    while true {
      let bytes = try read(descriptor)
      guard !bytes.isEmpty else {
        throw DeviceOrder.Refusal(
          "the devices exited before they executed '\(order.verb.rawValue)'",
          do: "check the last lines that they printed")
      }
      input += bytes
      while let index = input.firstIndex(of: 0x0A) {
        let line = (try? JSONValue(parsing: Array(input[..<index])))?.objectValue ?? [:]
        input.removeFirst(index + 1)
        if let reason = line["error"]?.stringValue {
          try? settle(carriedOut, gateway, report)
          throw DeviceOrder.Refusal(reason, do: line["advice"]?.stringValue ?? "")
        }
        switch line["event"]?.stringValue {
        case "done": return try settle(carriedOut, gateway, report)
        case "order":
          gateway = line["gateway"]?.stringValue.flatMap {
            $0.isEmpty ? nil : GatewayAccess(folder: $0)
          }
        default: carriedOut.append(line)
        }
      }
    }
  }

  private func connect(_ folder: String) throws -> Int32 {
    let place = try OrderSocketPath(folder: folder)
    do throws(SystemFailure) {
      return try Socket.connect(unixPath: place.path)
    } catch {
      guard case .call(_, let number, _) = error, [ENOENT, ECONNREFUSED].contains(number) else {
        throw error
      }
      throw DeviceOrder.Refusal(
        "no devices are running in \(folder)",
        do: "start them with 'belfry device run --data \(folder)'")
    }
  }

  private func read(_ descriptor: Int32) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let left = ContinuousClock.now.duration(to: end)
      guard left > .zero else { throw timeout }
      // Round up, so that a fraction of a millisecond doesn't cause repeated calls.
      let (whole, attoseconds) = left.components
      let milliseconds = Int32(clamping: whole * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&wanted, 1, milliseconds) > 0 else { continue }
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count >= 0 { return Array(buffer[..<count]) }
      guard [EINTR, EAGAIN].contains(errno) else { return [] }
    }
  }

  private var timeout: DeviceOrder.Refusal {
    DeviceOrder.Refusal(
      "timed out: '\(order.verb.rawValue)' was not confirmed within \(limit) s",
      do: "check the gateway's log, or use a longer --timeout")
  }

  // MARK: The gateway

  /// Reports each part of the order once the gateway's own answers show that the part was carried out.
  ///
  /// If the current user can't query the gateway, or if the gateway can't show the result, all parts are reported
  /// immediately. Each query asks about all devices, because an order can concern thousands of them.
  private func settle(
    _ parts: [JSONObject], _ gateway: GatewayAccess?, _ report: (JSONObject) -> Void
  ) throws {
    var waiting = parts
    while let gateway, let isShown = shown(waiting, gateway) {
      var left: [JSONObject] = []
      for line in waiting { if isShown(line) { report(line) } else { left.append(line) } }
      waiting = left
      if waiting.isEmpty { return }
      guard ContinuousClock.now < end else { throw timeout }
      usleep(Self.pauseMicroseconds)
    }
    for line in waiting { report(line) }
  }

  /// Queries the gateway, and returns a function that tells whether the gateway shows that a part was carried out.
  ///
  /// Returns nil if the gateway can't be queried, or if it doesn't show the result of this kind of order.
  private func shown(
    _ parts: [JSONObject], _ gateway: GatewayAccess
  ) -> ((JSONObject) -> Bool)? {
    switch order.verb {
    case .offline, .online:
      let only = parts.count == 1 ? parts.first.flatMap(DeviceOrder.number(in:)) : nil
      guard let lines = try? gateway.ask(.listDevices(of: only)) else { return nil }
      var isUp: [String: Bool] = [:]
      for line in lines {
        if let device = DeviceOrder.number(in: line) { isUp[device] = line["up"]?.boolValue }
      }
      return { part in
        let found = DeviceOrder.number(in: part).flatMap { isUp[$0] }
        return found.map { $0 == (order.verb == .online) } ?? true
      }
    case .unregister:
      return { part in
        let token = part["token"]?.stringValue ?? ""
        let lines = try? gateway.ask(.checkDeviceToken(token, topic: nil))
        return lines?.first?["faults"]?.arrayValue?.contains {
          $0.objectValue?["status"]?.integerValue == 410
        } ?? true
      }
    case .sleep, .wake, .register, .disable, .enable: return nil
    }
  }

  private static let pauseMicroseconds: UInt32 = 20_000
}
