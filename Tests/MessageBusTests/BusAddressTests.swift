import Testing

@testable import MessageBus

@Suite struct BusAddressTests {
  @Test(arguments: [
    ("nats://a", "nats://a:4222"),
    ("nats://a:1,b,c.d-e_f:65535", "nats://a:1,b:4222,c.d-e_f:65535"),
    ("tls://10.0.0.1:4223", "tls://10.0.0.1:4223"), ("nats://[::1]", "nats://[::1]:4222"),
    ("tls://[fe80::1]:5,B.example", "tls://[fe80::1]:5,B.example:4222"),
  ])
  func `A URL names servers, and the default port is 4222`(url: String, whole: String) throws {
    let address = try BusAddress(url)
    #expect(address.url == whole)
    #expect(address.isSecure == url.hasPrefix("tls"))
  }

  @Test(arguments: [
    "", "nats", "nats:", "nats://", "NATS://a", "http://a", "postgres://a", "nats://a,",
    "nats://,a",
    "nats://a:", "nats://a:0", "nats://a:65536", "nats://a:+1", "nats://a:1x", "nats://a/b",
    "nats://a:1/", "nats://a b", "nats://a\n", "nats://\u{e4}", "nats://-a", "nats://a..b",
    "nats://[::1", "nats://[a]", "nats://[1.2.3.4]", "nats://[::1]x", "nats://::1",
    "nats://a,nats://b",
    "nats://a?b", "nats://\u{0}", "nats://a:\u{661}", "nats://a\u{301}",
  ])
  func `A URL that names no server is refused`(url: String) {
    #expect(throws: BusAddress.Failure.self) { try BusAddress(url) }
  }

  @Test(arguments: ["nats://user:password@a", "tls://token@a", "nats://a,u@b", "nats://@a"])
  func `A URL with a user or password is refused`(url: String) {
    let failure = #expect(throws: BusAddress.Failure.self) { try BusAddress(url) }
    #expect(failure?.description.contains("credential file") == true)
  }

  @Test func `An address has at most 16 servers`() throws {
    let many = { (count: Int) in
      "nats://" + Array(repeating: "a", count: count).joined(separator: ",")
    }
    #expect(try BusAddress(many(16)).servers.count == 16)
    #expect(throws: BusAddress.Failure.self) { try BusAddress(many(17)) }
  }

  @Test(arguments: [
    "", " ", "a b", "a\r\nPUB b 0", "a..b", ".a", "a.", "a.*", "*", ">", "a.>", "a*", "a>b",
    "\u{e4}",
    "a\u{0}b", String(repeating: "a", count: 256),
  ])
  func `An invalid subject is not sent, because it would change the protocol`(subject: String) {
    #expect(!BusSubject.canPublish(to: subject))
  }

  @Test func `Wildcards are whole tokens of a subscription`() {
    for subject in ["a", "a.b", "*", ">", "a.*.b", "a.>", String(repeating: "a", count: 255)] {
      #expect(BusSubject.canSubscribe(to: subject), "\(subject)")
    }
    for subject in ["", "a b", "a*", ">.a", "a.>.b", "a..*", "a.>b"] {
      #expect(!BusSubject.canSubscribe(to: subject), "\(subject)")
    }
    #expect(BusSubject.canPublish(to: "node.1-a_B"))
  }

  @Test func `The outbox has bounds, and forgets its messages when the connection is lost`() {
    let outbox = BusOutbox()
    let message = BusOutbox.Message(subject: "a", payload: [1, 2, 3])
    let isRefused = { (message: BusOutbox.Message) in
      if case .refused = outbox.add(message) { true } else { false }
    }
    #expect(isRefused(message))
    outbox.open(link: 1, payloadBytesMax: 4 << 20)
    #expect(isRefused(.init(subject: "a", payload: [UInt8](repeating: 0, count: 4 << 20 + 1))))
    for _ in 0..<65_536 { #expect(!isRefused(message)) }
    #expect(isRefused(message))
    // The end of an earlier connection is reported late.
    outbox.shut(link: 0)
    #expect(outbox.isOpen)
    outbox.shut(link: 1)
    #expect(isRefused(message))
    #expect(outbox.take().isEmpty)
    outbox.open(link: 2, payloadBytesMax: 4 << 20)
    let large = BusOutbox.Message(subject: "a", payload: [UInt8](repeating: 0, count: 4 << 20))
    for _ in 0..<3 { #expect(!isRefused(large)) }
    #expect(isRefused(large))
    #expect(!isRefused(message))
    outbox.close()
    #expect(isRefused(message))
    outbox.open(link: 3, payloadBytesMax: 1)
    #expect(!outbox.isOpen)
    #expect(outbox.take().count == 4)
  }
}
