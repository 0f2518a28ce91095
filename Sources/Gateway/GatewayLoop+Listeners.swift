import BelfryWire
import Storage
import System
import Transport

/// The loop's listeners.
extension GatewayLoop {
  /// Opens the listeners and tells the control plane on which ports they accept.
  func open(_ ports: GatewayPorts) {
    loop.boundHandshakes(to: shared.census.bounds.handshakes)
    do {
      let security = shared.security
      var taken = ports
      for index in ports.providers.indices {
        taken.providers[index] = try listen(
          ports.providers[index], security.provider, for: .provider
        ) { [unowned self] _ in
          makeProvider(ProviderConnection.init)
        }
      }
      if let port = ports.insecureProvider {
        taken.insecureProvider = try listen(port, .plain, for: .provider) { [unowned self] _ in
          InsecureProtocolNegotiator(home: self)
        }
      }
      taken.binary = try listen(ports.binary, security.legacy, for: .provider) { [unowned self] _ in
        LegacyProtocolNegotiator(home: self, service: .binary)
      }
      taken.feedback = try listen(ports.feedback, security.legacy, for: .provider) {
        [unowned self] _ in
        LegacyProtocolNegotiator(home: self, service: .feedback)
      }
      taken.device = try listen(ports.device, security.device, for: .device) { [unowned self] _ in
        DeviceHandoff(home: self)
      }
      post(.opened(loop: index, taken))
    } catch {
      post(.failed(loop: index, "\(error)"))
    }
  }

  private func listen(
    _ port: UInt16, _ security: StreamSecurity, for kind: ConnectionCensus.Kind,
    accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(SystemFailure) -> UInt16 {
    guard let address = SocketAddress(host: shared.configuration.host, port: port) else {
      throw .call(
        name: "bind", errno: 22, subject: "\(shared.configuration.host): not an IP address")
    }
    let listener = try shared.listeners.listen(
      on: loop, at: address, security: security, reusePort: shared.configuration.loops > 1
    ) { [unowned self] stream in
      admit(stream, to: kind) ? accept(stream) : nil
    }
    assert(port == 0 || listener.port == port, "a listener took another port than the one asked")
    add(listener)
    return listener.port
  }
}

extension GatewayLoop {
  /// Creates the gateway's loop on its own thread, and reports to the control plane that it runs.
  static func run(
    index: Int, on loop: EventLoop, shared: GatewayShared, directory: CredentialDirectory,
    devices: DeviceTable, registrations: RegistrationTable, channels: ChannelSnapshot,
    highestSequence: UInt64
  ) {
    do {
      let part = try GatewayLoop(
        index: index, loop: loop, shared: shared, directory: directory, devices: devices,
        registrations: registrations, deliveryLog: try shared.makeDeliveryLog(index),
        highestSequence: highestSequence)
      part.restore(channels)
      let mailbox = loop.mailbox(of: LoopMessage.self) { messages in part.handle(messages) }
      shared.didStartLoop?(part)
      shared.controlPlane.post(.ready(loop: index, mailbox))
    } catch {
      shared.controlPlane.post(.failed(loop: index, "\(error)"))
    }
  }
}
