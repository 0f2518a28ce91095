import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)), .requires(.python, .unshare, .openssl))
struct UnmodifiedClientTests {
  /// Tests the instructions in docs/clients.md for clients whose server address cannot be configured.
  ///
  /// The test changes the hosts file and the trusted authorities, and uses Apple's port, all in separate namespaces.
  @Test func `a client that cannot be told where to go is led to the gateway`() async throws {
    try await Scenario.run { scenario in
      let unshare = [try TestTool.unshare.required(), "--map-root-user", "--mount", "--net", "--"]
      let probe = try await scenario.command(unshare + ["true"], succeeding: false)
      guard probe.status == 0 else {
        // A container might forbid namespaces, which is a limit of the machine rather than a fault of the gateway.
        print("skipped: this machine gives no namespaces: \(probe.errors)")
        return
      }
      let python = try TestTool.python.required()
      let result = try await scenario.command(
        unshare + [
          python, Installation.root + "/Tests/Clients/unmodified-client", Installation.belfry,
          scenario.folder.path, python,
        ], within: TestTimeout.long)
      let line = try #require(result.values.last)
      #expect(line["answers"]["200"].integer == 5, "\(result.output)\(result.errors)")
      #expect(line["connections"].integer == 1)
    }
  }
}
