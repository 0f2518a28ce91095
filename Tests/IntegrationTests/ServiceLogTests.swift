import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the output that services write to standard error, for each value of `--log-format`.
@Suite(.timeLimit(.minutes(60))) struct ServiceLogTests {
  /// Returns the lines that a gateway writes from start to exit.
  private func lines(
    _ scenario: Scenario, _ options: [String], _ environment: [String: String] = [:]
  )
    async throws -> [String]
  {
    let gateway = try await scenario.gateway(options: options, environment: environment)
    try await gateway.stop()
    return gateway.program.errors.split(separator: "\n").map(String.init)
  }

  @Test func `In JSON each line is an object, the ready line too`() async throws {
    try await Scenario.run { scenario in
      let lines = try await lines(scenario, ["--log-format", "json"])
      let values = lines.compactMap { JSONLine($0) }
      #expect(values.count == lines.count)
      let ready = values.first { $0["message"].string == "ready" }
      #expect(ready?["level"].string == "info" && ready?["subsystem"].string == "gateway")
      #expect(ready?["provider"].string?.isEmpty == false)
    }
  }

  @Test func `In logfmt each line begins with its time`() async throws {
    try await Scenario.run { scenario in
      let lines = try await lines(scenario, ["--log-format", "logfmt"])
      #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("time=20") })
      #expect(
        lines.contains { $0.contains(" level=info subsystem=gateway message=ready provider=") })
    }
  }

  @Test(arguments: [[:], ["JOURNAL_STREAM": "1:2"]] as [[String: String]])
  func `Log lines are plain text unless standard error is connected to the journal`(
    environment: [String: String]
  )
    async throws
  {
    try await Scenario.run { scenario in
      let lines = try await lines(scenario, [], environment)
      #expect(lines.contains { $0.contains(" info gateway: ready provider=") })
    }
  }

  @Test func `A form that there is not is refused`() async throws {
    try await Scenario.run { scenario in
      for command in ["gateway", "agent", "provider"] {
        let answer = try await scenario.belfryCommand(
          [command, "--log-format", "xml"], succeeding: false)
        #expect(answer.status == 2)
        #expect(answer.errors.contains("text, logfmt, json or journal"), "\(answer.errors)")
      }
    }
  }

  @Test(arguments: ["text", "json"])
  func `Failed handshakes of one client are a line and a count, in each form`(form: String)
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--log-format", form])
      let knocks = 300
      for _ in 0..<knocks { try Self.knock(port: UInt16(gateway.port("provider"))) }
      try await gateway.stop()
      let lines = gateway.program.errors.split(separator: "\n").filter {
        $0.contains("refused a TLS handshake on the provider port")
      }
      #expect((2...8).contains(lines.count), "\(lines)")
      let counts = lines.map { line in
        let number =
          form == "json"
          ? JSONLine(String(line))?["repeated"].string
          : line.split(separator: " ").last.map(String.init)?.replacing("repeated=", with: "")
        return number.flatMap { Int($0) } ?? 1
      }
      #expect(counts.first == 1 && counts.reduce(0, +) == knocks, "\(lines)")
    }
  }

  /// Connects from a new port, sends bytes that aren't TLS, and waits until the connection is closed.
  private static func knock(port: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(connected == 0)
    let text = Array("this is no TLS\r\n".utf8)
    #expect(write(descriptor, text, text.count) == text.count)
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) > 0 {}
  }
}
