// A provider that creates a channel for a match, sends every score that it reads to all devices that subscribe to the
// channel, and deletes the channel at the end.
import BelfryProvider
import Narration

@main
struct ScoreBroadcaster {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { return say("give the gateway's file and the app") }
    let app = arguments[2]
    let client = try ProviderClient(.init(gatewayFile: arguments[1]))

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
}
