// Makes a channel for a match, sends every score that it reads to all devices that listen to it, and removes it.
import BelfryProvider
import Foundation
import Narration

/// The part of a gateway's `gateway.json` that a provider needs.
struct Gateway: Decodable {
  var host, caFile, teamID, keyID, keyFile: String
  var ports: [String: UInt16]
}

@main
struct ScoreBroadcaster {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { return say("give the gateway's file and the app") }
    let app = arguments[2]
    let client = try client(of: arguments[1])

    let channel = try await client.createChannel(of: app, storage: .newest)
    say("channel \(channel)")
    while let score = readLine() {
      let content = LiveActivityContent(.update, state: ["score": .string(score)])
      let goal = try BroadcastPush(
        content, to: channel, of: app, expiration: .after(.seconds(3_600)))
      switch try await client.send(goal) {
      case .accepted(let receipt): say("sent \(score) \(receipt.uniqueID ?? receipt.id)")
      case .rejected(let refusal): say("refused \(score) \(refusal.reason)")
      }
    }
    try await client.deleteChannel(channel, of: app)
    say("left \(try await client.channels(of: app).count)")
  }

  static func client(of path: String) throws -> ProviderClient {
    func read(_ path: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    let gateway = try JSONDecoder().decode(Gateway.self, from: Data(read(path)))
    return try ProviderClient(
      .init(
        endpoint: ProviderEndpoint(host: gateway.host, port: gateway.ports["provider"] ?? 443),
        credentials: .token(
          ProviderKey(p8: read(gateway.keyFile), keyID: gateway.keyID, teamID: gateway.teamID)),
        authorityPEM: read(gateway.caFile)))
  }
}
