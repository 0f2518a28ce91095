import BelfryProvider
import BelfryWire
import Foundation
import TestSupport
import Testing

/// Tests of the client library's channels and broadcasts, with a real gateway and devices.
@Suite(.timeLimit(.minutes(60))) struct ProviderChannelTests {
  private let app = "com.example.app"

  private func client(
    of gateway: GatewayProgram, connections: Int = 1
  ) throws -> ProviderClient {
    func read(_ path: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    return try ProviderClient(
      .init(
        endpoint: ProviderEndpoint(host: gateway.host, port: UInt16(gateway.port("provider"))),
        credentials: .token(
          ProviderKey(
            p8: read(gateway.keyFile), keyID: gateway.keyID, teamID: gateway.teamID)),
        authorityPEM: read(gateway.caFile), connections: connections))
  }

  @Test func `a gateway accepts each push of a client with several connections`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      let client = try client(of: gateway, connections: 4)
      let pushes = (0..<200).map { number in
        Push(to: token, topic: app, payload: Array(#"{"aps":{"alert":"\#(number)"}}"#.utf8))
      }
      var accepted: Set<String> = []
      for try await one in client.send(pushes) {
        guard case .success(.accepted(let receipt)) = one.result else {
          Issue.record("\(one.result)")
          return
        }
        accepted.insert(receipt.id.uppercased())
      }
      #expect(accepted.count == 200)
    }
  }

  @Test func `channels are made read listed and removed, and a broadcast reaches who listens`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      _ = try await scenario.belfryCommand([
        "topic", "add", app, "--team", gateway.teamID, "--broadcast", "on", "--data", gateway.data,
      ])
      let client = try client(of: gateway)
      let one = try await client.createChannel(of: app, storage: .none)
      let other = try await client.createChannel(of: app, storage: .newest)
      #expect(try await Set(client.channels(of: app)) == [one, other])
      #expect(try await client.channelStorage(of: one, of: app) == .none)
      #expect(try await client.channelStorage(of: other, of: app) == .newest)

      let devices = try scenario.devices(
        of: gateway, topics: [], options: ["--count", "3", "--channel", "\(app)/\(one)"])
      for _ in 0..<3 { _ = try await devices.program.event("subscribed") }
      let goal = LiveActivityContent(.update, state: ["score": "1:0"])
      guard
        case .accepted(let receipt) = try await client.send(BroadcastPush(goal, to: one, of: app))
      else {
        Issue.record("the broadcast was refused")
        return
      }
      #expect(UUID(uuidString: receipt.id) != nil)
      for _ in 0..<3 {
        let line = try await devices.received()
        #expect(line["channel"].string == one && line["uniqueID"].string == receipt.uniqueID)
        #expect(payload(line).contains("1:0"))
      }
      // A channel without storage refuses messages that have to be stored. The client returns the refusal as a value.
      let kept = try BroadcastPush(goal, to: one, of: app, expiration: .after(.seconds(60)))
      guard case .rejected(let refusal) = try await client.send(kept) else {
        Issue.record("the broadcast was accepted")
        return
      }
      #expect(refusal.reason == "BadExpirationDate")

      try await client.deleteChannel(one, of: app)
      #expect(try await client.channels(of: app) == [other])
      let failure = await #expect(throws: ChannelFailure.self) {
        try await client.channelStorage(of: one, of: app)
      }
      guard case .refused(let gone)? = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(gone.reason == "ChannelNotRegistered")
      let foreign = await #expect(throws: ChannelFailure.self) {
        try await client.createChannel(of: "org.foreign.app", storage: .none)
      }
      guard case .refused? = foreign else {
        Issue.record("unexpected answer for another team's app: \(String(describing: foreign))")
        return
      }
    }
  }
}
