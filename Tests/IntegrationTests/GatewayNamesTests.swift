import Foundation
import TestSupport
import Testing

/// Tests that no other server can impersonate a gateway at its names and ports.
@Suite(.timeLimit(.minutes(60))) struct GatewayNamesTests {
  /// Returns the error of a client that trusts the authorities in `file` and requests `name`, or an empty string if the
  /// client accepts the certificate.
  private func refusal(
    _ scenario: Scenario, _ gateway: GatewayProgram, trusting file: String, name: String,
    listener: String = "provider"
  ) async throws -> String {
    let isAddress = name.first?.isNumber == true
    let output = try await scenario.command(
      [
        TestTool.openssl.required(), "s_client", "-connect",
        "\(gateway.host):\(gateway.port(listener))", "-CAfile", file, "-verify_return_error",
      ] + (isAddress ? ["-noservername", "-verify_ip", name] : ["-servername", name])
        + (isAddress ? [] : ["-verify_hostname", name]), input: "", succeeding: false)
    return output.output.contains("Verify return code: 0 (ok)")
      ? "" : output.errors + output.output
  }

  private func copy(_ file: String, to name: String, _ scenario: Scenario) throws -> String {
    let target = scenario.folder.file(name)
    try FileManager.default.copyItem(atPath: file, toPath: target)
    return target
  }

  @Test(.requires(.openssl))
  func
    `a gateway with a new name serves those who have its first ca.pem, and those who have the new one`()
    async throws
  {
    try await Scenario.run { scenario in
      let first = try await scenario.gateway(options: ["--name", "first.example"])
      let firstFile = try copy(first.caFile, to: "first.pem", scenario)
      try await first.stop()
      let second = try await scenario.gateway(
        options: ["--name", "first.example", "--name", "push.example.org"])
      #expect(second.program.errors.contains("push.example.org"))
      for listener in ["provider", "device", "binary"] {
        for name in ["127.0.0.1", "localhost", "first.example", "api.push.apple.com"] {
          for file in [firstFile, second.caFile] {
            let refusal = try await refusal(
              scenario, second, trusting: file, name: name, listener: listener)
            #expect(refusal.isEmpty, "\(name) on \(listener) with \(file): \(refusal)")
          }
        }
        let new = try await refusal(
          scenario, second, trusting: second.caFile, name: "push.example.org", listener: listener)
        #expect(new.isEmpty, "\(new)")
      }
      // The gateway has no certificate that these clients accept. At startup, it reported that they need the new file.
      let former = try await refusal(
        scenario, second, trusting: firstFile, name: "push.example.org")
      #expect(former.contains("permitted subtree violation"), "\(former)")
      try await second.stop()
      let third = try await scenario.gateway(options: ["--name", "first.example"])
      #expect(
        third.program.errors.contains("names=push.example.org")
          && third.program.errors.contains("started with --name for each"),
        "\(third.program.errors)")
    }
  }

  @Test(.requires(.openssl))
  func `a gateway whose names change again and again keeps to its first ca.pem`() async throws {
    try await Scenario.run { scenario in
      var gateway = try await scenario.gateway()
      let firstFile = try copy(gateway.caFile, to: "first.pem", scenario)
      for name in ["a.example", "b.example"] {
        try await gateway.stop()
        gateway = try await scenario.gateway(options: ["--name", name, "--name", "192.0.2.7"])
      }
      for name in ["127.0.0.1", "192.0.2.7", "localhost"] {
        let refusal = try await refusal(scenario, gateway, trusting: firstFile, name: name)
        #expect(refusal.isEmpty, "\(name): \(refusal)")
      }
      let new = try await refusal(scenario, gateway, trusting: gateway.caFile, name: "b.example")
      #expect(new.isEmpty, "\(new)")
    }
  }

  @Test func `a second gateway on the ports of the first says so and ends`() async throws {
    try await Scenario.run { scenario in
      let first = try await scenario.gateway(options: ["--loops", "2"])
      for listener in ["provider", "device", "binary", "feedback"] {
        let readyFile = scenario.folder.file("second-ready.json")
        var arguments = [
          "gateway", "--data", scenario.folder.file("second"), "--ready-file", readyFile,
          "--loops", "2", "--console-port", "0",
        ]
        for other in ["provider", "device", "binary", "feedback"] {
          arguments += ["--\(other)-port", other == listener ? "\(first.port(other))" : "0"]
        }
        let second = try scenario.belfry(arguments)
        #expect(try await second.end() == 1)
        #expect(
          second.errors.contains("127.0.0.1:\(first.port(listener)) is in use"), "\(second.errors)")
        #expect(second.errors.contains("--\(listener)-port"), "\(second.errors)")
        #expect(!FileManager.default.fileExists(atPath: readyFile))
      }
    }
  }

  @Test func `a second gateway on the folder of the first says so and leaves its files`()
    async throws
  {
    try await Scenario.run { scenario in
      let first = try await scenario.gateway()
      let readyFile = first.data + "-ready.json"
      let described = try Data(contentsOf: URL(filePath: first.file))
      let second = try scenario.belfry(
        ["gateway", "--data", first.data, "--ready-file", readyFile, "--console-port", "0"]
          + ["--provider-port", "0", "--device-port", "0", "--binary-port", "0"]
          + ["--feedback-port", "0"])
      #expect(try await second.end() == 1)
      #expect(
        second.errors.contains("\(first.data) is in use by a running gateway"), "\(second.errors)")
      #expect(FileManager.default.fileExists(atPath: readyFile))
      #expect(try Data(contentsOf: URL(filePath: first.file)) == described)
    }
  }
}
