import TestSupport
import Testing

/// Tests of provider tokens that are signed with a key outside of a gateway's folder.
@Suite struct KeyFileTests {
  @Test(.requires(.curl)) func `A copied key signs provider tokens on a machine without a gateway`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let file = scenario.folder.file("backups.p8")
      let added = try await scenario.belfryCommand([
        "key", "add", "--out", file, "--json", "--data", gateway.data,
      ])
      let id = try #require(added.values.first?["id"].string)
      // The default folder of this command contains no gateway.
      let words = ["key", "jwt", "--key", file, "--id", id]
      let signed = try await scenario.belfryCommand(words + ["--team", gateway.teamID])
      let token = try #require(signed.lines.first)
      let answer = try await scenario.command([
        try TestTool.curl.required(), "--silent", "--http2", "--write-out", "\\n", "--cacert",
        gateway.caFile,
        "--header", "authorization: bearer \(token)", "--header", "apns-topic: com.example.app",
        "--header", "apns-push-type: alert", "--data", #"{"aps":{"alert":"Hello"}}"#,
        "https://\(gateway.host):\(gateway.port("provider"))/3/device/"
          + String(repeating: "0", count: 64),
      ])
      // The gateway accepts the provider token, and refuses the push for another reason.
      #expect(
        answer.output.contains("reason") && !answer.output.contains("ProviderToken"),
        "\(answer.output)")
      let incomplete = try await scenario.belfryCommand(words, succeeding: false)
      #expect(incomplete.status == 2)
      #expect(
        incomplete.errors.contains("--key requires --id and --team"), "\(incomplete.errors)")
    }
  }
}
