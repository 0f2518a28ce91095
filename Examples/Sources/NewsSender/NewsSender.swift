// A provider that reads device tokens, one per line, sends the news to each of them, and reports the tokens that are no
// longer valid.
import BelfryProvider
import Narration

@main
struct NewsSender {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else {
      return say("give the gateway's file, the app and a headline")
    }
    let client = try ProviderClient(
      .init(
        gatewayFile: arguments[1],
        policy: RetryPolicy(longestPause: .seconds(5), timeout: .seconds(60))))
    var news = AlertContent(title: "News", body: .text(arguments[3]), sound: .standard)
    news.interruptionLevel = .timeSensitive
    let content = PushContent.alert(news)

    // Because tokens are read as needed, a million lines take up only the memory of one window.
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
}
