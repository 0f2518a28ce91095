import Glibc
import Testing

@testable import System
@testable import Transport

@Suite struct TLSStreamTests {
  @Test
  func `a peer that hangs up before it was accepted is still told by its address`() throws {
    let harness = try StreamHarness()
    var name: String?
    let server = Recorder()
    var accepted: ByteStream?
    server.onClose = { name = accepted?.peerDescription }
    let listener = try harness.listen(.tls(TestIdentities.serverContext())) { stream in
      accepted = stream
      return server
    }
    let port = try hangUp(on: listener.port)
    harness.run { name != nil }
    #expect(name == "127.0.0.1:\(port)")
    #expect(server.closure == .tlsFailed("the peer aborted the handshake"))
    listener.close()
  }

  /// Connects, resets the connection immediately, and returns the local port.
  private func hangUp(on port: UInt16) throws -> UInt16 {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(descriptor >= 0)
    defer { Glibc.close(descriptor) }
    let connected = SocketAddress.loopback(port: port).withSocketAddress { address, length in
      Glibc.connect(descriptor, address, length)
    }
    try #require(connected == 0)
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    return try #require(Socket.localAddress(descriptor)?.port)
  }

  private let harness: StreamHarness

  init() throws { harness = try StreamHarness() }

  /// Opens one connection.
  ///
  /// Returns the recorders of both sides once the client has received an answer or both sides have closed.
  private func exchange(
    _ serverContext: TLSServerContext, _ clientContext: TLSClientContext,
    credential: TLSClientCredential? = nil, serverName: String? = nil
  ) throws -> (server: Recorder, client: Recorder) {
    let server = Recorder()
    server.onReceive = { stream, bytes in stream.write(bytes) }
    let listener = try harness.listen(.tls(serverContext)) { _ in server }
    let client = Recorder()
    client.onOpen = { $0.write(Array("hello".utf8)) }
    _ = harness.connect(
      listener, tls: clientContext, credential: credential, serverName: serverName, handler: client)
    harness.run {
      client.text == "hello" || (client.closure != nil && server.closure != nil)
    }
    listener.close()
    return (server, client)
  }

  @Test(arguments: [TLSVersion.tls12, .tls13], [false, true])
  func `bytes go both ways over TLS, with OpenSSL's records and with our own`(
    minimum: TLSVersion, takeOver: Bool
  ) throws {
    let (server, client) = try exchange(
      TestIdentities.serverContext(alpn: ["h2"], minimum: minimum, takeOver: takeOver),
      TestIdentities.clientContext(alpn: ["h2", "http/1.1"]))
    #expect(client.text == "hello")
    #expect(server.stream?.negotiatedProtocol == "h2")
    #expect(client.stream?.negotiatedProtocol == "h2")
    #expect(client.stream?.peerCertificate?.commonName == "localhost")
    #expect(server.stream?.peerCertificate == nil)
  }

  @Test(arguments: [TLSServerContext.UnmatchedALPN.refuse, .ignore])
  func `a client without ALPN is served`(unmatched: TLSServerContext.UnmatchedALPN) throws {
    let (server, client) = try exchange(
      TestIdentities.serverContext(alpn: ["h2"], unmatched: unmatched),
      TestIdentities.clientContext())
    #expect(client.text == "hello")
    #expect(server.stream?.negotiatedProtocol == nil)
  }

  @Test
  func `a client that offers only HTTP/1.1 gets an alert, or is served without a protocol`() throws
  {
    let (server, client) = try exchange(
      TestIdentities.serverContext(alpn: ["h2"]), TestIdentities.clientContext(alpn: ["http/1.1"]))
    #expect(
      client.closure
        == .tlsFailed(
          "the peer has no common application protocol (ALPN): check the port"))
    #expect(server.closure == .tlsFailed("no common application protocol (ALPN)"))
    let served = try exchange(
      TestIdentities.serverContext(alpn: ["h2"], unmatched: .ignore),
      TestIdentities.clientContext(alpn: ["http/1.1"]))
    #expect(served.client.text == "hello")
    #expect(served.client.stream?.negotiatedProtocol == nil)
  }

  @Test
  func `the server's preference decides between common protocols`() throws {
    let (server, _) = try exchange(
      TestIdentities.serverContext(alpn: ["belfry-link/1", "h2"]),
      TestIdentities.clientContext(alpn: ["h2", "belfry-link/1"]))
    #expect(server.stream?.negotiatedProtocol == "belfry-link/1")
  }

  @Test
  func `a client reports an unknown authority and a wrong server name differently`() throws {
    let other = try TestIdentities.makeAuthority()
    let distrusting = try TLSClientContext(caPEM: other.certificatePEM)
    let unknown = try exchange(TestIdentities.serverContext(), distrusting)
    #expect(
      unknown.client.closure
        == .tlsFailed("certificate of an unknown CA: trust the CA that signed it"))
    #expect(unknown.server.closure == .tlsFailed("the peer reported: certificate of an unknown CA"))
    #expect(
      unknown.server.closure?.handshakeFailureOfClient
        == "the peer reported: certificate of an unknown CA: the client must trust the CA that signed the gateway's "
        + "certificate")
    let named = try exchange(
      TestIdentities.serverContext(), TestIdentities.clientContext(), serverName: "elsewhere.test")
    #expect(named.client.closure == .tlsFailed("the certificate is for another name"))
    #expect(named.client.opened == 0)
  }

  @Test
  func `a client certificate is optional, required or never asked for`() throws {
    let authority = try TestIdentities.authority.get().certificatePEM
    let identity = try TestIdentities.client(name: "device 7")
    for mode in [
      TLSServerContext.ClientCertificates.optional(caPEM: authority), .required(caPEM: authority),
    ] {
      let known = try exchange(
        TestIdentities.serverContext(clients: mode),
        TestIdentities.clientContext(identity: identity))
      #expect(known.client.text == "hello")
      #expect(known.server.stream?.peerCertificate?.commonName == "device 7")
    }
    let anonymous = try exchange(
      TestIdentities.serverContext(clients: .optional(caPEM: authority)),
      TestIdentities.clientContext())
    #expect(anonymous.client.text == "hello")
    let refused = try exchange(
      TestIdentities.serverContext(clients: .required(caPEM: authority)),
      TestIdentities.clientContext())
    #expect(refused.server.closure == .tlsFailed("client certificate missing"))
    #expect(refused.client.closure == .tlsFailed("the peer reported: client certificate missing"))
    let unasked = try exchange(
      TestIdentities.serverContext(), TestIdentities.clientContext(identity: identity))
    #expect(unasked.client.text == "hello")
    #expect(unasked.server.stream?.peerCertificate == nil)
  }

  @Test
  func `clients of one context show each its own certificate`() throws {
    let authority = try TestIdentities.authority.get().certificatePEM
    let context = try TestIdentities.clientContext()
    for name in ["device 7", "device 8"] {
      let (chain, key) = try TestIdentities.client(name: name)
      let credential = try TLSClientCredential(
        certificateChainPEM: chain + authority, key: ES256PrivateKey(pkcs8PEM: key))
      let (server, client) = try exchange(
        TestIdentities.serverContext(clients: .required(caPEM: authority)), context,
        credential: credential)
      #expect(client.text == "hello")
      #expect(server.stream?.peerCertificate?.commonName == name)
    }
    let (chain, _) = try TestIdentities.client()
    #expect {
      try TLSClientCredential(certificateChainPEM: chain, key: ES256PrivateKey())
    } throws: { "\($0)" == "the private key does not match the certificate" }
    #expect(throws: TLSFailure.self) {
      try TLSClientCredential(certificateChainPEM: [], key: ES256PrivateKey())
    }
  }

  @Test
  func `a client certificate that does not hold is refused with the alert that says why`() throws {
    let authority = try TestIdentities.authority.get().certificatePEM
    let clients = TLSServerContext.ClientCertificates.optional(caPEM: authority)
    let stranger = try exchange(
      TestIdentities.serverContext(clients: clients),
      TestIdentities.clientContext(
        identity: TestIdentities.client(of: TestIdentities.makeAuthority())))
    #expect(
      stranger.server.closure
        == .tlsFailed("certificate of an unknown CA: trust the CA that signed it"))
    #expect(
      stranger.client.closure == .tlsFailed("the peer reported: certificate of an unknown CA"))
    #expect(
      stranger.server.closure?.handshakeFailureOfClient
        == "certificate of an unknown CA: the client needs a new certificate of this gateway's CA")
    let expired = try exchange(
      TestIdentities.serverContext(clients: clients),
      TestIdentities.clientContext(
        identity: TestIdentities.client(validFrom: -7_200, validTo: -3_600)))
    #expect(expired.server.closure == .tlsFailed("certificate expired"))
    #expect(expired.server.closure?.handshakeFailureOfClient == "certificate expired")
    #expect(expired.client.closure == .tlsFailed("the peer reported: certificate expired"))
    let revoked = try exchange(
      TestIdentities.serverContext(clients: clients) { certificate in
        certificate.commonName == "stolen" ? .revoked : .accept
      },
      TestIdentities.clientContext(identity: TestIdentities.client(name: "stolen")))
    #expect(revoked.server.closure == .tlsFailed("certificate revoked"))
    #expect(revoked.client.closure == .tlsFailed("the peer reported: certificate revoked"))
    #expect(revoked.server.opened == 0)
  }

  @Test(arguments: [false, true])
  func `close_notify tells an end in order from a cut`(takeOver: Bool) throws {
    let (server, client) = try exchange(
      TestIdentities.serverContext(takeOver: takeOver), TestIdentities.clientContext())
    client.stream?.close()
    harness.run { server.closure != nil && client.closure != nil }
    #expect(server.closures == [.peer])
    #expect(client.closures == [.local])
    let cut = try exchange(
      TestIdentities.serverContext(takeOver: takeOver), TestIdentities.clientContext())
    // The descriptor is closed without a TLS close_notify.
    cut.client.stream.map { Socket.finishWriting($0.descriptor) }
    harness.run { cut.server.closure != nil }
    #expect(cut.server.closures == [.truncated])
  }

  @Test
  func `a peer that sends HTTP without TLS is distinguished from one that sends noise`() throws {
    let server = Recorder()
    let listener = try harness.listen(.tls(TestIdentities.serverContext())) { _ in server }
    let client = Recorder()
    client.onOpen = { $0.write(Array("GET / HTTP/1.1\r\n\r\n".utf8)) }
    _ = harness.connect(listener, handler: client)
    harness.run { server.closure != nil }
    #expect(server.closure == .tlsFailed("the peer speaks HTTP without TLS"))
    let noise = Recorder()
    noise.onOpen = { $0.write([UInt8](repeating: 0xa5, count: 300)) }
    let server2 = Recorder()
    let second = try harness.listen(.tls(TestIdentities.serverContext())) { _ in server2 }
    _ = harness.connect(second, handler: noise)
    harness.run { server2.closure != nil }
    #expect(server2.closure == .tlsFailed("the peer does not speak TLS"))
  }

  @Test(arguments: [false, true])
  func `megabytes pass unchanged in both directions`(takeOver: Bool) throws {
    let total = 5_000_000
    let pattern = (0..<total).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    let server = Recorder()
    server.onOpen = { $0.write(pattern) }
    let listener = try harness.listen(
      .tls(TestIdentities.serverContext(takeOver: takeOver))
    ) { _ in server }
    let client = Recorder()
    client.onOpen = { $0.write(pattern) }
    _ = harness.connect(listener, tls: try TestIdentities.clientContext(), handler: client)
    harness.run { server.received.count == total && client.received.count == total }
    #expect(server.received == pattern)
    #expect(client.received == pattern)
  }

  @Test(arguments: [false, true])
  func `a TLS stream moves to another loop`(takeOver: Bool) throws {
    let first = Recorder()
    var parcel: DetachedStream?
    first.onReceive = { stream, bytes in parcel = stream.detach(unread: bytes) }
    let listener = try harness.listen(
      .tls(TestIdentities.serverContext(takeOver: takeOver))
    ) { _ in first }
    let client = Recorder()
    client.onOpen = { $0.write(Array("one".utf8)) }
    _ = harness.connect(listener, tls: try TestIdentities.clientContext(), handler: client)
    harness.run { parcel != nil }
    client.stream?.write(Array(" two".utf8))
    let moved = try #require(parcel)
    let thread = try LoopThread.start(name: "second") { loop in
      _ = moved.attach(to: loop, handler: Echo())
    }
    harness.run { client.text == "one two" || client.closure != nil }
    #expect(client.text == "one two", "\(client.closures)")
    thread.stop()
    thread.join()
  }

  @Test
  func `contexts refuse what cannot work, and say what`() throws {
    let identity = try TestIdentities.server.get()
    let other = try TestIdentities.client()
    #expect(throws: TLSFailure.self) {
      try TLSServerContext(
        certificateChainPEM: Array("nonsense".utf8), privateKeyPEM: identity.privateKeyPEM,
        alpn: [])
    }
    do {
      _ = try TLSServerContext(
        certificateChainPEM: identity.certificateChainPEM, privateKeyPEM: other.key, alpn: [])
      Issue.record("the key of another certificate was accepted")
    } catch {
      guard case .keyMismatch = error else {
        Issue.record("\(error)")
        return
      }
    }
  }
}
