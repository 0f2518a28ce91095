import BelfryWire
import Testing
import WebPush

@testable import Gateway
@testable import TestSupport

/// Tests of browsers as devices of a simulated cluster.
@Suite struct AutopushClusterTests {
  private static let channel = "d1c0de00-0004-0008-0000-000000000001"

  private let harness: GatewayHarness
  private var world: GatewaySimulation { harness.world }

  init() throws { harness = try GatewayHarness(servesWebPush: true, nodes: 2) }

  /// Returns a browser that has connected to any node, with its identifier.
  private func browser() throws -> (client: BrowserClient, uaid: String) {
    let client = BrowserClient(in: world)
    harness.pass(milliseconds: 1_000)
    return (client, try #require(client.uaid, "\(client.status)"))
  }

  /// Connects a browser to another node than before.
  private func move(_ client: BrowserClient, _ uaid: String) throws -> BrowserClient {
    let other = BrowserClient(
      in: world, path: "/", uaid: uaid, avoiding: try #require(client.connection).process)
    harness.pass(milliseconds: 1_000)
    return other
  }

  /// Subscribes a browser, and returns the path of the endpoint.
  private func subscribe(_ client: BrowserClient) throws -> String {
    client.send(#"{"messageType":"register","channelID":"\#(Self.channel)"}"#)
    harness.pass(milliseconds: 1_000)
    let answer = try #require(client.messages("register").last)
    let endpoint = try #require(answer["pushEndpoint"]?.stringValue, "\(answer)")
    return String(endpoint.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" })
  }

  /// Sends a message to an endpoint through any node; returns the first line of the answer.
  private func send(to path: String) -> String {
    let sender = RawClient(harness, port: 2_081)
    sender.send(
      Array("POST \(path) HTTP/1.1\r\nHost: gateway\r\nTTL: 60\r\nContent-Length: 0\r\n\r\n".utf8))
    harness.pass(milliseconds: 3_000)
    return String(decoding: sender.received.prefix { $0 != 0x0D }, as: UTF8.self)
  }

  private func isConnected(_ client: BrowserClient) -> Bool {
    client.closeCode == nil && !client.isClosed
  }

  @Test func `a browser keeps its subscriptions on every node of a cluster`() throws {
    var (client, uaid) = try browser()
    let path = try subscribe(client)
    for number in 1...4 {
      #expect(send(to: path) == "HTTP/1.1 201 Created")
      let message = try #require(client.messages("notification").last, "round \(number)")
      #expect(message["channelID"]?.stringValue == Self.channel)
      client.acknowledge(message)
      harness.pass(milliseconds: 1_000)
      let other = try move(client, uaid)
      #expect(other.uaid == uaid)
      #expect(client.closeCode == 1_000, "the older connection is closed")
      #expect(isConnected(other) && other.messages("notification").isEmpty)
      client = other
    }
    #expect(harness.violation == nil)
  }

  @Test func `a message for a browser that is away waits for it on any node`() throws {
    let (client, uaid) = try browser()
    let path = try subscribe(client)
    client.connection?.close()
    harness.pass(milliseconds: 1_000)
    #expect(send(to: path) == "HTTP/1.1 201 Created")
    #expect(send(to: path) == "HTTP/1.1 201 Created")
    let other = try move(client, uaid)
    #expect(other.messages("notification").count == 2)
    other.send(#"{"messageType":"unregister","channelID":"\#(Self.channel)"}"#)
    harness.pass(milliseconds: 1_000)
    #expect(other.messages("unregister").last?["status"]?.integerValue == 200)
    #expect(send(to: path) == "HTTP/1.1 410 Gone")
    #expect(harness.violation == nil)
  }

  @Test func `a guessed identifier does not close the connection of its device's browser`() throws {
    let (client, uaid) = try browser()
    let path = try subscribe(client)
    let guess = "\(uaid.dropLast())\(uaid.utf8.last == UInt8(ascii: "0") ? "1" : "0")"
    for _ in 0..<3 {
      let guesser = try move(client, guess)
      #expect(guesser.closeCode == 4_774 && guesser.uaid == nil)
    }
    harness.pass(milliseconds: 5_000)
    #expect(isConnected(client))
    #expect(send(to: path) == "HTTP/1.1 201 Created")
    #expect(client.messages("notification").count == 1)
  }

  @Test func `a revoked browser is refused by every node`() throws {
    let (client, uaid) = try browser()
    let parsed = AutopushUserAgentID(Array(uaid.utf8).span)
    let device = try #require(parsed).claim.number
    let cluster = try #require(world.cluster)
    #expect(cluster.administer(.revokeDevice(number: device)) == .confirmed)
    harness.pass(milliseconds: 10_000)
    #expect(client.closeCode == 4_774)
    for _ in 0..<4 {
      let again = BrowserClient(in: world, path: "/", uaid: uaid)
      harness.pass(milliseconds: 1_000)
      #expect(again.closeCode == 4_774 && again.uaid == nil)
    }
  }
}
