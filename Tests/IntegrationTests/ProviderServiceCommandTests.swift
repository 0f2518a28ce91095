import TestSupport
import Testing

/// Tests of `belfry provider` as a program: wrong usage, and what other commands say about its data folder.
@Suite struct ProviderServiceCommandTests {
  @Test func `A key without its ID is wrong usage, as it is for belfry send`() async throws {
    try await Scenario.run { scenario in
      let credentials = ["--gateway", "localhost:2197", "--key", scenario.folder.file("key.p8")]
      let provider = ["provider", "--data", scenario.folder.file("registry"), "--port", "0"]
      let send = ["send", "00ff", "--topic", "com.example.app", "--title", "Hi"]
      for words in [provider, send] {
        let refused = try await scenario.belfryCommand(words + credentials, succeeding: false)
        #expect(refused.status == 2, "\(words)")
        #expect(refused.errors.contains("--key requires --key-id"), "\(refused.errors)")
      }
    }
  }

  @Test func `A provider without apps warns, and its folder is not taken for a gateway's`()
    async throws
  {
    try await Scenario.run { scenario in
      let folder = scenario.folder.file("registry")
      let ready = scenario.folder.file("ready.json")
      let provider = try scenario.belfry([
        "provider", "--data", folder, "--port", "0", "--ready-file", ready,
      ])
      _ = try await ScratchFolder.contents(of: ready) { !provider.isRunning }
      for words in [
        ["backup", scenario.folder.file("backup.tar")], ["console"], ["team", "list"],
      ] {
        let refused = try await scenario.belfryCommand(
          words + ["--data", folder], succeeding: false)
        #expect(refused.status == 1, "\(words)")
        #expect(
          refused.errors.contains("\(folder) is the data folder of a provider, not of a gateway"),
          "\(words): \(refused.errors)")
      }
      try await provider.stop()
      #expect(
        provider.errors.contains("no app can register tokens: specify the apps with --topic"),
        "\(provider.errors)")
    }
  }

  @Test func `A provider without a gateway says that the provider needs the option`() async throws {
    try await Scenario.run { scenario in
      let folder = scenario.folder.file("registry")
      let ready = scenario.folder.file("ready.json")
      let provider = try scenario.belfry([
        "provider", "--data", folder, "--port", "0", "--ready-file", ready, "--topic", "a.b",
      ])
      _ = try await ScratchFolder.contents(of: ready) { !provider.isRunning }
      let file = try scenario.write(
        #"{"topic":"a.b","alert":{"en":{"title":"Hello"}}}"#, to: "campaign.json")
      let list = try scenario.write("00ff\n", to: "tokens.txt")
      for words in [[], ["--gateway", scenario.folder.file("other.json")]] {
        let refused = try await scenario.belfryCommand(
          ["campaign", "send", file, "--to", list, "--data", folder] + words, succeeding: false)
        #expect(refused.status == 1)
        #expect(
          refused.errors.contains("/gateway/gateway.json (no such file): start a gateway with ")
            && refused.errors.contains(", or restart the provider with --gateway "),
          "\(refused.errors)")
      }
      try await provider.stop()
    }
  }
}
