import Agent
import BelfryWire
import Foundation
import Glibc
import System
import Transport

/// All virtual devices of one `belfry device run`, on one loop.
final class DeviceFleet: TurnEndTarget {
  let plan: DevicePlan
  var tally = DeviceTally()

  private let loop: EventLoop
  private let log: DeviceIdentityLog
  private var devices: [VirtualDevice] = []
  private var output: [UInt8] = []
  private var isTurnEndAsked = false
  private var complaints: Set<String> = []
  private var isLeaving = false
  private var upAtLeaving = 0
  private var status: Int32 = 0

  /// Links that open TLS at a time: more would time each other out.
  private static let dialsMax = 64

  init(_ plan: DevicePlan) throws {
    self.plan = plan
    loop = try EventLoop()
    log = try DeviceIdentityLog(folder: plan.dataFolder, authorityPEM: plan.authorityPEM)
    Self.raiseDescriptorLimit(for: plan.count)
  }

  /// Runs until the order to leave; the exit status.
  func run() throws -> Int32 {
    let signals = try SignalWatcher(on: loop, for: [.terminate, .interrupt]) { [unowned self] _ in
      leave()
    }
    defer { signals.close() }
    let orders = loop.mailbox(of: String.self) { [unowned self] lines in
      for line in lines { carryOut(line) }
    }
    Thread.detachNewThread {
      while let line = readLine() { orders.post(line) }
    }
    try makeDevices()
    for device in devices { device.link?.goOnline() }
    loop.run()
    if plan.isSummary { print { summary.append(to: &$0, ending: 0x0A) } }
    writeOut()
    return status
  }

  private func makeDevices() throws {
    var configuration = GatewayConnection.Configuration(
      host: plan.host, port: plan.port, authorityPEM: plan.authorityPEM)
    configuration.enrolmentCode = plan.enrolmentCode
    configuration.gate = ConnectLimiter(limit: Self.dialsMax)
    configuration.settings.memory = Int(configuration.settings.window)
    for index in 0..<plan.count {
      let identity =
        index < log.kept.count ? log.kept[index] : DeviceIdentity(key: try ES256PrivateKey())
      configuration.deviceName = "virtual \(index + 1)"
      devices.append(VirtualDevice(self, on: loop, configuration, identity: identity))
    }
  }

  private static func raiseDescriptorLimit(for count: Int) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else {
      return
    }
    limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(count + 128)))
    unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
  }

  // MARK: Orders

  private func carryOut(_ line: String) {
    guard !line.allSatisfy(\.isWhitespace) else { return }
    do throws(DeviceOrder.Refusal) {
      let order = try DeviceOrder(line)
      switch order.verb {
      case .exit: leave()
      case .summary: print { summary.append(to: &$0, ending: 0x0A) }
      default: for device in devices { device.carryOut(order) }
      }
    } catch {
      Output.error(error)
    }
  }

  private var summary: JSONValue {
    tally.line(
      devices: devices.count, up: isLeaving ? upAtLeaving : devices.count { $0.isUp })
  }

  /// Says goodbye on every link, and ends when all are closed, or after two seconds.
  private func leave() {
    guard !isLeaving else { return }
    isLeaving = true
    upAtLeaving = devices.count { $0.isUp }
    for device in devices { device.link?.goOffline() }
    loop.schedule(afterNanoseconds: 2_000_000_000) { [unowned self] in loop.stop() }
    stopWhenAllAreGone()
  }

  private func stopWhenAllAreGone() {
    if isLeaving, devices.allSatisfy({ $0.link?.isOffline != false }) { loop.stop() }
  }

  // MARK: What devices tell

  func keep(_ identity: DeviceIdentity) {
    do {
      try log.append(identity)
    } catch {
      complain("\(error)")
    }
  }

  func lost(_ device: VirtualDevice, because reason: String) {
    guard !isLeaving else { return stopWhenAllAreGone() }
    if !device.isUp, tally.tokens == 0 { complain("no link to the gateway yet: \(reason)") }
    guard device.isStopped else { return }
    if devices.allSatisfy(\.isStopped) {
      status = 1
      loop.stop()
    }
  }

  func received(_ notification: LinkNotification, latencyMicros: Int64?) {
    tally.received(
      payloadBytes: notification.payload.count, fromStorage: notification.isFromStorage,
      latencyMicros: latencyMicros, at: loop.nowNanoseconds)
  }

  /// Tells stderr, each sentence once.
  func complain(_ sentence: String) {
    if complaints.insert(sentence).inserted { Output.error(Complaint(description: sentence)) }
  }

  private struct Complaint: Error, CustomStringConvertible {
    let description: String
  }

  // MARK: Output

  /// Adds to what goes to stdout at the end of this turn of the loop.
  func print(_ write: (inout [UInt8]) -> Void) {
    write(&output)
    guard !isTurnEndAsked else { return }
    isTurnEndAsked = true
    loop.atTurnEnd(self)
  }

  func turnEnded() {
    isTurnEndAsked = false
    writeOut()
  }

  private func writeOut() {
    var rest = output[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { break }
      rest = rest.dropFirst(written)
    }
    output.removeAll(keepingCapacity: true)
  }
}

extension JSONValue {
  fileprivate func append(to output: inout [UInt8], ending last: UInt8) {
    append(to: &output)
    output.append(last)
  }
}
