import BelfryWire
import System
import Transport

/// A client of the legacy feedback service (apns-protocol 7.4): it sends nothing, and reads the tokens that
/// became inactive since the service was last read, until the stream ends.
final class FeedbackConnection: StreamHandler {
  private let home: GatewayLoop
  private var stream: ByteStream?

  init(home: GatewayLoop) { self.home = home }

  func streamOpened(_ stream: ByteStream) {
    self.stream = stream
    guard let shown = stream.peerCertificate,
      case .accepted(let credential) = CertificateCredential.of(
        shown, in: home.directory, for: home.environment),
      let topic = credential.topics.first,
      let app = home.directory.app(bundleID: topic.span), app.teamID == credential.teamID
    else {
      home.log.info(
        "closed a feedback connection: its certificate names no app of this gateway",
        ["peer": stream.peerDescription])
      stream.close()
      return
    }
    home.prove(stream)
    home.askFeedback(app: app.number, self)
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {}

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) { self.stream = nil }

  /// Writes the tuples and ends: clients read to the end of the stream.
  func answer(_ tuples: [FeedbackTuple]) {
    for tuple in tuples { stream?.write(tuple.bytes) }
    stream?.close()
  }
}
