import Foundation
import TestSupport
import Testing

/// Tests of the gateway's ports with independent implementations of TLS.
@Suite(.timeLimit(.minutes(60))) struct TLSConformanceTests {
  /// The Python from `scripts/python-environment tls`, which has sslyze and tlslite-ng.
  fileprivate static let python = Installation.root + "/.build/python-tls/bin/python"

  private static func script(_ name: String) -> String { Installation.root + "/Tests/TLS/" + name }

  /// Runs sslyze, which tries every version and every cipher suite.
  @Test(.requiresTLSPython)
  func `no port offers more than Mozilla's intermediate profile`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let certificate = scenario.folder.file("provider.pem")
      _ = try await scenario.belfryCommand([
        "topic", "add", "com.example.app", "--team", gateway.teamID, "--data", gateway.data,
      ])
      _ = try await scenario.belfryCommand([
        "certificate", "add", "--team", gateway.teamID, "--topic", "com.example.app", "--out",
        certificate, "--data", gateway.data,
      ])
      let ports = ["provider", "binary", "feedback", "device"].map { "\(gateway.port($0))" }
      let scanned = try await scenario.command(
        [Self.python, Self.script("profile"), certificate, "127.0.0.1"] + ports,
        within: .seconds(300))
      #expect(scanned.values.count == ports.count, "\(scanned.errors)")
      for line in scanned.values {
        #expect(line["issues"].array.isEmpty, "\(line)")
        #expect(line["offered"]["TLSv1.3"].array.count == 3, "\(line)")
      }
    }
  }

  /// Runs the cases of Tests/TLS/record_cases.py, which a table in docs/tls-records.md lists.
  @Test(.requiresTLSPython, arguments: ["own", "openssl"])
  func `each record layer answers each record as the table says`(_ layer: String) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--record-layer", layer])
      let played = try await scenario.command(
        [
          Self.python, Self.script("record-layer"), "127.0.0.1",
          "\(gateway.port("device"))",
        ], within: .seconds(300))
      #expect(played.values.count > 60, "\(played.errors)")
      for line in played.values {
        let what = try #require(line["case"].string)
        #expect(line["answer"].string == line[layer].string, "\(what)")
      }
    }
  }

  @Test(.requires(.systemPython))
  func `the page's table of records is that of the cases`() async throws {
    try await Scenario.run { scenario in
      let table = try await scenario.command([
        TestTool.systemPython.required(), Self.script("record-layer"), "--table",
      ])
      let page = try String(
        contentsOfFile: Installation.root + "/docs/tls-records.md", encoding: .utf8)
      #expect(table.lines.count > 60)
      #expect(page.contains(table.lines.joined(separator: "\n") + "\n\n"))
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test if the environment is missing.
  ///
  /// In CI, the test isn't skipped, and fails without the environment.
  fileprivate static var requiresTLSPython: Self {
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: TLSConformanceTests.python)
        || ProcessInfo.processInfo.environment["CI"] != nil,
      "there is no .build/python-tls: run scripts/python-environment tls")
  }
}
