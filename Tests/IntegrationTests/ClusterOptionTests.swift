import BelfryWire
import System
import TestSupport
import Testing

@testable import Tool

/// Tests of messages about the options of a cluster, which need neither a database nor a bus.
@Suite struct ClusterOptionTests {
  @Test(
    arguments: [
      (["cluster", "init"], "missing option --store: add --store postgres://USER@HOST/DATABASE"),
      (
        ["cluster", "init", "--store", "postgres://b@h/d"],
        "missing option --cluster-key: add --cluster-key FILE"
      ),
      (
        ["cluster", "init", "--store", "sqlite:", "--cluster-key", "ck"],
        "the data of a cluster cannot be in 'sqlite:': specify postgres://USER@HOST/DATABASE"
      ),
      (
        ["gateway", "--store", "postgres://b@h/d", "--cluster-key", "ck"],
        "missing option --bus: add --bus nats://HOST[:PORT]"
      ),
      (
        ["gateway", "--bus", "nats://h", "--cluster-key", "ck"],
        "missing option --store: add --store postgres://USER@HOST/DATABASE"
      ),
      (
        ["gateway", "--store", "postgres://b@h/d", "--bus", "nats://h"],
        "missing option --cluster-key: add --cluster-key FILE"
      ),
    ] as [([String], String)])
  func `a missing or wrong option of a cluster is named with its value`(
    arguments: [String], message: String
  ) async throws {
    try await Scenario.run { scenario in
      let answer = try await scenario.belfryCommand(arguments, succeeding: false)
      #expect(answer.status != 0)
      #expect(answer.errors.contains(message), "\(answer.errors)")
    }
  }

  @Test func `the status names the node and its bus, and a single gateway has neither`() {
    func lines(_ status: JSONObject) -> [String] { GatewayStatusTable(status).lines }
    var status: JSONObject = ["node": "one", "bus": "nats://bus.example.org:4222"]
    status["busConnected"] = true
    #expect(
      lines(status).contains {
        $0.hasPrefix("node ")
          && $0.hasSuffix(" one, connected to the bus nats://bus.example.org:4222")
      }, "\(lines(status))")
    status["busConnected"] = false
    #expect(lines(status).contains { $0.contains("one, not connected to the bus") })
    #expect(!lines([:]).contains { $0.hasPrefix("node ") })
  }

  @Test func `the status points out a certificate that expires within 30 days`() {
    func time(days: Int64) -> JSONValue {
      .string(
        Timestamp.rfc3339(unixMilliseconds: SystemClock.unixMilliseconds + days * 86_400_000))
    }
    let lines = GatewayStatusTable([
      "serverCertificateEndsAt": time(days: 40), "ownCertificateEndsAt": time(days: 29),
      "authorityEndsAt": time(days: -1), "deviceCertificateEndsAt": time(days: 1),
    ]).lines
    func line(_ name: String) -> String { lines.first { $0.hasPrefix(name) } ?? "" }
    #expect(line("own certificate").hasSuffix(", in less than 30 days"), "\(lines)")
    #expect(line("CA certificate").contains(" expired "), "\(lines)")
    for name in ["server certificate", "earliest device certificate"] {
      #expect(!line(name).contains("less than") && line(name).contains(" expires "), "\(lines)")
    }
  }

  @Test func `the status uses the same word for the next expiration as the console`() {
    let table = GatewayStatusTable([
      "providerCertificateEndsAt": "2027-01-02T03:04:05Z",
      "deviceCertificateEndsAt": "2027-01-02T03:04:05Z",
    ])
    let lines = table.lines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
    #expect(lines.contains("earliest provider certificate"))
    #expect(lines.contains("earliest device certificate"))
  }
}
