import TestSupport
import Testing

/// Tests that `scripts/reliability` agrees with the commands that it runs and the tables that it fills.
@Suite(.timeLimit(.minutes(60))) struct ReliabilityFiguresTests {
  @Test(arguments: [
    ("start", "start with 1000 devices and registrations"),
    ("feedback", "500 rows of feedback"),
    ("silent-device", "a silent device with a backlog of"),
    ("campaign", "0 devices left out, 0 received it twice"),
  ])
  func `A thousandth of a figure is measured`(_ figure: String, _ line: String) async throws {
    try await Scenario.run { scenario in
      let result = try await scenario.command(
        [
          "/usr/bin/env", "python3", Installation.root + "/scripts/reliability", figure,
          "--scale", "0.001", "--belfry", Installation.belfry,
        ], succeeding: false, within: .seconds(600))
      #expect(result.status == 0 && result.output.contains(line), "\(result.output)")
    }
  }
}
