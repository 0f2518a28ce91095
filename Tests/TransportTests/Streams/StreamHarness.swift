import System
import TestSupport
import Testing

@testable import Transport

/// A loop that a test runs step by step, with everything that streams need.
final class StreamHarness {
  let loop: EventLoop

  init(clock: any LoopClock = SystemLoopClock.shared) throws { loop = try EventLoop(clock: clock) }

  /// Runs the loop until `condition` holds; fails after ``TestTimeout/standard``.
  func run(
    _ what: String = "the condition", sourceLocation: SourceLocation = #_sourceLocation,
    until condition: () -> Bool
  ) {
    let end = SystemClock.monotonicNanoseconds + TestTimeout.standardNanoseconds
    // The alarm wakes the loop to check the deadline.
    let alarm = loop.schedule(afterNanoseconds: TestTimeout.standardNanoseconds) {}
    defer {
      let shared = StreamLoop.of(loop)
      shared.pool.checkInvariants()
      shared.handshakes.checkInvariants()
    }
    while !condition() {
      guard SystemClock.monotonicNanoseconds < end else {
        Issue.record("timed out waiting for \(what)", sourceLocation: sourceLocation)
        return
      }
      loop.turn(mayBlock: true)
    }
    loop.cancel(alarm)
  }

  func listen(
    _ security: StreamSecurity = .plain, accept: @escaping (ByteStream) -> (any StreamHandler)?
  ) throws -> StreamListener {
    try StreamListener(
      loop: loop, address: .loopback(port: 0), security: security, accept: accept)
  }

  func connect(
    _ listener: StreamListener, tls: TLSClientContext? = nil,
    credential: TLSClientCredential? = nil, serverName: String? = nil, handler: any StreamHandler
  ) -> ByteStream {
    ByteStream.connect(
      on: loop, to: .tcp(host: "127.0.0.1", port: listener.port), tls: tls, credential: credential,
      serverName: serverName, timeoutNanoseconds: 5_000_000_000, handler: handler)
  }
}

/// A handler that records the events of one stream.
final class Recorder: StreamHandler {
  var opened = 0
  var received: [UInt8] = []
  var deliveries = 0
  var drained = 0
  var closures: [StreamClosure] = []
  var stream: ByteStream?
  var onOpen: (ByteStream) -> Void = { _ in }
  var onReceive: (ByteStream, [UInt8]) -> Void = { _, _ in }
  var onClose: () -> Void = {}
  /// A closure that returns true if, when the peer stops sending, the handler still has answers to send.
  var awaitsAnswers: (ByteStream) -> Bool = { _ in false }

  var closure: StreamClosure? { closures.first }
  var text: String { String(decoding: received, as: UTF8.self) }

  func streamOpened(_ stream: ByteStream) {
    opened += 1
    self.stream = stream
    onOpen(stream)
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    deliveries += 1
    received += bytes
    onReceive(stream, Array(bytes))
  }

  func streamAwaitsAnswers(_ stream: ByteStream) -> Bool { awaitsAnswers(stream) }

  func streamDrained(_ stream: ByteStream) { drained += 1 }

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    closures.append(reason)
    onClose()
  }
}

/// The certificates of a test authority, which are generated only once.
enum TestIdentities {
  static let now = SystemClock.unixMilliseconds / 1_000
  static let authority = Result { try makeAuthority() }
  static let server = Result {
    try authority.get().issueServer(names: ["localhost"], addresses: ["127.0.0.1"], now: now)
  }

  static func makeAuthority() throws -> CertificateAuthority {
    try CertificateAuthority.make(
      commonName: "Belfry test CA",
      nameConstraints: .init(
        hostNames: ["localhost"]),
      now: now)
  }

  static func client(
    of authority: CertificateAuthority? = nil, name: String = "client",
    validFrom: Int64 = -300, validTo: Int64 = 3_600
  ) throws -> (chain: [UInt8], key: [UInt8]) {
    let key = try ES256PrivateKey()
    let certificate = try (authority ?? Self.authority.get()).issueClient(
      publicKeySPKI: key.publicKey.spkiDER, commonName: name, notBefore: now + validFrom,
      notAfter: now + validTo)
    return (try certificate.pem(), try key.pkcs8PEM())
  }

  static func serverContext(
    alpn: [String] = [], unmatched: TLSServerContext.UnmatchedALPN = .refuse,
    clients: TLSServerContext.ClientCertificates = .none, minimum: TLSVersion = .tls12,
    takeOver: Bool = false, recordsPerKey: UInt64 = 1 << 24,
    check: (@Sendable (PeerCertificate) -> TLSServerContext.Verdict)? = nil
  ) throws -> TLSServerContext {
    let identity = try server.get()
    return try TLSServerContext(
      certificateChainPEM: identity.certificateChainPEM, privateKeyPEM: identity.privateKeyPEM,
      alpn: alpn, unmatchedALPN: unmatched, clientCertificates: clients, minimumVersion: minimum,
      takeOverRecords: takeOver, recordsPerKey: recordsPerKey, check: check)
  }

  static func clientContext(
    alpn: [String] = [], identity: (chain: [UInt8], key: [UInt8])? = nil
  ) throws -> TLSClientContext {
    try TLSClientContext(
      caPEM: authority.get().certificatePEM, certificateChainPEM: identity?.chain,
      privateKeyPEM: identity?.key, alpn: alpn)
  }
}
