import Foundation
import TestSupport
import Testing

private let app = "com.example.app"

/// Tests of gateways that keep their data in PostgreSQL.
@Suite(.timeLimit(.minutes(60))) struct DatabaseStoreTests {
  private func send(
    _ body: String, to token: String, _ gateway: GatewayProgram, _ scenario: Scenario
  ) async throws -> JSONLine? {
    try await scenario.belfryCommand(
      ["send", token, "--topic", app, "--body", body, "--gateway", gateway.file],
      succeeding: false
    ).values.first
  }

  /// Waits for the next notification, and returns its payload.
  private func payload(_ devices: DevicesProgram) async throws -> String {
    let received = try await devices.received()
    let bytes = received["payload"].string.flatMap { Data(base64Encoded: $0) } ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(.requires(.initdb))
  func `a gateway on PostgreSQL delivers what it accepted before it was killed`() async throws {
    try await Scenario.runWithDatabase { scenario, server in
      let gateway = try await scenario.gateway(options: ["--store", server.url])
      _ = try await scenario.belfryCommand([
        "topic", "add", "--team", gateway.teamID, app, "--keep", "all", "--data", gateway.data,
      ])
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      try await devices.goOffline()
      for number in 1...3 {
        let sent = try await send("number \(number)", to: token, gateway, scenario)
        #expect(sent?["status"].integer == 200)
      }
      let status = try await scenario.belfryCommand([
        "gateway", "status", "--data", gateway.data, "--json",
      ])
      #expect(status.values.first?["database"].string == server.url)
      #expect(status.output.contains("fsync = off"), "the test's server does not sync")
      try await gateway.crash()
      // Commands work on the data of the stopped gateway.
      let topics = try await scenario.belfryCommand([
        "topic", "list", "--data", gateway.data, "--json",
      ])
      #expect(topics.values.map { $0["topic"].string } == [app])
      #expect(!FileManager.default.fileExists(atPath: gateway.data + "/control.sqlite"))

      _ = try await scenario.restart(gateway)
      devices.goOnline()
      for number in 1...3 {
        #expect(try await payload(devices).contains("number \(number)"))
      }
    }
  }

  @Test(.requires(.initdb))
  func `while the database server is stopped, pushes get 503, and later everything works again`()
    async throws
  {
    try await Scenario.runWithDatabase { scenario, server in
      let gateway = try await scenario.gateway(options: ["--store", server.url])
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      try await devices.goOffline()
      #expect(try await send("before", to: token, gateway, scenario)?["status"].integer == 200)
      try await server.stop()
      // A rotation changes files before the database, so it must not begin.
      for rotation in [["ca", "rotate"], ["token-key", "rotate"]] {
        let files = ["ca.pem", "token-keys"].map { gateway.data + "/" + $0 }
        let before = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        let rotated = try await scenario.belfryCommand(
          rotation + ["--data", gateway.data], succeeding: false)
        #expect(rotated.status != 0)
        #expect(try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
      }
      let refused = try await send("refused", to: token, gateway, scenario)
      #expect(refused?["status"].integer == 503)
      #expect(refused?["reason"].string == "ServiceUnavailable")
      try await server.start()
      var accepted = false
      while !accepted {
        accepted = try await send("after", to: token, gateway, scenario)?["status"].integer == 200
      }
      devices.goOnline()
      #expect(try await payload(devices).contains("after"), "the newest one is kept")
      // Nothing of the outage remains, because nothing was lost.
      var status = ""
      repeat {
        status = try await scenario.belfryCommand(
          ["gateway", "status", "--data", gateway.data]
        ).output
      } while status.contains("cannot use the database")
      #expect(status.contains("ready") && !status.contains("not ready"))
      #expect(gateway.program.errors.contains("the database can be used again"))
      #expect(gateway.program.errors.contains("refusedWrites="))
      #expect(!gateway.program.errors.contains("the disk"))
      #expect(!gateway.program.errors.contains("cannot be read"))
      let doctor = try await scenario.belfryCommand(
        ["doctor", "--gateway", "--data", gateway.data], succeeding: false)
      #expect(doctor.output.contains("fsync = off"))
    }
  }

  @Test(.requires(.initdb))
  func `a gateway refuses a database or a data folder that belongs to another one`() async throws {
    try await Scenario.runWithDatabase { scenario, server in
      let gateway = try await scenario.gateway(options: ["--store", server.url])
      func start(_ folder: String, _ options: [String]) async throws -> String {
        let result = try await scenario.belfryCommand(
          ["gateway", "--data", scenario.folder.file(folder), "--console-port", "0"] + options,
          succeeding: false)
        #expect(result.status == 1)
        return result.errors
      }
      let store = ["--store", server.url]
      #expect(try await start("other", store).contains("another process is using the database"))
      try await gateway.crash()
      #expect(try await start("other", store).contains("a gateway with another data folder"))
      // A folder that lost its link is told so, and `--recover` restores the link.
      let link = gateway.data + "/database"
      let kept = try Data(contentsOf: URL(fileURLWithPath: link))
      try FileManager.default.removeItem(atPath: link)
      #expect(try await start("gateway", store).contains("database is missing"))
      #expect(try await start("gateway", []).contains("the file database is missing"))
      let recovered = try await scenario.restart(gateway, options: ["--recover"])
      try await recovered.crash()
      #expect(try Data(contentsOf: URL(fileURLWithPath: link)) == kept)
      // An empty database stays empty, so that a backup can be restored to it.
      let empty = server.url(ofDatabase: "empty")
      try await server.execute("CREATE DATABASE empty")
      #expect(
        try await start("gateway", ["--store", empty]).contains(
          "restore the database from a backup"))
      #expect(try await server.execute("\\dt", in: "empty").contains("Did not find any relations"))
      try await server.execute("CREATE TABLE team (a int)", in: "empty")
      #expect(
        try await start("new", ["--store", empty]).contains("it contains tables of another program")
      )
      try await server.execute("UPDATE belfry_schema SET version = 99")
      #expect(try await start("gateway", store).contains("use the newer release"))
      try await server.execute("UPDATE belfry_schema SET version = 1")
      #expect(try await start("gateway", []).contains("start the gateway with --store"))
      let plain = try await scenario.gateway("plain")
      try await plain.crash()
      let files = try await start("plain", store)
      #expect(files.contains("its data is in control.sqlite"))
      #expect(files.contains("'belfry store copy sqlite:\(plain.data) \(server.url)'"), "\(files)")
      let backup = try await scenario.belfryCommand(
        ["backup", scenario.folder.file("backup.tar"), "--data", gateway.data], succeeding: false)
      #expect(backup.status != 0 && backup.errors.contains("pg_dump"))
    }
  }

  @Test(.requires(.initdb))
  func `store copy moves a gateway to a database, and tokens and stored notifications stay valid`()
    async throws
  {
    try await Scenario.runWithDatabase { scenario, server in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app, "com.example.other"])
      let token = try await devices.token(topic: app)
      _ = try await scenario.belfryCommand([
        "topic", "add", "--team", gateway.teamID, app, "--keep", "all", "--broadcast", "on",
        "--data", gateway.data,
      ])
      _ = try await scenario.belfryCommand([
        "channel", "add", "--app", app, "--data", gateway.data,
      ])
      try await devices.goOffline()
      for number in 1...2 {
        #expect(try await send("\(number)", to: token, gateway, scenario)?["status"].integer == 200)
      }
      let copy = ["store", "copy", "sqlite:" + gateway.data, server.url]
      let bare = try await scenario.belfryCommand(
        ["store", "copy", "restored", server.url], succeeding: false)
      #expect(bare.errors.contains("specify the data folder as sqlite:restored"))
      let busy = try await scenario.belfryCommand(copy, succeeding: false)
      #expect(busy.status == 1 && busy.errors.contains("stop"))
      try await gateway.crash()
      let copied = try await scenario.belfryCommand(copy + ["--json"])
      var rows: [String: Int] = [:]
      for line in copied.values { rows[line["table"].string ?? ""] = line["rows"].integer }
      #expect(rows["notification"] == 2 && rows["device"] == 1 && rows["registration"] == 2)
      #expect(rows["channel"] == 1 && rows["app"] == 2 && rows["progress"] == 1)
      let again = try await scenario.belfryCommand(copy, succeeding: false)
      #expect(again.errors.contains("already in the database"))
      let other = try await scenario.gateway("other")
      try await other.crash()
      let full = try await scenario.belfryCommand(
        ["store", "copy", "sqlite:" + other.data, server.url], succeeding: false)
      #expect(full.errors.contains("specify an empty database"))

      let moved = try await scenario.restart(gateway, options: ["--store", server.url])
      #expect(moved.keyID == gateway.keyID && moved.teamID == gateway.teamID)
      devices.goOnline()
      for number in 1...2 { #expect(try await payload(devices).contains("\(number)")) }
      #expect(try await send("3", to: token, moved, scenario)?["status"].integer == 200)
      #expect(try await payload(devices).contains("3"))
    }
  }

  @Test
  func `a database URL with a password, or of another kind, is refused`() async throws {
    try await Scenario.run { scenario in
      for (url, problem) in [
        ("postgres://", "postgres://USER@HOST/DATABASE"),
        ("postgres://user:secret@host/name", "PGPASSFILE"), ("mysql://host/name", "sqlite:"),
      ] {
        let result = try await scenario.belfryCommand(
          ["gateway", "--data", scenario.folder.file("g"), "--store", url], succeeding: false)
        #expect(result.status == 2)
        #expect(result.errors.contains(problem))
        #expect(!result.errors.contains("secret"))
      }
    }
  }
}
