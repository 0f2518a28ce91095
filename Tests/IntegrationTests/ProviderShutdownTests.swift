import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the shutdown of a busy provider service.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.curl)) struct ProviderShutdownTests {
  private let topic = "com.example.app"

  @Test func `A service ends in seconds although its gateway hangs, and no device misses a push`()
    async throws
  {
    let count = 20
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(
        of: gateway, topics: [topic], options: ["--count", "\(count)"])
      var tokens: [String] = []
      for _ in 0..<count { tokens.append(try await devices.token()) }
      let first = try await scenario.registry(of: gateway, topic: topic)
      _ = try await scenario.ask(first, "/tokens", body: tokens.joined(separator: "\n"))
      func draft(_ title: String) async throws -> String {
        let added = try await scenario.ask(
          first, "/campaigns",
          body: #"{"topic":"\#(topic)","alert":{"en":{"title":"\#(title)"}},"draft":true}"#)
        return try #require(added.values.first?["id"].string)
      }
      let test = try await draft("Test")
      let campaigns = [try await draft("One"), try await draft("Two")]
      // This test push opens the connection on which the campaigns' pushes will be in flight.
      let body = #"{"deviceToken":"\#(tokens[0])"}"#
      _ = try await scenario.ask(first, "/campaigns/\(test)/test", body: body)
      gateway.program.signal(SIGSTOP)
      for id in campaigns { _ = try await scenario.ask(first, "/campaigns/\(id)/resume", body: "") }
      let waiting = Task { try await scenario.ask(first, "/campaigns/\(test)/test", body: body) }
      let clock = ContinuousClock()
      let began = clock.now
      #expect(try await first.program.stop() == 0)
      #expect(clock.now - began < .seconds(8), "\(clock.now - began)")
      _ = await waiting.result
      gateway.program.signal(SIGCONT)

      let second = try await scenario.registry(of: gateway, topic: topic)
      for id in campaigns {
        func status() async throws -> JSONLine {
          try #require(try await scenario.ask(second, "/campaigns/\(id)").values.first)
        }
        try await Scenario.wait("the completion of the campaign") {
          try await status()["state"].string == "completed"
        }
        let end = try await status()
        #expect(end["accepted"].integer == count && end["unknown"].integer == 0, "\(end)")
      }
      var texts: [String] = []
      while texts.count(where: { !$0.contains("Test") }) < campaigns.count * count {
        texts.append(payload(try await devices.received()))
      }
      #expect(texts.count { $0.contains("One") } == count)
      #expect(texts.count { $0.contains("Two") } == count)
      let log = try await scenario.belfryCommand(["log", "--json", "--data", gateway.data])
      let receipts = log.values.filter { $0["state"].string == "Received by APNs" }
      let byID = Dictionary(grouping: receipts) { $0["apnsID"].string }
      #expect(byID.values.allSatisfy { $0.count == 1 }, "a push was sent twice")
    }
  }
}
