import Foundation
import MessageBus
import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(5))) struct BusSecurityTests {
  /// The files of an authority, a server and a client.
  struct Files {
    let folder: ScratchFolder
    let authority: String

    init() throws {
      folder = try ScratchFolder()
      authority = folder.file("authority.pem")
      let issuer = try CertificateAuthority.forTests()
      let server = try issuer.serverForTests()
      let client = try issuer.deviceForTests()
      try write(issuer.certificatePEM, "authority.pem")
      try write(server.certificateChainPEM, "server.pem")
      try write(server.privateKeyPEM, "server.key")
      try write(client.certificateChainPEM, "client.pem")
      try write(client.privateKeyPEM, "client.key")
    }

    func write(_ bytes: [UInt8], _ name: String) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    func settings(verifiesClients: Bool) -> [String] {
      [
        "tls {", "cert_file: \"\(folder.file("server.pem"))\"",
        "key_file: \"\(folder.file("server.key"))\"", "ca_file: \"\(authority)\"",
        "verify: \(verifiesClients)", "}",
      ]
    }

    func options(
      _ url: String, authority: String? = nil, isIdentified: Bool = true
    ) throws -> BusOptions {
      try BusOptions(
        address: BusAddress(url), authorityFile: authority ?? self.authority,
        certificateFile: isIdentified ? folder.file("client.pem") : nil,
        keyFile: isIdentified ? folder.file("client.key") : nil)
    }
  }

  @Test(.requires(.natsServer))
  func `The server and the client authenticate each other with certificates`() async throws {
    let files = try Files()
    let server = try await NATSProgram(settings: files.settings(verifiesClients: true))
    for host in ["localhost", "127.0.0.1"] {
      let (bus, events) = try BusClient.recorded(files.options("tls://\(host):\(server.port)"))
      #expect(bus.subscribe("secret"))
      try await events.subscribed("secret")
      #expect(bus.publish([UInt8](repeating: 65, count: 300_000), to: "secret"))
      try await events.messages(1)
      #expect(events.texts.first?.utf8.count == 300_000)
      bus.close()
    }
    // Without a certificate, the server closes the connection.
    let (bus, events) = try BusClient.recorded(
      files.options("tls://localhost:\(server.port)", isIdentified: false))
    _ = try await events.disconnected()
    bus.close()
    #expect(events.connections == 0)
  }

  @Test(.requires(.natsServer))
  func `A server of another authority or with another name is refused`() async throws {
    let files = try Files()
    let others = try Files()
    let server = try await NATSProgram(
      host: "0.0.0.0", settings: files.settings(verifiesClients: false))
    let strange = try files.options(
      "tls://localhost:\(server.port)", authority: others.authority, isIdentified: false)
    let renamed = try files.options("tls://127.0.0.2:\(server.port)", isIdentified: false)
    for (options, reason) in [
      (strange, "self-signed certificate"), (renamed, "IP address mismatch"),
    ] {
      let (bus, events) = try BusClient.recorded(options)
      let why = try await events.disconnected()
      #expect(why.contains(reason))
      bus.close()
      #expect(events.connections == 0)
    }
  }

  @Test(.requires(.natsServer))
  func `A server without TLS is refused if the address demands TLS`() async throws {
    let files = try Files()
    let server = try await NATSProgram()
    let (bus, events) = try BusClient.recorded(files.options("tls://127.0.0.1:\(server.port)"))
    let why = try await events.disconnected()
    #expect(why == "127.0.0.1:\(server.port): the server does not support TLS")
    bus.close()
    #expect(events.connections == 0)
  }

  @Test(.requires(.natsServer))
  func `A corrected password is used without a restart`() async throws {
    let folder = try ScratchFolder()
    let file = folder.file("bus.credentials")
    let server = try await NATSProgram(
      settings: ["authorization { user: \"node\", password: \"s p:@\u{e4}\" }"])
    try "node\nwrong\n".write(toFile: file, atomically: true, encoding: .utf8)
    let (bus, events) = try BusClient.recorded(
      BusOptions(address: BusAddress(server.url), credentialsFile: file))
    #expect(bus.subscribe("node"))
    #expect(
      try await events.disconnected() == "127.0.0.1:\(server.port): Authorization Violation")
    // An unreadable file is reported like an absent server.
    try FileManager.default.removeItem(atPath: file)
    #expect(try await events.disconnected(2).contains("no such file"))
    try "node\r\ns p:@\u{e4}".write(toFile: file, atomically: true, encoding: .utf8)
    try await events.subscribed("node")
    #expect(bus.publish(text: "hello", to: "node"))
    try await events.messages(1)
    bus.close()
  }

  @Test(.requires(.natsServer))
  func `A subject that the user must not publish to is reported as a loss`() async throws {
    let folder = try ScratchFolder()
    let file = folder.file("bus.credentials")
    let server = try await NATSProgram(settings: [
      "authorization { users: [ { user: a, password: b, permissions: { publish: \"ok\" } } ] }"
    ])
    try "a\nb\n".write(toFile: file, atomically: true, encoding: .utf8)
    let (bus, events) = try BusClient.recorded(
      BusOptions(address: BusAddress(server.url), credentialsFile: file))
    try await events.connected()
    #expect(bus.publish(text: "x", to: "forbidden"))
    try await events.wait(for: "a loss") { events in
      events.contains {
        if case .lost(let why) = $0 { why.contains("Permissions Violation") } else { false }
      }
    }
    #expect(bus.isConnected)
    bus.close()
  }

  @Test func `Options with unusable files are refused`() throws {
    let files = try Files()
    let plain = try BusAddress("nats://127.0.0.1:1")
    let secure = try BusAddress("tls://127.0.0.1:1")
    try files.write(Array("only a user\n".utf8), "one-line")
    try files.write(Array("-----BEGIN NATS USER JWT-----\nabc\n".utf8), "no-seed")
    let cases: [(BusOptions, String)] = [
      (BusOptions(address: plain, credentialsFile: "/nowhere/file"), "no such file"),
      (BusOptions(address: plain, credentialsFile: files.folder.file("one-line")), "line 1"),
      (BusOptions(address: plain, credentialsFile: files.folder.file("no-seed")), "no seed"),
      (BusOptions(address: plain, authorityFile: files.authority), "tls://"),
      (BusOptions(address: secure, authorityFile: "/nowhere/file"), "no such file"),
      (BusOptions(address: secure, authorityFile: files.folder.file("one-line")), "PEM"),
      (BusOptions(address: secure, keyFile: files.folder.file("client.key")), "incomplete"),
      (
        BusOptions(
          address: secure, certificateFile: files.folder.file("client.pem"),
          keyFile: files.folder.file("server.key")), "its key"
      ),
    ]
    for (options, words) in cases {
      let failure = #expect(throws: MessageBusFailure.self) { try BusClient(options) { _ in } }
      let text = failure?.description ?? ""
      #expect(text.contains(words), "\(text)")
    }
  }
}
