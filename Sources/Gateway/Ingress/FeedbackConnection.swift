import PushWire
import Storage
import System
import Transport

/// A client of the legacy feedback service (apns-protocol 7.4).
///
/// The client sends nothing. It reads the tokens that became inactive since the service was last read, until the
/// gateway closes the stream.
///
/// The tokens are sent in pages; each page is sent after the client has read the previous one. The tokens count as read
/// once the client has read all of them. A client that disconnects earlier, or is too slow, receives all tokens again.
/// The same applies to a client that has shut down its sending side, because the gateway can't tell whether the client
/// still reads.
final class FeedbackConnection: StreamHandler {
  private let front: ProviderFront
  private var stream: ByteStream?
  private var app: UInt32 = 0
  /// The position of the last row that was written.
  private var cursor: FeedbackCursor?
  private var isComplete = false
  private var inputHasEnded = false

  init(front: ProviderFront) { self.front = front }

  func streamOpened(_ stream: ByteStream) {
    self.stream = stream
    guard let shown = stream.peerCertificate,
      case .accepted(let credential) = CertificateCredential.of(
        shown, in: front.directory, for: front.environment),
      let topic = credential.topics.first,
      let app = front.directory.app(bundleID: topic.span), app.teamID == credential.teamID
    else {
      front.log.info(
        "closed a feedback connection: its certificate is not for an app of this gateway",
        ["peer": stream.peerDescription])
      stream.close()
      return
    }
    stream.proveProvider()
    self.app = app.number
    front.askFeedback(app: app.number, after: nil, self)
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {}

  func streamAwaitsAnswers(_ stream: ByteStream) -> Bool {
    inputHasEnded = true
    return app != 0 && !isComplete
  }

  func streamDrained(_ stream: ByteStream) {
    assert(cursor != nil && !isComplete, "the written page was not the last one")
    front.askFeedback(app: app, after: cursor, self)
  }

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    self.stream = nil
    guard isComplete, !inputHasEnded, reason == .local, let cursor else { return }
    front.ask(.feedbackRead(app: app, upToMilliseconds: cursor.changedMilliseconds))
  }

  /// Writes a page.
  ///
  /// After the last page, this method closes the stream, because clients read to the end of the stream.
  func answer(_ records: [RegistrationRecord]?) {
    guard let stream else { return }
    guard let records else { return stream.close() }
    var bytes: [UInt8] = []
    for record in records {
      for tuple in front.feedbackTuples(record) { bytes += tuple.bytes }
    }
    cursor = records.last.map(FeedbackCursor.init) ?? cursor
    stream.write(bytes)
    guard records.count < Limits.feedbackPageRows else { return }
    isComplete = true
    stream.close()
  }
}
