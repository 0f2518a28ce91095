import Foundation
import Glibc
import TestSupport
import Testing
import Transport

private let app = "com.example.app"

/// Tests that a running gateway applies changes to its configuration file and its certificates without closing a
/// connection.
@Suite(.timeLimit(.minutes(60)), .requires(.openssl)) struct GatewayReloadTests {
  /// Returns the expiration of the certificate that the gateway presents to a client that trusts `file` and requests
  /// `name`.
  ///
  /// Returns nil if the client refuses the certificate.
  private func end(
    _ scenario: Scenario, _ gateway: GatewayProgram, trusting file: String, name: String,
    listener: String = "provider"
  ) async throws -> Int64? {
    let shown = try await scenario.command(
      [
        TestTool.openssl.required(), "s_client", "-connect",
        "\(gateway.host):\(gateway.port(listener))", "-CAfile", file, "-verify_return_error",
        "-servername", name, "-verify_hostname", name,
      ], input: "", succeeding: false)
    guard shown.output.contains("Verify return code: 0 (ok)"),
      let start = shown.output.range(of: "-----BEGIN CERTIFICATE-----"),
      let stop = shown.output.range(of: "-----END CERTIFICATE-----")
    else { return nil }
    return try Certificate(pem: Array(shown.output[start.lowerBound..<stop.upperBound].utf8 + [10]))
      .notAfter
  }

  /// Waits until a line of the gateway's log contains these words.
  private func says(_ gateway: GatewayProgram, _ words: String) async throws {
    while !gateway.program.errors.contains(words) {
      try #require(gateway.program.isRunning, "\(gateway.program.errors)")
      await Task.yield()
    }
  }

  @Test func `a new configuration is followed on SIGHUP, and no device is disconnected`()
    async throws
  {
    try await Scenario.run { scenario in
      let file = scenario.folder.file("gateway.yaml")
      func configure(_ text: String) throws {
        try text.write(toFile: file, atomically: true, encoding: .utf8)
      }
      try configure("# all by default\n")
      let gateway = try await scenario.gateway(options: ["--config", file, "--loops", "2"])
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      func push() async throws -> [Int?] {
        try await scenario.belfryCommand(
          ["send"] + Array(repeating: token, count: 5)
            + ["--topic", app, "--body", "hello", "--gateway", gateway.file],
          succeeding: false
        ).values.map { $0["status"].integer }
      }
      let all = Array(repeating: 200, count: 5)
      #expect(try await push() == all)
      #expect(
        try await end(scenario, gateway, trusting: gateway.caFile, name: "new.example") == nil)
      try configure("name: new.example\ndevice-rate: 1\n")
      gateway.program.signal(SIGHUP)
      try await says(gateway, "reloaded the configuration")
      #expect(
        try await end(scenario, gateway, trusting: gateway.caFile, name: "new.example") != nil)
      var answers: [Int?] = []
      // The limit is one push per second. Out of five pushes on one connection, some are refused, unless the machine is
      // very slow.
      while !answers.contains(429) { answers += try await push() }
      #expect(answers.first == 200)

      try configure("device-rate: 1000\nes512: off\n")
      gateway.program.signal(SIGHUP)
      try await says(gateway, "some options need a restart")
      #expect(try await push() == all)
      try configure("device-rate: many\n")
      gateway.program.signal(SIGHUP)
      try await says(gateway, "gateway.yaml:1: invalid value 'many' for device-rate")
      #expect(try await push() == all)
      #expect(!devices.program.lines.contains { $0.contains(#""state":"down","reason":"shut"#) })
      let links = devices.program.lines.filter {
        $0.contains(#""event":"link""#) && $0.contains(#""state":"up""#)
      }
      let enrolled = devices.program.lines.filter { $0.contains(#""reason":"enrolled""#) }
      #expect(links.count == 1 + enrolled.count, "\(links)")
    }
  }

  @Test func `of a configuration whose certificate cannot be used nothing is followed`()
    async throws
  {
    try await Scenario.run { scenario in
      let file = scenario.folder.file("gateway.yaml")
      func configure(_ text: String) throws {
        try text.write(toFile: file, atomically: true, encoding: .utf8)
      }
      try configure("name: kept.example\n")
      let gateway = try await scenario.gateway(options: ["--config", file])
      func read(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: gateway.data + "/" + name))
      }
      let names = ["ca.pem", "server.pem", "server-names"]
      let before = try names.map(read)
      let chain = scenario.folder.file("chain.pem")
      try "nonsense".write(toFile: chain, atomically: true, encoding: .utf8)
      try configure("name: new.example\nserver-certificate: \(chain)\nserver-key: \(chain)\n")
      gateway.program.signal(SIGHUP)
      try await says(gateway, "keeping the previous configuration")
      #expect(gateway.program.errors.contains("no certificate in \(chain): expected a PEM chain"))
      #expect(!gateway.program.errors.contains("reloaded the configuration"))
      #expect(try names.map(read) == before)
      #expect(
        try await end(scenario, gateway, trusting: gateway.caFile, name: "kept.example") != nil)
      // The gateway applies the next valid configuration.
      try configure("name: new.example\n")
      gateway.program.signal(SIGHUP)
      try await says(gateway, "reloaded the configuration")
      #expect(
        try await end(scenario, gateway, trusting: gateway.caFile, name: "new.example") != nil)
    }
  }

  @Test func `an operator's own certificate is shown under its names, and a new one at once`()
    async throws
  {
    try await Scenario.run { scenario in
      let now = Int64(Date().timeIntervalSince1970)
      let root = try CertificateAuthority.make(
        commonName: "Public root", nameConstraints: .init(hostNames: ["example.org"]), now: now)
      let rootFile = scenario.folder.file("root.pem")
      try Data(root.certificatePEM).write(to: URL(filePath: rootFile))
      let (chain, key) = (scenario.folder.file("chain.pem"), scenario.folder.file("key.pem"))
      func issue(days: Int, daysFromNow: Int64 = 0) throws -> Int64 {
        let begin = now + daysFromNow * 86_400
        // A certificate becomes valid at the same time as its authority.
        let issuer =
          daysFromNow > 0
          ? try CertificateAuthority.make(
            commonName: "Later root", nameConstraints: .init(hostNames: ["example.org"]), now: begin
          )
          : root
        let identity = try issuer.issueServer(
          names: ["push.example.org"], addresses: [], now: begin, days: days)
        try Data(identity.privateKeyPEM).write(to: URL(filePath: key))
        try Data(identity.certificateChainPEM).write(to: URL(filePath: chain))
        return identity.certificate.notAfter
      }
      let first = try issue(days: 90)
      let gateway = try await scenario.gateway(options: [
        "--server-certificate", chain, "--server-key", key, "--name", "push.example.org",
      ])
      func shown(_ listener: String = "provider") async throws -> Int64? {
        try await end(
          scenario, gateway, trusting: rootFile, name: "push.example.org", listener: listener)
      }
      #expect(try await shown() == first)
      #expect(try await shown("binary") == first)
      // Devices, and clients that request another name, trust the gateway's authority.
      #expect(try await shown("device") == nil)
      for (listener, name) in [("device", "push.example.org"), ("provider", "localhost")] {
        let end = try await end(
          scenario, gateway, trusting: gateway.caFile, name: name, listener: listener)
        #expect(end != nil, "\(name) on \(listener)")
      }
      let second = try issue(days: 60)
      while try await shown() != second { try #require(gateway.program.isRunning) }
      try "nonsense".write(toFile: chain, atomically: true, encoding: .utf8)
      try await says(gateway, "new connections get the previous ones")
      #expect(try await shown() == second)
      let third = try issue(days: 20)
      while try await shown() != third { try #require(gateway.program.isRunning) }
      let status = try await scenario.belfryCommand([
        "gateway", "status", "--json", "--data", gateway.data,
      ])
      #expect(status.values.first?["ownCertificateEndsAt"].string != nil)
      let doctor = try await scenario.belfryCommand(
        ["doctor", "--gateway", "--json", "--data", gateway.data], succeeding: false)
      let row = doctor.values.first { $0["feature"].string == "own certificate" }
      #expect(row?["state"].string == "attention", "\(doctor)")
      #expect(try await !scenario.readiness(of: gateway).contains("notice"))
      let ended = try issue(days: 20, daysFromNow: -50)
      try await says(gateway, "a certificate has expired")
      while try await !scenario.readiness(of: gateway).contains("notice") {
        try #require(gateway.program.isRunning)
      }
      let notice = try await scenario.readiness(of: gateway)
      #expect(notice.hasPrefix("ready\n"))
      #expect(ended < now && notice.contains("the certificate in \(chain) expired"), "\(notice)")
      try await gateway.stop()
      let empty = scenario.folder.file("empty.yaml")
      try Data().write(to: URL(filePath: empty))
      func check() async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          [
            "gateway", "--check-config", empty, "--server-certificate", chain,
            "--server-key", key,
          ],
          succeeding: false)
      }
      for (daysFromNow, what) in [(-50, "expired"), (5, "is not valid before")] as [(Int64, String)]
      {
        _ = try issue(days: 20, daysFromNow: daysFromNow)
        let answer = try await check()
        #expect(answer.status == 1 && answer.errors.contains(what), "\(answer)")
      }
      // If the chain file ends in the middle of the issuer's certificate, the gateway would present the chain without
      // that certificate. The check refuses such a file.
      _ = try issue(days: 20)
      let whole = try String(contentsOfFile: chain, encoding: .utf8)
      let issuer = String(decoding: root.certificatePEM, as: UTF8.self)
      for (count, status) in [(issuer.count, 0), (issuer.count / 2, 1)] as [(Int, Int32)] {
        try (whole + issuer.prefix(count)).write(toFile: chain, atomically: true, encoding: .utf8)
        let answer = try await check()
        #expect(answer.status == status, "\(answer)")
      }
      try whole.write(toFile: chain, atomically: true, encoding: .utf8)
      try "nonsense".write(toFile: key, atomically: true, encoding: .utf8)
      let broken = try await check()
      #expect(broken.status == 1 && broken.errors.contains("private key"), "\(broken)")
      try Data(ES256PrivateKey().pkcs8PEM()).write(to: URL(filePath: key))
      let foreign = try await check()
      #expect(
        foreign.errors.contains(
          "the private key in \(key) does not match the certificate in \(chain): use the key"),
        "\(foreign)")
      let folder = scenario.folder.file("refused")
      let start = try await scenario.belfryCommand(
        [
          "gateway", "--data", folder, "--console-port", "0", "--server-certificate", chain,
          "--server-key", key,
        ] + ["provider", "device", "binary", "feedback"].flatMap { ["--\($0)-port", "0"] },
        succeeding: false)
      #expect(start.status == 1 && start.errors == foreign.errors, "\(start) \(foreign)")
      #expect(!FileManager.default.fileExists(atPath: folder + "/control.sqlite"))
      try Data(Certificate(pem: Array(whole.utf8)).der).write(to: URL(filePath: chain))
      let binary = try await check()
      #expect(
        binary.errors.contains(
          "convert it with 'openssl x509 -inform der -in \(chain) -out FILE.pem'"), "\(binary)")
    }
  }

  @Test func `an own certificate whose files cannot be used is reported until they can be used`()
    async throws
  {
    try await Scenario.run { scenario in
      let now = Int64(Date().timeIntervalSince1970)
      let root = try CertificateAuthority.make(
        commonName: "Public root", nameConstraints: .init(hostNames: ["example.org"]), now: now)
      let identity = try root.issueServer(
        names: ["push.example.org"], addresses: [], now: now, days: 90)
      let (chain, key) = (scenario.folder.file("chain.pem"), scenario.folder.file("key.pem"))
      try Data(identity.privateKeyPEM).write(to: URL(filePath: key))
      try Data(identity.certificateChainPEM).write(to: URL(filePath: chain))
      let gateway = try await scenario.gateway(options: [
        "--server-certificate", chain, "--server-key", key, "--name", "push.example.org",
      ])
      let data = ["--data", gateway.data]
      func doctorRow() async throws -> JSONLine? {
        try await scenario.belfryCommand(
          ["doctor", "--gateway", "--json"] + data, succeeding: false
        ).values.first { $0["feature"].string == "own certificate" }
      }
      func metric() async throws -> Substring? {
        try await scenario.command([
          TestTool.curl.required(), "-s", "http://127.0.0.1:\(gateway.port("console"))/metrics",
        ]).output.split(separator: "\n").first {
          $0.hasPrefix("belfry_certificate_files_unusable ")
        }
      }
      #expect(try await doctorRow()?["state"].string == "ok")
      #expect(try await metric()?.hasSuffix(" 0") == true)

      try Data(ES256PrivateKey().pkcs8PEM()).write(to: URL(filePath: key))
      try await says(gateway, "new connections get the previous ones")
      let problem = "the private key in \(key) does not match the certificate in \(chain)"
      while try await !scenario.readiness(of: gateway).contains(problem) {
        try #require(gateway.program.isRunning)
      }
      let row = try #require(try await doctorRow())
      #expect(row["state"].string == "missing", "\(row)")
      #expect(row["detail"].string?.contains(problem) == true, "\(row)")
      let status = try await scenario.belfryCommand(["gateway", "status"] + data)
      #expect(status.output.contains(problem), "\(status)")
      #expect(try await metric()?.hasSuffix(" 1") == true)

      try Data(identity.privateKeyPEM).write(to: URL(filePath: key))
      try await says(gateway, "the server's certificates can be used again")
      while try await scenario.readiness(of: gateway).contains("notice") {
        try #require(gateway.program.isRunning)
      }
      #expect(try await doctorRow()?["state"].string == "ok")
      #expect(try await metric()?.hasSuffix(" 0") == true)

      // Other users can enter the folder of the key, and read the key.
      for (path, mode) in [(scenario.folder.path, 0o755), (key, 0o644)] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      }
      let secrets = try await scenario.belfryCommand(["doctor", "--gateway", "--json"] + data)
        .values.first { $0["feature"].string == "secret files" }
      #expect(secrets?["state"].string == "attention", "\(String(describing: secrets))")
      #expect(secrets?["detail"].string?.contains(key) == true)
    }
  }

  @Test func `a server certificate that ends soon is renewed while the gateway runs`() async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: gateway.data + "/" + name)))
      }
      let first = try Certificate(pem: read("server.pem")).notAfter
      let authority = try CertificateAuthority.load(
        certificatePEM: read("ca.pem"), privateKeyPEM: read("ca-key.pem"))
      let now = Int64(Date().timeIntervalSince1970)
      let old = try authority.issueServer(
        names: ["localhost"], addresses: ["127.0.0.1"], now: now, days: 10)
      for (name, bytes) in [
        ("server-key.pem", old.privateKeyPEM), ("server.pem", old.certificateChainPEM),
      ] {
        try Data(bytes).write(to: URL(filePath: gateway.data + "/" + name))
      }
      gateway.program.signal(SIGHUP)
      try await says(gateway, "reloaded the server's certificates")
      let renewed = try Certificate(pem: read("server.pem")).notAfter
      #expect(renewed >= first)
      // Each loop applies the change in its own turn.
      while try await end(scenario, gateway, trusting: gateway.caFile, name: "localhost") != renewed
      {
        try #require(gateway.program.isRunning)
      }
    }
  }
}
