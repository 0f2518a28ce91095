public import PushWire
import Dispatch
import Synchronization
import System
import Transport

/// A client for the legacy feedback service, which reports the tokens of removed apps (apns-protocol 7.4).
public enum FeedbackClient {
  /// Reads all available tuples.
  ///
  /// The service reports each tuple only once.
  ///
  /// The call waits until the service closes the connection, and blocks in the meantime, so never make it on a loop's
  /// thread. `credentials` must be a certificate, because the service does not accept provider tokens.
  public static func read(
    _ endpoint: ProviderEndpoint, credentials: ProviderCredentials, authorityPEM: [UInt8]?
  ) throws(ProviderFailure) -> [FeedbackTuple] {
    guard case .certificate(let chain, let privateKey) = credentials else {
      throw .badCredentials("the feedback service requires a certificate")
    }
    let tls: TLSClientContext
    do {
      tls = try TLSClientContext(
        caPEM: authorityPEM, certificateChainPEM: chain, privateKeyPEM: privateKey, alpn: [])
    } catch {
      throw .badCredentials("\(error)")
    }
    let outcome = Mutex<Result<[FeedbackTuple], ProviderFailure>?>(nil)
    let hasEnded = DispatchSemaphore(value: 0)
    let thread: LoopThread
    do throws(SystemFailure) {
      thread = try LoopThread.launch(name: "feedback") { loop throws(SystemFailure) -> Void in
        let reader = FeedbackReader(endpoint: endpoint) { result in
          outcome.withLock { $0 = result }
          hasEnded.signal()
        }
        reader.connect(on: loop, tls: tls)
      }.thread
    } catch {
      throw .cannotStart("\(error)")
    }
    let isInTime =
      hasEnded.wait(timeout: .now() + .nanoseconds(Int(Limits.feedbackNanoseconds))) == .success
    thread.stop()
    thread.join()
    guard isInTime, let result = outcome.withLock({ $0 }) else {
      throw .timedOut(seconds: Int(Limits.feedbackNanoseconds / 1_000_000_000))
    }
    return try result.get()
  }
}

/// A connection to a feedback service that collects tuples until the service closes it.
private final class FeedbackReader: StreamHandler {
  private let endpoint: ProviderEndpoint
  private let onEnd: (Result<[FeedbackTuple], ProviderFailure>) -> Void
  private var stream: ByteStream?
  private var pending: [UInt8] = []
  private var tuples: [FeedbackTuple] = []
  /// The reader's reference to itself.
  ///
  /// The reader has no other owner, so it holds the reference until the connection is closed.
  private var itself: FeedbackReader?

  init(
    endpoint: ProviderEndpoint,
    _ onEnd: @escaping (Result<[FeedbackTuple], ProviderFailure>) -> Void
  ) {
    self.endpoint = endpoint
    self.onEnd = onEnd
  }

  func connect(on loop: EventLoop, tls: TLSClientContext) {
    assert(stream == nil, "a reader connects only once")
    itself = self
    stream = ByteStream.connect(
      on: loop, to: .tcp(host: endpoint.host, port: endpoint.port), tls: tls,
      timeoutNanoseconds: Limits.connectNanoseconds, handler: self)
  }

  func streamOpened(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    unsafe pending.append(contentsOf: bytes)
    var offset = 0
    // Each tuple consists of the seconds, the token's length, and the token.
    while pending.count - offset >= 6 {
      let length = Int(pending[offset + 4]) << 8 | Int(pending[offset + 5])
      guard pending.count - offset >= 6 + length else { break }
      let seconds = pending[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let token = Array(pending[(offset + 6)..<(offset + 6 + length)])
      tuples.append(FeedbackTuple(seconds: seconds, token: token))
      offset += 6 + length
    }
    assert(offset <= pending.count, "only complete tuples are consumed")
    pending.removeFirst(offset)
    assert(pending.count < 6 + Int(UInt16.max), "only an incomplete tuple remains")
    // Stop reading from a service that never finishes; the received tuples are valid.
    if tuples.count >= Limits.feedbackTuplesMax { stream.close() }
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    switch reason {
    // The service closes the connection as soon as it has reported everything, possibly without closing TLS properly.
    case .peer, .truncated, .local: onEnd(.success(tuples))
    default:
      onEnd(
        tuples.isEmpty
          ? .failure(.unreachable(endpoint: endpoint.description, reason: reason.description))
          : .success(tuples))
    }
    assert(itself === self, "a connection ends only once")
    self.stream = nil
    itself = nil
  }
}
