// A live activity: the app requests a token, and its server updates the score with pushes.
import ActivityKit
import Narration

struct MatchAttributes: ActivityAttributes {
  struct ContentState: Codable, Hashable {
    var home: Int
    var guest: Int
  }

  var name: String
}

@main
struct ScoreActivity {
  static func main() async throws {
    let activity = try Activity<MatchAttributes>.request(
      attributes: MatchAttributes(name: "Final"),
      content: .init(state: .init(home: 0, guest: 0), staleDate: nil), pushType: .token)
    Task {
      for await token in activity.pushTokenUpdates {
        say("token \(token.map { String(format: "%02x", $0) }.joined())")
      }
    }
    Task {
      for await started in Activity<MatchAttributes>.activityUpdates {
        say("started \(started.attributes.name) \(started.content.state.home)")
      }
    }
    for await content in activity.contentUpdates {
      say("score \(content.state.home) \(content.state.guest)")
    }
    say("over \(activity.activityState) \(Activity<MatchAttributes>.activities.count)")
    try await Task.sleep(nanoseconds: 60_000_000_000)
  }
}
