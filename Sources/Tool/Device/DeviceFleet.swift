import Agent
import BelfryWire
import PushWire
import Foundation
import Glibc
import System
import Transport

/// The virtual devices of a `belfry device run` command, which share a single event loop.
final class DeviceFleet: TurnEndTarget {
  let configuration: FleetConfiguration
  var statistics = DeviceStatistics()

  private let loop: EventLoop
  private let log: DeviceIdentityLog
  /// The devices, ordered by position.
  private(set) var devices: [VirtualDevice] = []
  /// The orders from `belfry device order` that are being carried out.
  var orders: [PendingOrder] = []
  private let received: ReceivedFile?
  private var output: [UInt8] = []
  private var isWriteScheduled = false
  private var reportedSentences: Set<String> = []
  private var isLeaving = false
  private var upAtLeaving = 0
  private var status: Int32 = 0

  init(_ configuration: FleetConfiguration) throws {
    self.configuration = configuration
    loop = try EventLoop()
    log = try DeviceIdentityLog(
      folder: configuration.dataFolder, authorityPEM: configuration.gateway.authorityPEM)
    received = try configuration.receivedFile.map { path throws(SystemFailure) in
      try ReceivedFile(path)
    }
    DescriptorLimit.raise()
  }

  /// Runs until the exit command or a termination signal is received.
  ///
  /// Returns the exit status.
  func run() throws -> Int32 {
    let signals = try SignalWatcher(on: loop, for: [.terminate, .interrupt]) { [unowned self] _ in
      leave()
    }
    defer { signals.close() }
    let commands = loop.mailbox(of: String.self) { [unowned self] lines in
      for line in lines { perform(line) }
    }
    Thread.detachNewThread {
      while let line = readLine() { commands.post(line) }
    }
    let server = try OrderServer(on: loop, folder: configuration.dataFolder) {
      [unowned self] order, client in carryOut(order, for: client)
    }
    announce()
    defer {
      server.close()
      if let folder = configuration.gateway.folder { DeviceRunFile.remove(inGateway: folder) }
    }
    try makeDevices()
    for device in devices { device.link?.goOnline() }
    loop.run()
    if configuration.isSummary { print { summary.append(to: &$0, ending: 0x0A) } }
    writeOut()
    return status
  }

  /// Records the devices in the folder of their gateway, if the gateway is on this machine.
  private func announce() {
    guard let folder = configuration.gateway.folder else { return }
    guard DeviceRunFile(ofGateway: folder) == nil else {
      return Output.error(
        "other devices are already running for this gateway, so 'belfry device order' controls "
          + "only those",
        do: "to control the new devices, use --devices "
          + ShellWords.quoted(configuration.dataFolder))
    }
    DeviceRunFile(folder: configuration.dataFolder, received: configuration.receivedFile)
      .write(inGateway: folder)
  }

  private func makeDevices() throws {
    var connection = GatewayConnection.Configuration(
      host: configuration.gateway.host, port: configuration.gateway.port,
      authorityPEM: configuration.gateway.authorityPEM)
    connection.enrollmentCode = configuration.gateway.enrollmentCode
    connection.gate = ConnectLimiter(limit: configuration.connecting)
    // The devices share a processor, so the last device in a burst waits for all the others.
    connection.connectNanoseconds = 120_000_000_000
    connection.settings.memory =
      Int(connection.settings.window) + configuration.subjects.count
    for position in 1...configuration.count {
      let identity =
        if let known = log.identities[position] { known } else {
          DeviceIdentity(key: try ES256PrivateKey())
        }
      connection.deviceName = "virtual \(position)"
      devices.append(VirtualDevice(self, at: position, on: loop, connection, identity: identity))
    }
  }

  // MARK: Commands

  private func perform(_ line: String) {
    guard !line.allSatisfy(\.isWhitespace) else { return }
    do {
      let command = try FleetCommand(line)
      switch command.verb {
      case .exit: leave()
      case .summary: print { summary.append(to: &$0, ending: 0x0A) }
      default: try perform(command)
      }
    } catch {
      Output.error(error)
    }
  }

  private var summary: JSONValue {
    statistics.line(
      devices: devices.count, up: isLeaving ? upAtLeaving : devices.count { $0.isUp })
  }

  /// Closes every link, and stops the loop once all links are closed or two seconds have passed.
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

  // MARK: The devices' events

  func persist(_ identity: DeviceIdentity, of device: VirtualDevice) {
    do {
      try log.append(identity, at: device.position)
    } catch {
      reportOnce("\(error)")
    }
  }

  /// Stores a device's renewed identity.
  ///
  /// If storing fails, the link continues to use the previous identity.
  func persistRenewed(_ identity: DeviceIdentity, of device: VirtualDevice) throws {
    do {
      try log.append(identity, at: device.position)
    } catch {
      reportOnce("\(error)")
      throw error
    }
  }

  func lost(_ device: VirtualDevice, because reason: String) {
    guard !isLeaving else { return stopWhenAllAreGone() }
    if let loss = device.link?.latestLoss, let problem = trustProblem(loss) {
      reportOnce(problem)
    } else if device.link?.latestLoss.isEnrollmentRefused == true {
      // The device has already reported the refusal.
    } else if !device.isStopped, !device.isUp, statistics.tokens == 0 {
      let prefix = "not connected: "
      let cause = reason.hasPrefix(prefix) ? reason.dropFirst(prefix.count) : reason[...]
      reportOnce("not connected to the gateway yet: \(cause)")
    }
    guard device.isStopped else { return }
    if reason == "revoked" {
      reportOnce(
        "the gateway has revoked a device: to enroll it again, remove its line from \(log.path) or "
          + "use another --data folder, \(restartAdvice)")
    }
    if devices.allSatisfy(\.isStopped) {
      status = 1
      loop.stop()
    }
  }

  /// The advice to start the devices again with an enrollment code, which an invitation or a `gateway.json` contains.
  private var restartAdvice: String {
    let hasCode = !configuration.gateway.enrollmentCode.isEmpty
    return "and run this command again"
      + (hasCode ? "" : " with --enroll and the code that 'belfry device code' prints")
  }

  /// Returns the problem and the advice if the link was lost because one side does not trust the CA that signed the
  /// other side's certificate; nil for any other cause.
  private func trustProblem(_ loss: GatewayLinkLoss) -> String? {
    guard case .closed(let closure) = loss else { return nil }
    let enrollAgain =
      "to enroll the devices again, remove \(log.path) or use another --data folder, \(restartAdvice)"
    if closure.isUnknownAuthority {
      return
        "the devices do not trust the CA that signed the gateway's certificate: use this gateway's current "
        + "gateway.json or ca.pem, or a new invitation from 'belfry device invite'; if the gateway was restored from a "
        + "backup, \(enrollAgain)"
    }
    if closure.isOwnCertificateRefused {
      return
        "the gateway does not accept a device's certificate, because it was restored from a backup or no longer trusts "
        + "the CA that signed the certificate: \(enrollAgain)"
    }
    return nil
  }

  func received(_ notification: LinkNotification, latencyMicros: Int64?) {
    statistics.received(
      payloadBytes: notification.payload.count, fromStorage: notification.isFromStorage,
      latencyMicros: latencyMicros, at: loop.nowNanoseconds)
  }

  /// Appends a notification to the file of received pushes, if the options specify that file.
  func keep(
    _ notification: LinkNotification, for subject: LinkSubject, token: [UInt8], device: UInt64?
  ) {
    received?.append(notification, for: subject, token: token, device: device ?? 0)
  }

  /// Prints a warning to standard error, once for each distinct sentence.
  func reportOnce(_ sentence: String) {
    if reportedSentences.insert(sentence).inserted {
      Output.error(FleetWarning(description: sentence))
    }
  }

  private struct FleetWarning: Error, CustomStringConvertible {
    let description: String
  }

  // MARK: Output

  /// Appends to the output that is written at the end of the loop's current turn.
  func print(_ write: (inout [UInt8]) -> Void) {
    write(&output)
    guard !isWriteScheduled else { return }
    isWriteScheduled = true
    loop.atTurnEnd(self)
  }

  func turnEnded() {
    isWriteScheduled = false
    writeOut()
  }

  private func writeOut() {
    _ = StandardStream.output.write(output)
    output.removeAll(keepingCapacity: true)
  }
}

extension JSONValue {
  fileprivate func append(to output: inout [UInt8], ending last: UInt8) {
    append(to: &output)
    output.append(last)
  }
}
