// Sends the news to every device token that it reads, a line each, and says which tokens are dead.
import BelfryProvider
import Foundation
import Narration

/// The part of a gateway's `gateway.json` that a provider needs.
struct Gateway: Decodable {
  var host, caFile, teamID, keyID, keyFile: String
  var ports: [String: UInt16]
}

@main
struct NewsSender {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else {
      return say("give the gateway's file, the app and a headline")
    }
    let client = try client(of: arguments[1])
    var news = AlertContent(title: "News", body: .text(arguments[3]), sound: .standard)
    news.interruptionLevel = .timeSensitive
    let content = PushContent.alert(news)

    // A million lines take the memory of one window.
    let tokens = AnyIterator { readLine() }
    let pushes = tokens.lazy.compactMap { token -> Push? in
      do {
        return try Push(content, to: token, app: arguments[2], expiration: .after(.seconds(3_600)))
      } catch {
        say("skipped \(token): \(error)")
        return nil
      }
    }
    for try await one in client.send(pushes) {
      switch one.result {
      case .success(.accepted): say("sent \(one.push.deviceToken)")
      case .success(.rejected(let refusal)):
        switch refusal.tokenVerdict {
        case .dead: say("dead \(one.push.deviceToken)")
        case .doubtful, .unaffected: say("refused \(one.push.deviceToken) \(refusal.reason)")
        }
      case .failure(let failure): say("failed \(one.push.deviceToken): \(failure)")
      }
    }
    say("done")
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
        authorityPEM: read(gateway.caFile),
        policy: RetryPolicy(longestPause: .seconds(5), timeout: .seconds(60))))
  }
}
