import PushWire
import System
import Transport

/// A device's connection until the TLS handshake has identified the device, at which point its home loop takes over.
final class DeviceHandoff: StreamHandler {
  private let home: DeviceHome
  private var isDone = false

  init(home: DeviceHome) { self.home = home }

  func streamOpened(_ stream: ByteStream) {
    assert(!isDone, "a device's connection is handed over only once")
    isDone = true
    // TLS accepts a client without ALPN, but a client that doesn't speak this protocol isn't a device.
    guard stream.negotiatedProtocol == LinkLimits.applicationProtocol else {
      home.log.info(
        "refused a client without the device link's protocol", ["peer": stream.peerDescription])
      stream.close()
      return
    }
    let device = stream.peerCertificate.flatMap(DeviceClaim.init)
    if device != nil { (stream.slot as? ConnectionSlot)?.proveDevice() }
    if let device, !home.context.isHome(of: device.number) {
      stream.slot = nil
      handOver(stream.detach(), of: device)
      return
    }
    if let device, home.cluster != nil {
      stream.slot = nil
      home.park(stream.detach(), of: device)
      return
    }
    let connection = home.makeConnection(device: device)
    // A connection without a device certificate keeps its slot among the unproven connections.
    if device == nil { connection.slot = stream.slot }
    stream.slot = nil
    connection.streamOpened(stream.detach().attach(to: home.loop, handler: connection))
  }

  /// Sends a device's connection to its home immediately, because the connection might have unread bytes.
  private func handOver(_ stream: DetachedStream, of device: DeviceClaim) {
    let route = home.context.homes.home(of: device.number)
    guard home.context.post(.attach(stream, device: device), to: route) else {
      // The stream closes when it is released, and the device reconnects.
      return assertionFailure("a device connected before the gateway was open")
    }
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    assertionFailure("bytes arrived on a connection that was handed over")
  }

  func streamDrained(_ stream: ByteStream) {
    assertionFailure("a connection that was handed over wrote output")
  }

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    if let why = reason.handshakeFailureOfClient {
      home.log.info(
        "refused a TLS handshake on the device port", ["peer": stream.peerDescription, "why": why])
    }
  }
}

extension DeviceClaim {
  /// Creates a claim from a device's certificate; nil if the certificate doesn't identify a device.
  init?(_ certificate: PeerCertificate) {
    guard let number = UInt64(certificate.commonName, radix: 10) else { return nil }
    self.init(
      number: number, keyHash: SHA256.hash(certificate.publicKeySPKI),
      serial: certificate.serial)
  }
}
