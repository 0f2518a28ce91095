import BelfryWire
import Glibc
import Storage
import System
import Transport

/// The loop's listeners.
extension GatewayLoop {
  /// Opens the listeners and reports their ports to the control plane.
  func open(_ ports: GatewayPorts) {
    loop.boundHandshakes(to: shared.census.bounds.handshakes)
    do {
      var taken = ports
      for index in ports.providers.indices {
        taken.providers[index] = try listen(
          ports.providers[index], "provider-port", \.provider, for: .provider
        ) { [unowned self] _ in
          makeProvider(ProviderConnection.init)
        }
      }
      if let port = ports.insecureProvider {
        taken.insecureProvider = try listen(
          port, "insecure-provider-port", nil, for: .provider
        ) { [unowned self] _ in
          InsecureProtocolNegotiator(home: self)
        }
      }
      taken.binary = try listen(ports.binary, "binary-port", \.legacy, for: .provider) {
        [unowned self] _ in
        LegacyProtocolNegotiator(home: self, service: .binary)
      }
      taken.feedback = try listen(
        ports.feedback, "feedback-port", \.legacy, for: .provider
      ) {
        [unowned self] _ in
        LegacyProtocolNegotiator(home: self, service: .feedback)
      }
      taken.device = try listen(ports.device, "device-port", \.device, for: .device) {
        [unowned self] _ in
        DeviceHandoff(home: self)
      }
      post(.opened(loop: index, taken))
    } catch {
      post(.failed(loop: index, "\(error)"))
    }
  }

  private func listen(
    _ port: UInt16, _ option: String, _ part: KeyPath<ListenerSecurity, StreamSecurity>?,
    for kind: ConnectionCensus.Kind,
    accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws(ListenFailure) -> UInt16 {
    let configuration = shared.configuration
    do throws(SystemFailure) {
      guard let address = SocketAddress(host: configuration.host, port: port) else {
        throw .unusable(text: configuration.host, reason: "it is not an IP address")
      }
      let sharing: Socket.PortSharing =
        configuration.loops == 1 ? .none : index == 0 ? .first : .further
      let listener = try shared.listeners.listen(
        on: loop, at: address, security: part.map { listeners.security[keyPath: $0] } ?? .plain,
        sharing: sharing
      ) { [unowned self] stream in
        admit(stream, to: kind) ? accept(stream) : nil
      }
      assert(
        port == 0 || listener.port == port, "a listener uses the requested port")
      listeners.add(listener, showing: part)
      return listener.port
    } catch {
      throw ListenFailure(option: option, port: port, reason: error)
    }
  }
}

/// An error that describes why the listener for an option's port can't open.
private struct ListenFailure: Error, CustomStringConvertible {
  let option: String
  let port: UInt16
  let reason: SystemFailure

  var description: String {
    if case .call(_, EADDRINUSE, let address) = reason {
      return "\(address) is in use, perhaps by another gateway; stop that process, or choose "
        + "another --\(option) (`ss -ltnp 'sport = :\(port)'` shows the process)"
    }
    return "--\(option) \(port): \(reason)"
  }
}

extension GatewayLoop {
  /// Creates the gateway's loop on its own thread, and reports to the control plane that the loop is running.
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
      // Handle messages before descriptors: a push may depend on an app or a key that this loop was notified of while
      // it was blocked.
      let mailbox = loop.mailbox(of: LoopMessage.self, isBeforeDescriptors: true) { messages in
        part.handle(messages)
      }
      shared.didStartLoop?(part)
      shared.controlPlane.post(.ready(loop: index, mailbox))
    } catch {
      shared.controlPlane.post(.failed(loop: index, "\(error)"))
    }
  }
}
