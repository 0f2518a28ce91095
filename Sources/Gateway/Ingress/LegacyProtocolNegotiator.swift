import BelfryWire
import System
import Transport

/// A connection on a legacy port whose protocol isn't known yet (apns-protocol 1.1).
///
/// The protocol is either HTTP/2 for channel management, which begins with the preface, or the port's own service,
/// which requires a certificate.
final class LegacyProtocolNegotiator: StreamHandler {
  /// The port's own service.
  enum Service { case binary, feedback }

  private let front: ProviderFront
  private let service: Service
  private var timer: TimerID?

  init(front: ProviderFront, service: Service) {
    self.front = front
    self.service = service
  }

  func streamOpened(_ stream: ByteStream) {
    if stream.negotiatedProtocol == "h2" {
      hand(stream, to: manager())
    } else if stream.peerCertificate != nil {
      switch service {
      case .binary: hand(stream, to: front.makeProvider(BinaryConnection.init))
      case .feedback: hand(stream, to: FeedbackConnection(front: front))
      }
    } else {
      timer = front.loop.schedule(afterNanoseconds: Limits.prefaceNanoseconds) { [weak stream] in
        stream?.close(afterFlush: false)
      }
    }
  }

  /// Handles a client that uses neither ALPN nor a certificate, and that must therefore begin with HTTP/2's preface.
  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    guard unsafe bytes.first == UInt8(ascii: "P") else {
      front.log.info(
        "closed a connection without a client certificate", ["peer": stream.peerDescription])
      stream.close(afterFlush: false)
      return
    }
    stopTimer()
    let connection = manager()
    let unread = unsafe Array(bytes)
    connection.streamOpened(
      stream.detach(unread: unread).attach(to: front.loop, handler: connection))
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    stopTimer()
    if let why = reason.handshakeFailureOfClient {
      front.log.info(
        "refused a TLS handshake on the binary or feedback port",
        ["peer": stream.peerDescription, "why": why])
    }
  }

  private func manager() -> ProviderConnection {
    let connection = front.makeProvider(ProviderConnection.init)
    connection.interface = .channelManagement
    return connection
  }

  private func stopTimer() {
    if let timer { front.loop.cancel(timer) }
    timer = nil
  }

  private func hand(_ stream: ByteStream, to handler: some StreamHandler) {
    handler.streamOpened(stream.detach().attach(to: front.loop, handler: handler))
  }
}
