import Foundation
import Glibc
import TestSupport
import Testing
import Transport

private let app = "com.example.app"

/// Tests of the operator's view of a gateway: its status, and the expiration of certificates.
@Suite(.timeLimit(.minutes(60))) struct GatewayStatusTests {
  @Test func `the status of a gateway tells connections, rates, stores, disk and certificates`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      let sent = try await scenario.belfryCommand(
        ["send", token, "00ff", "--topic", app, "--body", "hello", "--gateway", gateway.file],
        succeeding: false)
      #expect(sent.values.map { $0["status"].integer } == [200, 400])
      _ = try await devices.received()
      let answer = try await scenario.belfryCommand([
        "gateway", "status", "--json", "--data", gateway.data,
      ])
      #expect(answer.lines.count == 1)
      let status = try #require(answer.values.first)
      #expect(status["running"].boolean == true)
      #expect(status["ready"].boolean == true)
      #expect(status["environment"].string == "sandbox")
      #expect(status["data"].string == gateway.data)
      #expect(status["pid"].integer == Int(gateway.program.pid))
      #expect(status["deviceConnections"].integer == 1)
      #expect(status["accepted"].integer == 1)
      #expect(status["refused"].integer == 1)
      for key in [
        "providerConnections", "delivered", "waiting", "upSeconds", "controlStoreBytes",
        "notificationStoreBytes", "diskFreeBytes", "diskTotalBytes", "residentBytes",
      ] {
        #expect(status[key].integer != nil, "\(key) in \(answer.output)")
      }
      for key in [
        "acceptedPerSecond", "refusedPerSecond", "deliveredPerSecond",
      ] {
        #expect(status[key] != .null, "\(key) in \(answer.output)")
      }
      for key in ["at", "startedAt", "authorityEndsAt", "serverCertificateEndsAt"] {
        #expect(status[key].string?.contains("T") == true, "\(key) in \(answer.output)")
      }
      let table = try await scenario.belfryCommand(["gateway", "status", "--data", gateway.data])
      #expect(table.output.contains("1 device,"), "\(table.output)")
      #expect(table.output.contains("1 accepted"), "\(table.output)")
      #expect(table.lines.allSatisfy { $0.count <= 100 })
    }
  }

  @Test func `active faults are shown by the status and by the doctor`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      func belfry(_ words: String...) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(words + ["--data", gateway.data])
      }
      let none = try await belfry("gateway", "status", "--json")
      #expect(none.values.first?["activeFaults"].integer == 0, "\(none.output)")
      let quiet = try await belfry("gateway", "status")
      #expect(!quiet.lines.contains { $0.hasPrefix("faults ") }, "\(quiet.output)")
      _ = try await belfry("fault", "add", "--delay", "1")
      let one = try await belfry("gateway", "status")
      #expect(
        one.output.contains(
          "1 fault is active; show them with 'belfry fault list --data \(gateway.data)'"),
        "\(one.output)")
      _ = try await belfry("fault", "add", "--reason", "BadTopic")
      #expect(try await belfry("gateway", "status").output.contains("2 faults are active"))
      let rows = try await belfry("doctor", "--gateway", "--json").values
      let row = rows.first { $0["feature"].string == "faults" }
      #expect(row?["state"].string == "attention", "\(rows)")
      #expect(row?["detail"].string == "2 faults are active")
      for verb in ["list", "clear"] {
        #expect(
          row?["do"].string?.contains("'belfry fault \(verb) --data \(gateway.data)'") == true)
      }
      _ = try await belfry("fault", "clear")
      let cleared = try await belfry("gateway", "status", "--json")
      #expect(cleared.values.first?["activeFaults"].integer == 0)
    }
  }

  @Test func `the status of a stopped gateway is not that of a copy that uses its ports`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.crash()
      let copy = scenario.folder.file("copy")
      try FileManager.default.copyItem(atPath: gateway.data, toPath: copy)
      let again = try await scenario.restart(gateway)
      let running = try await scenario.belfryCommand(["gateway", "status", "--data", again.data])
      #expect(running.output.contains(again.data), "\(running.output)")
      let stopped = try await scenario.belfryCommand(
        ["gateway", "status", "--data", copy], succeeding: false)
      #expect(stopped.status == 1)
      #expect(stopped.output.isEmpty, "\(stopped.output)")
      #expect(stopped.errors.contains("no gateway is running"), "\(stopped.errors)")
      let doctor = try await scenario.belfryCommand(
        ["doctor", "--gateway", "--data", copy, "--json"], succeeding: false)
      let process = doctor.values.first { $0["feature"].string == "process" }
      #expect(process?["state"].string == "missing", "\(doctor.output)")
    }
  }

  @Test func `without its admin token, a running gateway is not called stopped`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try FileManager.default.removeItem(atPath: gateway.data + "/admin-token")
      for words in [["gateway", "status"], ["device", "list"]] {
        let answer = try await scenario.belfryCommand(
          words + ["--data", gateway.data], succeeding: false)
        #expect(answer.errors.contains("restart the gateway"), "\(answer.errors)")
        #expect(!answer.errors.contains("no gateway is running"), "\(answer.errors)")
      }
      for option in ["--data=", "--ready-file="] {
        let empty = try await scenario.belfryCommand(["gateway", option], succeeding: false)
        #expect(empty.status == 2 && empty.errors.contains("invalid value ''"), "\(empty.errors)")
      }
    }
  }

  @Test func `a watched status continues across a stop and a start of the gateway`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let watch = try scenario.belfry([
        "gateway", "status", "--watch", "--json", "--data", gateway.data,
      ])
      func line(running: Bool) async throws {
        _ = try await watch.line(called: "a status with running \(running)") {
          $0["running"].boolean == running
        }
      }
      try await line(running: true)
      try await gateway.stop()
      try await line(running: false)
      let again = try await scenario.restart(gateway)
      try await line(running: true)
      try await again.stop()
      watch.signal(SIGTERM)
      try await watch.end()
    }
  }

  @Test(arguments: [false, true])
  func `a gateway that is stopped or was killed has no status`(isKilled: Bool) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      if isKilled { try await gateway.crash() } else { try await gateway.stop() }
      let text = try await scenario.belfryCommand(
        ["gateway", "status", "--data", gateway.data], succeeding: false)
      #expect(text.status == 1)
      #expect(text.output.isEmpty)
      #expect(
        text.errors.contains("no gateway is running with the data folder \(gateway.data)"),
        "\(text.errors)")
      let json = try await scenario.belfryCommand(
        ["gateway", "status", "--data", gateway.data, "--json"], succeeding: false)
      #expect(json.status == 1)
      #expect(json.values.first?["running"].boolean == false)
      let nothing = try await scenario.belfryCommand(
        ["gateway", "status", "--data", scenario.folder.file("nothing")], succeeding: false)
      #expect(nothing.status == 1)
      #expect(nothing.errors.contains("no gateway in"))
      #expect(nothing.errors.contains("run the command inside 'belfry test-gateway'"))
      // Reading the status doesn't create a folder.
      #expect(!FileManager.default.fileExists(atPath: scenario.folder.file("nothing")))
    }
  }

  @Test func `a folder that cannot be looked into is not called one without a gateway`()
    async throws
  {
    try await Scenario.run { scenario in
      // Use a link that refers to itself, because no user can open it. Missing permissions on a folder would not stop a
      // test that runs as root.
      let folder = scenario.folder.file("closed")
      try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: folder)
      for words in [
        ["gateway", "status"], ["team", "list"], ["device", "invite"],
        ["backup", scenario.folder.file("copy")], ["doctor", "--gateway"],
      ] {
        let answer = try await scenario.belfryCommand(
          words + ["--data", folder], succeeding: false)
        #expect(answer.status == 1, "\(words)")
        let text = answer.output + answer.errors
        #expect(text.contains("symbolic links"), "\(words): \(text)")
        #expect(!text.contains("no gateway in"), "\(words): \(text)")
      }
    }
  }

  @Test(.requires(.curl))
  func `an authority that ends within a month is in the log and in the metrics`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      #expect(!gateway.program.errors.contains("expires within a month"))
      try await gateway.stop()
      let now = Int64(Date().timeIntervalSince1970)
      let authority = try CertificateAuthority.make(
        commonName: "Example Corporation",
        nameConstraints: .init(hostNames: ["localhost", "apple.com"]), now: now, days: 20)
      try Data(authority.certificatePEM).write(to: URL(filePath: gateway.data + "/ca.pem"))
      try Data(authority.privateKeyPEM).write(to: URL(filePath: gateway.data + "/ca-key.pem"))
      let again = try await scenario.gateway()
      #expect(
        again.program.errors.contains("a certificate expires within a month"),
        "\(again.program.errors)")
      let metrics = try await scenario.command([
        TestTool.curl.required(), "-s", "http://127.0.0.1:\(again.port("console"))/metrics",
      ])
      let end = authority.certificate.notAfter
      for certificate in ["authority", "server"] {
        let sample =
          #"belfry_certificate_end_timestamp_seconds{certificate="\#(certificate)"} \#(end)"#
        #expect(metrics.lines.contains(sample), "\(certificate)")
      }
    }
  }

  @Test(
    .requires(.python, .setpriv), .enabled(if: geteuid() == 0, "only root becomes another user"),
    arguments: [true, false])
  func `the admin token is not sent to another user who has the port of a gateway that is down`(
    listensOn: Bool
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.stop()
      let thief = try scenario.start(
        [
          try TestTool.setpriv.required(), "--reuid=65534", "--clear-groups", "--",
          try TestTool.systemPython.required(), "-c",
          """
          import socket
          def listen():
              return socket.create_server(("127.0.0.1", \(gateway.port("console"))))
          listener = listen()
          print('{"event":"listens"}', flush=True)
          while True:
              connection = listener.accept()[0]
              if not \(listensOn ? "True" : "False"):
                  listener.close()
              print('{"event":"got","bytes":%d}' % len(connection.recv(4096)), flush=True)
              if not \(listensOn ? "True" : "False"):
                  connection.close()
                  listener = listen()
                  print('{"event":"listens"}', flush=True)
          """,
        ], name: "thief")
      _ = try await thief.event("listens")
      for command in [["gateway", "status"], ["gateway", "status", "--json"]] {
        let answer = try await scenario.belfryCommand(
          command + ["--data", gateway.data], succeeding: false)
        #expect(answer.status == 1)
        #expect(answer.errors.contains("admin token was not sent"), "\(answer)")
        #expect(try await thief.event("got")["bytes"].integer == 0)
        if !listensOn { _ = try await thief.event("listens") }
      }
      let doctor = try await scenario.belfryCommand(
        ["doctor", "--gateway", "--json", "--data", gateway.data], succeeding: false)
      let process = doctor.values.first { $0["feature"].string == "process" }
      #expect(doctor.status == 1 && process?["state"].string == "missing", "\(doctor)")
    }
  }

  @Test func `the status command reports a gateway that hangs`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      gateway.program.signal(SIGSTOP)
      let status = try await scenario.belfryCommand(
        ["gateway", "status", "--data", gateway.data], succeeding: false)
      #expect(status.status == 1 && status.errors.contains("no data from"), "\(status)")
      gateway.program.signal(SIGCONT)
    }
  }
}
