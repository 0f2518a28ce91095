import BelfryWire
import System
import Transport

/// How connections come in.
extension GatewayLoop {
  /// Opens the listeners and tells the control plane on which ports they accept.
  func open(_ ports: GatewayPorts) {
    do {
      var taken = ports
      for index in ports.providers.indices {
        taken.providers[index] = try listen(
          ports.providers[index], .tls(shared.providerTLS)
        ) { [unowned self] _ in
          makeProvider(ProviderConnection.init)
        }
      }
      if let port = ports.insecureProvider {
        taken.insecureProvider = try listen(port, .plain) { [unowned self] _ in
          InsecureProtocolNegotiator(home: self)
        }
      }
      taken.binary = try listen(ports.binary, .tls(shared.legacyTLS)) { [unowned self] _ in
        LegacyProtocolNegotiator(home: self, service: .binary)
      }
      taken.feedback = try listen(ports.feedback, .tls(shared.legacyTLS)) { [unowned self] _ in
        LegacyProtocolNegotiator(home: self, service: .feedback)
      }
      taken.device = try listen(ports.device, .tls(shared.deviceTLS)) { [unowned self] _ in
        DeviceHandoff(home: self)
      }
      shared.desk.post(.opened(loop: index, taken))
    } catch {
      shared.desk.post(.failed(loop: index, "\(error)"))
    }
  }

  private func listen(
    _ port: UInt16, _ security: StreamSecurity,
    accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) -> UInt16 {
    guard let address = SocketAddress(host: shared.configuration.host, port: port) else {
      throw .call(
        name: "bind", errno: 22, subject: "\(shared.configuration.host): not an IP address")
    }
    let listener = try StreamListener(
      loop: loop, address: address, security: security,
      reusePort: shared.configuration.loops > 1, accept: accept)
    listeners.append(listener)
    return listener.port
  }
}

/// A device's connection until its handshake has told whose it is: then its home loop takes it.
final class DeviceHandoff: StreamHandler {
  private let home: GatewayLoop

  init(home: GatewayLoop) { self.home = home }

  func streamOpened(_ stream: ByteStream) {
    let device = stream.peerCertificate.flatMap { UInt64($0.commonName, radix: 10) }
    let loops = UInt64(max(1, home.peers.count))
    if let device, Int(device % loops) != home.index {
      home.peers[Int(device % loops)].post(.attach(stream.detach(), device: device))
      return
    }
    let connection = home.makeDeviceConnection(device: device)
    connection.streamOpened(stream.detach().attach(to: home.loop, handler: connection))
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {}

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    if case .tlsFailed(let why) = reason {
      home.log.info(
        "refused a device's TLS handshake", ["peer": stream.peerDescription, "why": why])
    }
  }
}

extension GatewayLoop {
  /// Builds the loop's part on its own thread and tells the control plane that it runs.
  static func run(
    index: Int, on loop: EventLoop, shared: GatewayShared, directory: CredentialDirectory,
    registrations: RegistrationTable, channels: ChannelSnapshot, highestSequence: UInt64
  ) {
    do {
      let part = try GatewayLoop(
        index: index, loop: loop, shared: shared, directory: directory,
        registrations: registrations, deliveryLog: deliveryLog(of: index, shared),
        highestSequence: highestSequence)
      part.restore(channels)
      let mailbox = loop.mailbox(of: LoopMessage.self) { messages in part.take(messages) }
      shared.desk.post(.ready(loop: index, mailbox))
    } catch {
      shared.desk.post(.failed(loop: index, "\(error)"))
    }
  }

  /// The log of a loop; in memory where the folder has no room for it, as pushes matter more.
  private static func deliveryLog(
    of index: Int, _ shared: GatewayShared
  ) throws(SystemFailure) -> DeliveryLog {
    let folder = GatewayFolder(path: shared.configuration.folder)
    do throws(SystemFailure) {
      return try DeliveryLog(
        file: folder.deliveryLogFile(loop: index), capacity: Limits.deliveryLogLines)
    } catch {
      shared.log.warning(
        "keeps the delivery log in memory, until the gateway stops", ["why": "\(error)"])
      return try DeliveryLog(capacity: Limits.deliveryLogLines)
    }
  }
}
