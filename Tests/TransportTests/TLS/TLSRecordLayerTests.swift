import System
import TestSupport
import Testing

@testable import Transport

/// Tests of a server that handles records with Belfry's record layer, against OpenSSL's client.
@Suite struct TLSRecordLayerTests {
  private let harness: StreamHarness

  init() throws { harness = try StreamHarness() }

  private struct Pair {
    let server = Recorder()
    let client = Recorder()
    var serverStream: ByteStream { get throws { try #require(server.stream) } }
    var clientStream: ByteStream { get throws { try #require(client.stream) } }
    var session: TLSSession { get throws { try #require(clientStream.tls as? TLSSession) } }
  }

  /// Returns an open connection whose server sends back the bytes that it receives.
  private func pair(
    recordsPerKey: UInt64 = 1 << 24
  ) throws -> Pair {
    let pair = Pair()
    pair.server.onReceive = { stream, bytes in stream.write(bytes) }
    let context = try TestIdentities.serverContext(
      alpn: ["belfry-link/1"], minimum: .tls13, takeOver: true, recordsPerKey: recordsPerKey)
    let listener = try harness.listen(.tls(context)) { _ in pair.server }
    _ = harness.connect(
      listener, tls: try TestIdentities.clientContext(alpn: ["belfry-link/1"]),
      handler: pair.client)
    harness.run { pair.client.opened == 1 && pair.server.opened == 1 }
    listener.close()
    #expect(try pair.serverStream.tls is TLSRecordLayer)
    return pair
  }

  private func exchange(_ pair: Pair, _ text: String) throws {
    let before = pair.client.received.count
    try pair.clientStream.write(Array(text.utf8))
    harness.run { pair.client.received.count >= before + text.utf8.count }
    #expect(pair.client.text.hasSuffix(text))
  }

  @Test
  func `after taking over from OpenSSL, a stream keeps its session data except the certificate`()
    throws
  {
    let identity = try TestIdentities.client(name: "device 9")
    var seen: String?
    let server = Recorder()
    server.onOpen = { seen = $0.peerCertificate?.commonName }
    let context = try TestIdentities.serverContext(
      alpn: ["belfry-link/1"],
      clients: .required(caPEM: TestIdentities.authority.get().certificatePEM), takeOver: true)
    let listener = try harness.listen(.tls(context)) { _ in server }
    let client = Recorder()
    _ = harness.connect(
      listener, tls: try TestIdentities.clientContext(alpn: ["belfry-link/1"], identity: identity),
      handler: client)
    harness.run { server.opened == 1 }
    #expect(seen == "device 9")
    #expect(server.stream?.peerCertificate == nil)
    #expect(server.stream?.negotiatedProtocol == "belfry-link/1")
    #expect(server.stream?.tls != nil)
  }

  @Test(.requires(.openssl))
  func `TLS 1.2 clients stay with OpenSSL`() async throws {
    let scratch = try ScratchFolder()
    let server = Recorder()
    server.onReceive = { stream, bytes in stream.write(bytes) }
    let listener = try harness.listen(.tls(TestIdentities.serverContext(takeOver: true))) { _ in
      server
    }
    let client = try openssl(listener, ["-tls1_2"], scratch)
    client.tell("ping")
    harness.run { server.text == "ping\n" }
    #expect(server.stream?.tls is TLSSession)
    client.tell("Q")
    harness.run { server.closure != nil }
    #expect(server.closure == .peer)
    #expect(try await client.end() == 0)
  }

  @Test
  func `bytes pass in pieces of every size around a record's`() throws {
    let pair = try pair()
    for count in [1, 2, 16, 255, 16_383, 16_384, 16_385, 40_000, 200_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
      pair.client.received = []
      try pair.clientStream.write(bytes)
      harness.run("\(count) bytes") { pair.client.received.count == count }
      #expect(pair.client.received == bytes)
    }
  }

  /// Returns the bytes that the client would send, without sending them.
  private func encrypt(_ pair: Pair, _ text: String) throws -> [UInt8] {
    let shared = try pair.clientStream.shared
    shared.clearOutput()
    let done = try Array(text.utf8).withUnsafeBytes { try pair.session.write($0) }
    #expect(done)
    defer { shared.clearOutput() }
    return Array(shared.output)
  }

  @Test
  func `records that arrive byte by byte or in uneven pieces are decrypted correctly`()
    throws
  {
    let pair = try pair()
    let stream = try pair.serverStream
    for byte in try encrypt(pair, "slowly ") { [byte].withUnsafeBytes { stream.consume($0) } }
    #expect(pair.server.text == "slowly ")
    let three = try encrypt(pair, "but ") + encrypt(pair, "surely ") + encrypt(pair, "it came")
    let cut = three.count - 9
    three[..<cut].withUnsafeBytes { stream.consume($0) }
    #expect(pair.server.text == "slowly but surely ")
    three[cut...].withUnsafeBytes { stream.consume($0) }
    #expect(pair.server.text == "slowly but surely it came")
    harness.run { pair.client.text == pair.server.text }
  }

  @Test
  func `a record that is replayed or left out ends the stream`() throws {
    let replayed = try pair()
    let record = try encrypt(replayed, "pay 1")
    let stream = try replayed.serverStream
    record.withUnsafeBytes { stream.consume($0) }
    record.withUnsafeBytes { stream.consume($0) }
    harness.run { replayed.server.closure != nil }
    #expect(replayed.server.text == "pay 1")
    #expect(replayed.server.closure == .tlsFailed("a TLS record failed authentication"))
    let robbed = try pair()
    _ = try encrypt(robbed, "first")
    let second = try encrypt(robbed, "second")
    try second.withUnsafeBytes { try robbed.serverStream.consume($0) }
    harness.run { robbed.server.closure != nil }
    #expect(robbed.server.received.isEmpty)
  }

  @Test
  func `key updates of the client are followed, and answered with our own`() throws {
    let pair = try pair()
    try exchange(pair, "one")
    for round in 0..<100 {
      try pair.session.updateKeys()
      try exchange(pair, "round \(round)")
    }
    #expect(pair.server.closures.isEmpty)
  }

  @Test
  func `key updates without content are stopped`() throws {
    let pair = try pair()
    let session = try pair.session
    let stream = try pair.clientStream
    harness.run("the end of it") {
      session.updateKeys()
      // An empty write sends only the key update message.
      stream.shared.clearOutput()
      _ = session.write(UnsafeRawBufferPointer(start: nil, count: 0))
      _ = Socket.write(stream.descriptor, stream.shared.output)
      stream.shared.clearOutput()
      return pair.server.closure != nil
    }
    #expect(pair.server.closure == .tlsFailed("unexpected TLS message"))
  }

  @Test
  func `a key is renewed without being asked once it has sent its records`() throws {
    let pair = try pair(recordsPerKey: 3)
    for round in 0..<20 { try exchange(pair, "round \(round)") }
    try pair.session.updateKeys()
    try exchange(pair, "and on")
    #expect(pair.client.closures.isEmpty)
  }

  @Test
  func `a clean end is distinguished from a truncated stream`() throws {
    let pair = try pair()
    try exchange(pair, "x")
    try pair.serverStream.close()
    harness.run { pair.client.closure != nil }
    #expect(pair.client.closures == [.peer])
    let cut = try self.pair()
    Socket.finishWriting(try cut.clientStream.descriptor)
    harness.run { cut.server.closure != nil }
    #expect(cut.server.closures == [.truncated])
  }

  @Test(
    arguments: [
      (
        [0x17, 3, 3, 0, 30] + [UInt8](repeating: 9, count: 30),
        "a TLS record failed authentication"
      ),
      ([0x17, 3, 3, 0, 5, 1, 2, 3, 4, 5], "a TLS record failed authentication"),
      ([0x17, 3, 3, 0x42, 0], "a TLS record is too long"),
      ([0x15, 3, 3, 0, 2, 2, 40], "unexpected TLS message"),
      ([0x14, 3, 3, 0, 1, 1], "unexpected TLS message"),
      (Array("GET / HTTP/1.1\r\n".utf8), "unexpected TLS message"),
    ] as [([UInt8], String)])
  func `an invalid TLS record ends the stream with an alert`(bytes: [UInt8], reason: String)
    throws
  {
    let pair = try pair()
    let descriptor = try pair.clientStream.descriptor
    _ = bytes.withUnsafeBytes { Socket.write(descriptor, $0) }
    harness.run { pair.server.closure != nil && pair.client.closure != nil }
    #expect(pair.server.closure == .tlsFailed(reason))
    guard case .tlsFailed? = pair.client.closure else {
      Issue.record("\(pair.client.closures)")
      return
    }
  }

  @Test(
    .requires(.openssl),
    arguments: [
      "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
    ])
  func `OpenSSL's own client talks with every cipher`(suite: String) async throws {
    let scratch = try ScratchFolder()
    let server = Recorder()
    server.onReceive = { stream, bytes in stream.write(bytes.map { $0 == 0x61 ? 0x62 : $0 }) }
    let listener = try harness.listen(
      .tls(TestIdentities.serverContext(minimum: .tls13, takeOver: true))
    ) { _ in server }
    let client = try openssl(listener, ["-ciphersuites", suite], scratch)
    client.tell("aaa")
    harness.run { server.text == "aaa\n" }
    client.tell("a line")
    harness.run { server.text.hasSuffix("line\n") }
    #expect(server.stream?.tls is TLSRecordLayer)
    server.stream?.close()
    harness.run { server.closure != nil && server.stream?.descriptor == -1 }
    try await client.end()
    #expect(client.lines.contains("b line"), "\(client.lines.suffix(5))")
  }

  private func openssl(
    _ listener: StreamListener, _ arguments: [String], _ scratch: ScratchFolder
  ) throws -> RunningProgram {
    try RunningProgram(
      [try TestTool.openssl.required(), "s_client", "-connect", "127.0.0.1:\(listener.port)"]
        + arguments,
      errorsFile: "\(scratch.path)/errors")
  }

  @Test
  func `the key schedule is that of RFC 8448 section 3`() throws {
    let secret: [UInt8] = [
      0xa1, 0x1a, 0xf9, 0xf0, 0x55, 0x31, 0xf8, 0x56, 0xad, 0x47, 0x11, 0x6b, 0x45, 0xa9, 0x50,
      0x32, 0x82, 0x04, 0xb4, 0xf4, 0x4b, 0xfb, 0x6b, 0x3a, 0x4b, 0x4f, 0x1f, 0x3f, 0xcb, 0x63,
      0x16, 0x43,
    ]
    let suite = try #require(TLS13Suite(number: 0x1301))
    var keys = TLS13Keys()
    secret.withUnsafeBytes { keys.start(secret: $0, suite, sequence: 0) }
    var key: [UInt8] = []
    withUnsafeBytes(of: keys.key) { key += $0.prefix(16) }
    #expect(
      key == [
        0x9f, 0x02, 0x28, 0x3b, 0x6c, 0x9c, 0x07, 0xef, 0xc2, 0x6b, 0xb9, 0xf2, 0xac, 0x92, 0xe3,
        0x56,
      ])
    var nonce = [UInt8](repeating: 0, count: 16)
    nonce.withUnsafeMutableBytes { keys.nextNonce(into: $0) }
    let iv: [UInt8] = [
      0xcf, 0x78, 0x2b, 0x88, 0xdd, 0x83, 0x54, 0x9a, 0xad, 0xf1, 0xe9, 0x84,
    ]
    #expect(nonce.prefix(12) == iv[...])
    nonce.withUnsafeMutableBytes { keys.nextNonce(into: $0) }
    #expect(nonce[11] == 0x85)
    keys.wipe()
    var wiped: [UInt8] = []
    withUnsafeBytes(of: keys) { wiped += $0 }
    #expect(wiped.allSatisfy { $0 == 0 })
  }
}
