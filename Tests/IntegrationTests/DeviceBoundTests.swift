import TestSupport
import Testing

/// Tests of the limit on the number of new apps that one device can add, across all its connections.
@Suite(.timeLimit(.minutes(60))) struct DeviceBoundTests {
  private func topics(_ numbers: Range<Int>) -> [String] {
    numbers.map { "com.example.app\($0)" }
  }

  @Test func `a device brings so many apps in all, not on each of its connections`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let first = try scenario.devices(of: gateway, topics: topics(0..<200))
      for _ in 0..<200 { _ = try await first.token() }
      try await first.program.stop()
      // This is the same device on another connection.
      let second = try scenario.devices(of: gateway, topics: topics(200..<300))
      for _ in 0..<56 { _ = try await second.token() }
      for _ in 0..<44 {
        let refusal = try await second.program.event("refused")
        #expect(refusal["reason"].string == "too many", "\(refusal)")
      }
      // Apps that other devices have introduced are also available to this device.
      let other = try scenario.devices("other", of: gateway, topics: ["com.example.fresh"])
      _ = try await other.token()
      try await second.program.stop()
      let third = try scenario.devices(of: gateway, topics: ["com.example.fresh"])
      #expect(try await third.token().isEmpty == false)
    }
  }
}
