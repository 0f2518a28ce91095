import Foundation
import TestSupport
import Testing

/// Tests, in a headless browser, of the provider console of a real registry with a real gateway and devices.
@Suite(.requires(.chromium, .systemPython, .curl)) struct CampaignConsoleTests {
  private let topic = "com.example.app"

  @Test func `a campaign is written, checked, sent, held and reported in the browser`() async throws
  {
    let languages = ["en", "fr-CA", "fr", "ja", "en-GB", "fr", "en", "ja"]
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(
        of: gateway, topics: [topic], options: ["--count", "\(languages.count)"])
      var lines: [String] = []
      for language in languages {
        lines.append(
          #"{"deviceToken":"\#(try await devices.token())","language":"\#(language)","environment":"sandbox","tags":["all"]}"#
        )
      }
      let registry = try await scenario.registry(of: gateway, topic: topic)
      _ = try await scenario.ask(registry, "/tokens", body: lines.joined(separator: "\n"))
      // The program prints the console's address, as the gateway does.
      try await registry.program.error("console=\(registry.address)/")
      _ = try scenario.write(#""body" = "Des fichiers";"#, to: "fr.strings")
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"body":"By files"},"fr":"fr.strings"},"to":"tag:all","rate":50}"#,
        to: "campaign.json")
      let pictures = ProcessInfo.processInfo.environment["BELFRY_PICTURES"]
      // This takes seconds on an idle machine, but a busy machine starts a browser's processes slowly.
      let result = try await scenario.command(
        [
          try TestTool.systemPython.required(),
          Installation.root + "/Tests/Browser/campaign_flow.py",
          try TestTool.chromium.required(), registry.address + "/",
          registry.data + "/admin-token", topic, "\(languages.count)", file,
          scenario.folder.file("fr.strings"),
        ] + (pictures.map { [$0] } ?? []), within: .seconds(600))
      #expect(result.lines.last == "ok", "\(result.output)")
      // Each device received both campaigns in its language, and one device received the third campaign's test push.
      let received = devices.program.lines.filter { $0.contains(#""event":"received""#) }
      let texts = received.compactMap { JSONLine($0) }.map(payload)
      #expect(texts.count { $0.contains("3 matchs pour Ann") } == 6)
      #expect(texts.count { $0.contains("Ann has 3 matches") } == 10)
      #expect(texts.count { $0.contains("Only for the list") } == 1)
    }
  }

  @Test func `a campaign that its audience does not allow is refused on the command line`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let registry = try await scenario.registry(of: gateway, topic: topic)
      let tokens = [
        #"{"deviceToken":"01","environment":"development","language":"fi"}"#,
        #"{"deviceToken":"02","environment":"production"}"#,
      ]
      _ = try await scenario.ask(registry, "/tokens", body: tokens.joined(separator: "\n"))
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"body":"b"}},"fallback":false}"#, to: "campaign.json")
      for options in [["--dry-run"], []] {
        let refused = try await scenario.belfryCommand(
          ["campaign", "send", file, "--data", registry.data] + options, succeeding: false)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("alert: no fi text for 1 device, and no fallback language"))
        #expect(
          refused.errors.contains(
            "to: the device tokens belong to two environments: 1 in sandbox and 1 in production"))
      }
      #expect(
        try await scenario.ask(registry, "/campaigns").lines.isEmpty,
        "a refused campaign leaves nothing behind")
    }
  }
}
