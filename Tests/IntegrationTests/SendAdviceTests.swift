import BelfryProvider
import System
import TestSupport
import Testing

@testable import Tool

/// Tests of the advice that `belfry send` prints about a refused push.
@Suite struct SendAdviceTests {
  @Test(
    arguments: [
      (5, "wait 5 seconds, "), (1, "wait 1 second, "), (nil, "wait about 15 minutes, "),
    ] as [(Int64?, String)])
  func `the advice to wait contains the pause that the response requests`(
    seconds: Int64?, advice: String
  ) throws {
    let options = try CommandLineOptions(["00"], by: SendCommand.table)
    let refusal = PushOutcome.Refusal(
      status: 503, reason: "ServiceUnavailable", timestampMilliseconds: nil, id: "",
      retryAfterSeconds: seconds)
    let message = SendAdvice(options).message(.success(.rejected(refusal)))
    #expect(message?.contains(advice) == true, "\(message ?? "")")
  }

  @Test func `A topic that the gateway does not know is reported as such`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let token = try await devices.token()
      let other = try await scenario.gateway("other")
      func refusal(_ options: String...) async throws -> String {
        let sent = try await scenario.belfryCommand(
          [
            "send", token, "--topic", "com.example.app", "--title", "Hello", "--gateway",
            other.file,
          ] + options, succeeding: false)
        #expect(sent.values.first?["reason"].string == "TopicDisallowed")
        return sent.errors
      }
      let unknown = try await refusal()
      #expect(
        unknown.contains(
          "TopicDisallowed (the gateway in \(other.data) has no app with this topic): check --topic, or use --gateway "
        ), "\(unknown)")
      // The gateway knows the app, but the key may not send to it.
      let key = scenario.folder.file("other.p8")
      for words in [
        ["topic", "add", "com.example.app"], ["topic", "add", "com.example.other"],
        [
          "key", "add", "--topic", "com.example.other", "--id", "KEYOTHERAA", "--team",
          other.teamID, "--out", key,
        ],
      ] {
        _ = try await scenario.belfryCommand(words + ["--data", other.data])
      }
      let limited = try await refusal(
        "--key", key, "--key-id", "KEYOTHERAA", "--team", other.teamID)
      #expect(limited.contains("use a key of the app's team"), "\(limited)")
      #expect(!limited.contains("has no app"), "\(limited)")
    }
  }
}
