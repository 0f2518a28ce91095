import Glibc
import MessageBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct BusOutageTests {
  @Test(.requires(.natsServer))
  func `A bus that is created before its server connects when the server starts`() async throws {
    let server = try await NATSProgram(isStarted: false)
    let (bus, events) = try BusClient.recorded(server)
    #expect(bus.subscribe("early"))
    #expect(
      try await events.disconnected() == "127.0.0.1:\(server.port): the server cannot be reached")
    #expect(!bus.isConnected)
    #expect(!bus.publish(text: "too early", to: "early"))
    try await server.start()
    try await events.subscribed("early")
    #expect(bus.isConnected)
    #expect(bus.publish(text: "now", to: "early"))
    try await events.messages(1)
    bus.close()
    #expect(events.texts == ["now"])
    #expect(events.reasons.count == 1)
  }

  @Test(.requires(.natsServer))
  func `A frozen server is noticed, and publishing never blocks`() async throws {
    let server = try await NATSProgram()
    let (bus, events) = try BusClient.recorded(server)
    #expect(bus.subscribe("node"))
    try await events.subscribed("node")
    server.signal(SIGSTOP)
    let clock = ContinuousClock()
    var longest = Duration.zero
    let payload = [UInt8](repeating: 1, count: 1 << 20)
    // The socket's buffers are full long before the outbox refuses messages.
    for _ in 0..<64 { longest = max(longest, clock.measure { bus.publish(payload, to: "other") }) }
    // A publication that waited for the server would take until the server is given up.
    #expect(longest < .seconds(2))
    _ = try await events.disconnected()
    #expect(!bus.isConnected)
    longest = clock.measure { #expect(!bus.publish(text: "lost", to: "node")) }
    #expect(longest < .seconds(2))
    server.signal(SIGCONT)
    try await events.connected(2)
    #expect(bus.publish(text: "again", to: "node"))
    try await events.messages(1)
    bus.close()
    #expect(events.texts == ["again"])
  }

  @Test(.requires(.natsServer))
  func `A server that freezes while nothing is sent is noticed`() async throws {
    let server = try await NATSProgram()
    let (bus, events) = try BusClient.recorded(server)
    try await events.connected()
    server.signal(SIGSTOP)
    let why = try await events.disconnected()
    #expect(why.contains("the server does not answer"))
    #expect(!bus.isConnected)
    bus.close()
  }

  @Test(.requires(.natsServer))
  func `Nothing that was published during an outage arrives later`() async throws {
    let server = try await NATSProgram()
    let (bus, events) = try BusClient.recorded(server)
    let (other, others) = try BusClient.recorded(server)
    #expect(bus.subscribe("node"))
    try await events.subscribed("node")
    try await others.connected()
    try await server.kill()
    // Until the end of the connection is noticed, the bus accepts messages, which are lost.
    while bus.publish(text: "unnoticed", to: "node") {
      try Task.checkCancellation()
      await Task.yield()
    }
    _ = try await events.disconnected()
    _ = try await others.disconnected()
    #expect(others.reasons.first == "the server closed the connection")
    for _ in 0..<100 {
      #expect(!bus.publish(text: "refused", to: "node"))
      #expect(!other.publish(text: "refused", to: "node"))
    }
    #expect(bus.subscribe("during"))
    try await server.start()
    try await events.connected(2)
    try await events.subscribed("during")
    try await others.connected(2)
    #expect(other.publish(text: "first", to: "node"))
    #expect(bus.publish(text: "second", to: "during"))
    try await events.messages(2)
    bus.close()
    other.close()
    #expect(Set(events.texts) == ["first", "second"])
  }

  @Test(.requires(.natsServer))
  func `The next server of the address is used when one fails`() async throws {
    let first = try await NATSProgram(host: "::1")
    let second = try await NATSProgram()
    let address = try BusAddress("nats://[::1]:\(first.port),localhost:\(second.port)")
    let (bus, events) = try BusClient.recorded(BusOptions(address: address))
    #expect(bus.subscribe("node"))
    try await events.subscribed("node")
    try await first.kill()
    let (sender, sending) = try BusClient.recorded(second)
    try await sending.connected()
    // The bus used either server, so it has a connection to the second one now or soon.
    let end = ContinuousClock.now + TestTimeout.standard
    while events.texts.isEmpty {
      _ = sender.publish(text: "here", to: "node")
      try #require(ContinuousClock.now < end)
      await Task.yield()
    }
    try await second.kill()
    try await first.start()
    try await events.wait(for: "the other server") { $0.connections >= 2 && bus.isConnected }
    bus.close()
    sender.close()
  }
}
