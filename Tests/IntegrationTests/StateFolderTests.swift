import Foundation
import TestSupport
import Testing

@testable import Tool

/// Tests of the variable that specifies the gateway's data folder.
@Suite struct StateFolderTests {
  @Test(arguments: [
    "localhost:2197", "127.0.0.1:2197", "[::1]:2197", "192.0.2.7", "https://push.example.org:2197",
    "belfry://push.example.org:5223/CODE/CERTIFICATE",
  ])
  func `An address in BELFRY_GATEWAY is an error with the right option`(value: String) async throws
  {
    try await Scenario.run { scenario in
      for words in [["topic", "list"], ["send", "00ff", "--topic", "com.a", "--body", "Hello"]] {
        let program = try scenario.belfry(words, environment: ["BELFRY_GATEWAY": value])
        #expect(try await program.end() == 2)
        #expect(
          program.errors
            == "belfry: invalid value '\(value)' of the variable BELFRY_GATEWAY: expected the path of the "
            + "gateway's data folder; to specify an address, unset the variable and use --gateway\n"
        )
      }
    }
  }

  @Test func `A file in BELFRY_GATEWAY is an error with the file's folder`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let program = try scenario.belfry(
        ["topic", "list"], environment: ["BELFRY_GATEWAY": gateway.file])
      #expect(try await program.end() == 2)
      #expect(
        program.errors.contains("data folder, such as \(gateway.data)\n"), "\(program.errors)")
      let right = try scenario.belfry(
        ["topic", "list"], environment: ["BELFRY_GATEWAY": gateway.data])
      #expect(try await right.end() == 0)
      try await gateway.stop()
    }
    #expect(StateFolders.advice(forGateway: "/nonexistent/gateway") == nil)
    #expect(StateFolders.advice(forGateway: "gateway") == nil)
  }
}
