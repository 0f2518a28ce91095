import Foundation
import TestSupport
import Testing

private let app = "com.example.app"

/// Tests that parse the text of `/metrics` with independent parsers.
@Suite(.timeLimit(.minutes(60))) struct MetricsTests {
  private func metrics(
    _ scenario: Scenario, _ gateway: GatewayProgram, accept: String
  ) async throws -> [String] {
    try await scenario.command([
      TestTool.curl.required(), "-s", "-H", "accept: \(accept)",
      "http://127.0.0.1:\(gateway.port("console"))/metrics",
    ]).lines
  }

  /// Returns the metric names and labels in the lines, without the values.
  private func series(_ lines: [String]) -> Set<Substring> {
    Set(
      lines.compactMap { line in
        guard !line.hasPrefix("#"), let space = line.lastIndex(of: " ") else { return nil }
        return line[..<space]
      })
  }

  @Test(.requires(.curl, .prometheusPython))
  func `Prometheus' own strict parser reads OpenMetrics; the samples are those of the older text`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      _ = try await scenario.belfryCommand([
        "send", devices.token(), "--topic", app, "--body", "hello", "--gateway", gateway.file,
      ])
      let text = try await metrics(scenario, gateway, accept: "application/openmetrics-text")
      let file = scenario.folder.file("metrics")
      try (text.joined(separator: "\n") + "\n").write(
        toFile: file, atomically: true, encoding: .utf8)
      let parser = """
        import sys
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
        for family in parse(open(sys.argv[1]).read()):
            assert family.documentation.endswith("."), family.name
            assert family.type in ("counter", "gauge", "histogram"), family.name
            assert family.samples, family.name
            for unit in ("seconds", "bytes"):
                assert not family.name.endswith("_" + unit) or family.unit == unit, family.name
            print(family.name)
        """
      let families = try await scenario.command([
        TestTool.systemPython.required(), "-c", parser, file,
      ]).lines
      #expect(families.contains("belfry_pushes_accepted"))
      #expect(families.contains("process_open_fds"))
      let older = try await metrics(scenario, gateway, accept: "text/plain")
      // OpenMetrics omits this counter, because its name would belong to the gauge `belfry_device_connections`.
      let olderAlone = series(older).filter { $0.hasPrefix("belfry_device_connections_total{") }
      #expect(series(text) == series(older).subtracting(olderAlone))
      #expect(series(text).contains { $0.hasPrefix("belfry_device_connections_opened_total{") })
      #expect(older.last?.hasPrefix("#") == false)
    }
  }

  @Test(.requires(.curl)) func `Data that peers send never creates a metric label`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      let before = try await series(metrics(scenario, gateway, accept: "text/plain"))
      for topic in [app, "com.example.one", "com.example.two"] {
        for token in [token, "00ff", "ff"] {
          _ = try await scenario.belfryCommand(
            ["send", token, "--topic", topic, "--body", "hello", "--gateway", gateway.file],
            succeeding: false)
        }
      }
      #expect(try await series(metrics(scenario, gateway, accept: "text/plain")) == before)
      #expect(before.count < 400, "\(before.count)")
    }
  }
}
