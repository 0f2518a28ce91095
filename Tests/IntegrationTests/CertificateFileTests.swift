import Foundation
import TestSupport
import Testing
import Transport

/// Tests of the messages about certificate files that `belfry send` cannot use.
@Suite struct CertificateFileTests {
  private let app = "com.example.app"

  /// Runs `body` with a gateway and the file of a provider certificate that the gateway issued.
  private func withCertificate(
    _ body: (Scenario, GatewayProgram, _ file: String, Certificate) async throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let data = ["--data", gateway.data]
      _ = try await scenario.belfryCommand(["topic", "add", app] + data)
      let file = scenario.folder.file("provider.pem")
      _ = try await scenario.belfryCommand(
        ["certificate", "add", "--topic", app, "--out", file] + data)
      let certificate = try Certificate(pem: Array(Data(contentsOf: URL(filePath: file))))
      try await body(scenario, gateway, file, certificate)
      try await gateway.stop()
    }
  }

  private func send(
    with file: String, to gateway: GatewayProgram, _ scenario: Scenario
  ) async throws -> Scenario.CommandResult {
    try await scenario.belfryCommand(
      [
        "send", "00ff", "--topic", app, "--body", "Hello", "--gateway", gateway.file,
        "--certificate", file,
      ], succeeding: false)
  }

  @Test func `A certificate file that cannot be used is named, with the remedy`() async throws {
    try await withCertificate { scenario, gateway, _, certificate in
      let wrong = scenario.folder.file("wrong.pem")
      let files: [([UInt8], String)] = [
        (
          try certificate.pem() + ES256PrivateKey().pkcs8PEM(),
          "the private key and the certificate in \(wrong) do not match: use a file with"
        ),
        (
          certificate.der,
          "convert it with 'openssl x509 -inform der -in \(wrong) -out FILE.pem', and append"
        ),
        (try certificate.pem(), "cannot use \(wrong) as a provider certificate: the private key"),
      ]
      for (bytes, message) in files {
        try Data(bytes).write(to: URL(filePath: wrong))
        let sent = try await send(with: wrong, to: gateway, scenario)
        #expect(sent.status == 1 && sent.lines.isEmpty, "\(sent)")
        #expect(sent.errors.contains(message), "\(sent.errors)")
      }
    }
  }

  @Test func `A revoked certificate is reported with the command that creates another one`()
    async throws
  {
    try await withCertificate { scenario, gateway, file, certificate in
      _ = try await scenario.belfryCommand([
        "certificate", "revoke", certificate.serial, "--data", gateway.data,
      ])
      let sent = try await send(with: file, to: gateway, scenario)
      #expect(sent.status == 1)
      #expect(
        sent.errors.contains(
          "certificate revoked; use a valid client certificate, which 'belfry certificate add' "
            + "creates"), "\(sent.errors)")
    }
  }

  @Test func `A gateway replaces its own certificate if the key does not match`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.stop()
      let key = URL(filePath: gateway.data + "/server-key.pem")
      let foreign = try Data(ES256PrivateKey().pkcs8PEM())
      try foreign.write(to: key)
      let again = try await scenario.restart(gateway)
      #expect(try Data(contentsOf: key) != foreign)
      try await again.stop()
    }
  }
}
