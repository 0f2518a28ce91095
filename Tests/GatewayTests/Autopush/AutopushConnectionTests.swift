import BelfryWire
import Testing
import WebPush

@testable import Gateway
@testable import TestSupport

/// Tests of browsers' connections in a simulated world.
@Suite struct AutopushConnectionTests {
  private func harness(loops: Int = 2) throws -> GatewayHarness {
    try GatewayHarness(loops: loops, servesWebPush: true)
  }

  /// Returns a browser that has connected, with its identifier.
  private func browser(_ harness: GatewayHarness) throws -> (client: BrowserClient, uaid: String) {
    let client = BrowserClient(in: harness.world)
    harness.pass(milliseconds: 500)
    return (client, try #require(client.uaid, "\(client.status)"))
  }

  /// Returns an identifier that differs in its last digit, which is a part of its secret.
  private func guess(_ uaid: String) -> String {
    "\(uaid.dropLast())\(uaid.utf8.last == UInt8(ascii: "0") ? "1" : "0")"
  }

  private func device(_ uaid: String) throws -> UInt64 {
    let parsed = AutopushUserAgentID(Array(uaid.utf8).span)
    return try #require(parsed).claim.number
  }

  @Test func `a browser is the same device on every loop, and its newest connection stays`() throws
  {
    let harness = try harness(loops: 3)
    let (first, uaid) = try browser(harness)
    var clients = [first]
    for _ in 0..<6 {
      clients.append(BrowserClient(in: harness.world, path: "/", uaid: uaid))
      harness.pass(milliseconds: 500)
    }
    for client in clients {
      #expect(client.uaid == uaid)
      #expect(client.closeCode == (client === clients.last ? nil : 1_000))
    }
    #expect(harness.world.gateway.deviceConnections == 1)
    #expect(harness.violation == nil)
  }

  @Test func `a browser that says nothing is closed after 5 seconds`() throws {
    let harness = try harness()
    let client = BrowserClient(in: harness.world, uaid: nil)
    harness.pass(milliseconds: 4_500)
    #expect(client.status == "HTTP/1.1 101 Switching Protocols" && !client.isClosed)
    harness.pass(milliseconds: 1_000)
    #expect(client.closeCode == 1_002 && client.isClosed)
  }

  @Test func `a guessed identifier tells nothing about its device, not even that it was revoked`()
    throws
  {
    let harness = try harness()
    let (client, uaid) = try browser(harness)
    _ = try harness.world.gateway.administer(.revokeDevice(number: device(uaid)))
    harness.pass(milliseconds: 500)
    #expect(client.closeCode == 4_774)
    let guesser = BrowserClient(in: harness.world, uaid: guess(uaid))
    let owner = BrowserClient(in: harness.world, uaid: uaid)
    harness.pass(milliseconds: 500)
    #expect(owner.closeCode == 4_774 && owner.uaid == nil)
    let other = try #require(guesser.uaid, "\(String(describing: guesser.closeCode))")
    #expect(try device(other) != device(uaid))
    #expect(harness.violation == nil)
  }

  @Test func `a guessed identifier without the code is refused`() throws {
    let harness = try harness()
    let (_, uaid) = try browser(harness)
    for path in ["/", "/CODe", "/CODE%0d%0a"] {
      let guesser = BrowserClient(in: harness.world, path: path, uaid: guess(uaid))
      harness.pass(milliseconds: 500)
      #expect(guesser.closeCode == 4_774 && guesser.uaid == nil, "\(path)")
    }
    #expect(harness.world.gateway.deviceConnections == 1)
  }

  /// Ping frames whose answers have 4 MB.
  private let pings = [BrowserFrame](
    repeating: BrowserFrame(opcode: 0x9, [UInt8](repeating: 0x70, count: 125)), count: 32_000)

  @Test func `the gateway stops reading from a browser that does not read`() throws {
    let harness = try harness()
    let (client, _) = try browser(harness)
    let connection = try #require(client.connection)
    connection.stall(10_000_000_000)
    client.send(pings)
    harness.pass(milliseconds: 5_000)
    #expect(connection.deliveredBytes < 2_000_000, "\(connection.deliveredBytes)")
    harness.pass(milliseconds: 20_000)
    #expect(client.pongs == pings.count)
    #expect(harness.world.gateway.deviceConnections == 1)
    #expect(harness.violation == nil)
  }

  @Test func `a browser that reads nothing for 20 seconds is closed`() throws {
    let harness = try harness()
    let (client, _) = try browser(harness)
    let connection = try #require(client.connection)
    connection.stall(60_000_000_000)
    client.send(pings)
    harness.pass(milliseconds: 19_000)
    #expect(harness.world.gateway.deviceConnections == 1)
    // The gateway gives the output ten more seconds to be read.
    harness.pass(milliseconds: 13_000)
    #expect(harness.world.gateway.deviceConnections == 0)
  }
}
