import BelfryWire
import Testing
import Transport

@testable import Gateway
@testable import TestSupport

@Suite struct ProviderConnectionTests {
  @Test(arguments: 0...2)
  func `tokens, a certificate and the port without TLS all reach the device`(kind: Int) throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    let provider = harness.provider(kind)
    for _ in 0..<3 {
      let push = try harness.push(to: device, by: provider)
      #expect(harness.state(of: push)?.isAnswered == true)
      #expect(harness.state(of: push)?.shown == 1)
    }
    #expect(harness.violation == nil)
  }

  @Test
  func `requests that arrive byte by byte are answered normally`() throws {
    let harness = try GatewayHarness()
    let client = RawClient(harness, port: 2_080)
    for byte in Array("POST /3/nowhere HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n".utf8) {
      client.send([byte])
    }
    harness.pass(milliseconds: 500)
    let answer = String(decoding: client.received, as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 404"), "\(answer)")
    #expect(answer.contains("BadPath"))
  }

  @Test(arguments: [1, 3, 40])
  func `a client that ends its output gets answers that are ready in the same turn`(count: Int)
    throws
  {
    let harness = try GatewayHarness()
    for _ in 0..<8 {
      let client = RawClient(harness, port: 2_080)
      let request = "POST /3/nowhere HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n"
      client.sendLast(Array(String(repeating: request, count: count).utf8))
      harness.pass(milliseconds: 500)
      let answers = String(decoding: client.received, as: UTF8.self).split(
        separator: "HTTP/1.1 404")
      #expect(answers.count == count, "\(answers.count) answers")
      #expect(client.isClosed)
    }
  }

  @Test
  func `a client of HTTP/2 that ends its output gets its answers`() throws {
    let harness = try GatewayHarness()
    let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
    // Encode GET https://a/ with HPACK's static table. The gateway refuses this request immediately.
    let headers: [UInt8] = [0, 0, 6, 1, 5, 0, 0, 0, 1, 0x82, 0x87, 0x84, 0x41, 1, 97]
    for _ in 0..<8 {
      let client = RawClient(harness, port: 2_197, as: StreamIdentity(negotiatedProtocol: "h2"))
      client.sendLast(preface + headers)
      harness.pass(milliseconds: 500)
      var rest = client.received[...]
      var types: [UInt8] = []
      while rest.count >= 9 {
        let header = Array(rest.prefix(9))
        types.append(header[3])
        rest = rest.dropFirst(9 + Int(header[1]) << 8 + Int(header[2]))
      }
      #expect(types.contains(1), "no HEADERS frame: \(types)")
      #expect(client.isClosed)
    }
  }

  @Test
  func `a request that never becomes whole is answered with an id of its own`() throws {
    let harness = try GatewayHarness()
    func identifier(_ client: RawClient) throws -> Substring {
      let lines = String(decoding: client.received, as: UTF8.self).split(separator: "\r\n")
      let line = try #require(lines.first { $0.hasPrefix("apns-id: ") }, "\(lines)")
      return line.dropFirst("apns-id: ".count)
    }
    var seen: Set<Substring> = ["00000000-0000-0000-0000-000000000000"]
    for length in [0, 4_000, 4_000] {
      let client = RawClient(harness, port: 2_080)
      client.send(
        Array(
          "POST /3/device/00 HTTP/1.1\r\nhost: a\r\ncontent-length: \(length)\r\n\r\n".utf8))
      harness.pass(milliseconds: 30_000)
      #expect(seen.insert(try identifier(client)).inserted)
    }
  }

  @Test
  func `a connection earns its points back by its loop's clock`() throws {
    let harness = try GatewayHarness()
    let client = RawClient(
      harness, port: 2_197, as: StreamIdentity(negotiatedProtocol: "h2"))
    client.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0])
    let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0] + Array(repeating: 7, count: 8)
    // Spend most of a new connection's allowance. After 25 s, spend more than the remainder, but no more than the
    // connection has regained in that time.
    for (pings, milliseconds) in [(390, 25_000), (50, 1_000)] as [(Int, Int64)] {
      client.send(Array(repeating: ping, count: pings).flatMap { $0 })
      harness.pass(milliseconds: milliseconds)
    }
    #expect(!client.isClosed)
  }

  @Test
  func `a provider connection without any frame is closed within 15 seconds`() throws {
    let harness = try GatewayHarness()
    let client = RawClient(
      harness, port: 2_197, as: StreamIdentity(negotiatedProtocol: "h2"))
    harness.pass(milliseconds: 9_000)
    #expect(!client.isClosed)
    harness.pass(milliseconds: 6_000)
    #expect(client.isClosed)
    #expect(!harness.world.gateway.hasConnections)
  }

  @Test
  func `bytes that are not HTTP/2 end the connection`() throws {
    let harness = try GatewayHarness()
    let client = RawClient(
      harness, port: 2_197, as: StreamIdentity(negotiatedProtocol: "h2"))
    client.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
    harness.pass(milliseconds: 1_000)
    #expect(client.isClosed)
    #expect(harness.violation == nil)
  }

  @Test
  func `a push to an unregistered token is answered 410 and not delivered`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    let topic = harness.world.topics[0]
    harness.world.markUnwanted(.init(device: device.number, topic: topic))
    device.unregister(topic)
    harness.pass(milliseconds: 100)
    let push = try harness.push(to: device, by: harness.provider())
    #expect(harness.state(of: push)?.isRefused == true)
    #expect(harness.state(of: push)?.shown == 0)
    #expect(harness.violation == nil)
  }
}
