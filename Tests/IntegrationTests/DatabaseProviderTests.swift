import Foundation
import Glibc
import TestSupport
import Testing

private let topic = "com.example.app"

/// Tests of provider services that keep their registry in PostgreSQL.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.curl, .initdb))
struct DatabaseProviderTests {
  @Test
  func `a campaign of a provider on PostgreSQL that is killed reaches each device once`()
    async throws
  {
    let count = 200
    try await Scenario.runWithDatabase { scenario, server in
      // The gateway and the provider share the database.
      let gateway = try await scenario.gateway(options: ["--store", server.url])
      let devices = try scenario.devices(
        of: gateway, topics: [topic], options: ["--count", "\(count)"])
      let printed = try await devices.program.output(
        called: "all registrations", within: TestTimeout.long
      ) { lines in lines.count { $0.contains(#""event":"registered""#) } >= count }
      let tokens = printed.compactMap { JSONLine($0)?["token"].string }
      #expect(Set(tokens).count == count)
      func start() async throws -> RegistryProgram {
        try await scenario.registry(
          of: gateway, topic: topic, options: ["--store", server.url])
      }
      let first = try await start()
      let brought = try await scenario.ask(
        first, "/tokens", body: tokens.joined(separator: "\n"))
      #expect(brought.values.first?["added"].integer == count)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"body":"Hello"}}}"#, to: "campaign.json")
      func sending(_ words: [String], until accepted: Int) async throws -> (
        RunningProgram, String
      ) {
        let program = try scenario.belfry(
          ["campaign"] + words + ["--json", "--data", first.data, "--gateway", gateway.file])
        let line = try await program.event("progress") { $0["accepted"].integer ?? 0 >= accepted }
        return (program, try #require(line["id"].string))
      }
      let (sender, id) = try await sending(
        ["send", file, "--rate", "20/s"], until: count / 10)
      try await first.crash()
      #expect(try await sender.end() != 0)
      // Commands open the database of the stopped provider, and can be killed too.
      let status = try await scenario.belfryCommand([
        "campaign", "status", id, "--json", "--data", first.data,
      ])
      #expect(status.values.first?["state"].string == "interrupted", "\(status.output)")
      let (resuming, _) = try await sending(["resume", id], until: count / 5)
      resuming.signal(SIGKILL)
      try await resuming.end()
      let second = try await start()
      let end = try await scenario.belfryCommand([
        "campaign", "resume", id, "--json", "--data", second.data,
      ])
      let last = try #require(end.values.last)
      #expect(last["accepted"].integer == count && last["sent"].integer == count)
      #expect(last["dead"].integer == 0 && last["failed"].integer == 0)
      #expect(last["unknown"].integer == 0)
      let log = try await scenario.belfryCommand(["log", "--json", "--data", gateway.data])
      let receipts = log.values.filter { $0["state"].string == "Received by APNs" }
      let byDevice = Dictionary(grouping: receipts) { $0["device"].integer }
      #expect(byDevice.count == count && byDevice.values.allSatisfy { $0.count == 1 })
      let report = try await scenario.belfryCommand([
        "campaign", "report", id, "--json", "--data", second.data,
      ])
      #expect(report.values.first?["delivered"].integer == count)
      #expect(!FileManager.default.fileExists(atPath: second.data + "/registry.sqlite"))
      #expect(try await second.program.stop() == 0)
    }
  }

  @Test
  func `while the database server is stopped, the provider is not ready, and later it works again`()
    async throws
  {
    try await Scenario.runWithDatabase { scenario, server in
      let gateway = try await scenario.gateway()
      let registry = try await scenario.registry(
        of: gateway, topic: topic, options: ["--store", server.url])
      let curl = try TestTool.curl.required()
      func readiness() async throws -> String {
        try await scenario.command(
          [curl, "--silent", registry.address + "/readyz"]
        ).output
      }
      _ = try await scenario.ask(registry, "/tokens", body: "00ff")
      #expect(try await readiness().contains("fsync = off"), "the test's server does not sync")
      #expect(registry.program.errors.contains("registrations can be lost"))
      try await server.stop()
      try await Scenario.wait("the outage") {
        try await readiness().contains("not ready: cannot use the database")
      }
      try await server.start()
      try await Scenario.wait("the end of the outage") {
        try await readiness().hasPrefix("ok")
      }
      _ = try await scenario.ask(registry, "/tokens", body: "00ee")
      let tokens = try await scenario.ask(registry, "/tokens")
      #expect(tokens.values.map { $0["deviceToken"].string } == ["00ff", "00ee"])
      #expect(registry.program.errors.contains("the database can be used again"))
      #expect(!registry.program.errors.contains("the disk"))
    }
  }

  @Test
  func `a provider refuses a database or a data folder that belongs to another one`() async throws {
    try await Scenario.runWithDatabase { scenario, server in
      let gateway = try await scenario.gateway()
      let store = ["--store", server.url]
      let registry = try await scenario.registry(of: gateway, topic: topic, options: store)
      _ = try await scenario.ask(registry, "/tokens", body: "00ff")
      func start(_ folder: String, _ options: [String], status: Int32 = 1) async throws -> String {
        let result = try await scenario.belfryCommand(
          ["provider", "--data", scenario.folder.file(folder), "--port", "0"] + options,
          succeeding: false)
        #expect(result.status == status)
        return result.errors
      }
      #expect(try await start("other", store).contains("another process is using the database"))
      try await registry.crash()
      #expect(try await start("other", store).contains("a provider with another data folder"))
      #expect(try await start("registry", []).contains("start the provider with --store"))
      // A lost link is created again, because the key shows that the folder and the database belong together.
      let link = registry.data + "/database"
      let kept = try Data(contentsOf: URL(fileURLWithPath: link))
      try FileManager.default.removeItem(atPath: link)
      let again = try await scenario.registry(of: gateway, topic: topic, options: store)
      try await again.crash()
      #expect(try Data(contentsOf: URL(fileURLWithPath: link)) == kept)
      // An empty database stays empty, so that a backup can be restored to it.
      try await server.execute("CREATE DATABASE empty")
      let empty = ["--store", server.url(ofDatabase: "empty")]
      #expect(try await start("registry", empty).contains("restore the database from a backup"))
      #expect(try await server.execute("\\dt", in: "empty").contains("Did not find any relations"))
      let key = registry.data + "/token-key"
      try FileManager.default.moveItem(atPath: key, toPath: key + ".away")
      #expect(try await start("registry", store).contains("restore the key"))
      let plain = try await scenario.registry("plain", of: gateway, topic: topic)
      try await plain.crash()
      let files = try await start("plain", store)
      #expect(files.contains("its data is in registry.sqlite"))
      #expect(files.contains("'belfry store copy sqlite:\(plain.data) \(server.url)'"), "\(files)")
      let secret = try await start(
        "new", ["--store", "postgres://user:secret@host/name"], status: 2)
      #expect(secret.contains("PGPASSFILE") && !secret.contains("secret"))
    }
  }

  @Test
  func `store copy moves a provider to a database, and its tokens and campaigns stay valid`()
    async throws
  {
    try await Scenario.runWithDatabase { scenario, server in
      // The gateway already uses the database to which the provider moves.
      let gateway = try await scenario.gateway(options: ["--store", server.url])
      let devices = try scenario.devices(of: gateway, topics: [topic])
      let token = try await devices.token()
      let registry = try await scenario.registry(of: gateway, topic: topic)
      _ = try await scenario.ask(registry, "/tokens", body: token)
      let tokens = try await scenario.ask(registry, "/tokens").output
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"body":"Hello"}}}"#, to: "campaign.json")
      let draft = try await scenario.belfryCommand([
        "campaign", "send", file, "--draft", "--json", "--data", registry.data, "--gateway",
        gateway.file,
      ])
      let id = try #require(draft.values.last?["id"].string)
      func copy(_ folder: String, succeeding: Bool = false) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          ["store", "copy", "sqlite:" + folder, server.url, "--json"], succeeding: succeeding)
      }
      let neither = try await copy(scenario.folder.file("missing"))
      #expect(neither.status == 1)
      #expect(neither.errors.contains("is not the data folder of a gateway or a provider"))
      #expect(!FileManager.default.fileExists(atPath: scenario.folder.file("missing")))
      let busy = try await copy(registry.data)
      #expect(busy.status == 1 && busy.errors.contains("stop that process"), "\(busy.errors)")
      try await registry.crash()
      // Without the key that belongs to the tokens, nothing is copied.
      let key = registry.data + "/token-key"
      try FileManager.default.moveItem(atPath: key, toPath: key + ".away")
      #expect(try await copy(registry.data).errors.contains("token-key is missing"))
      #expect(!FileManager.default.fileExists(atPath: key))
      try FileManager.default.moveItem(atPath: key + ".away", toPath: key)
      let copied = try await copy(registry.data, succeeding: true)
      var rows: [String: Int] = [:]
      for line in copied.values { rows[line["table"].string ?? ""] = line["rows"].integer }
      #expect(rows["token"] == 1 && rows["campaign"] == 1 && rows["departure"] == 0)
      #expect(!FileManager.default.fileExists(atPath: registry.data + "/registry.sqlite"))
      #expect(try await copy(registry.data).errors.contains("already in the database"))
      let other = try await scenario.registry("other", of: gateway, topic: topic)
      try await other.crash()
      #expect(try await copy(other.data).errors.contains("specify an empty database"))

      let moved = try await scenario.registry(
        of: gateway, topic: topic, options: ["--store", server.url])
      #expect(try await scenario.ask(moved, "/tokens").output == tokens)
      let end = try await scenario.belfryCommand([
        "campaign", "resume", id, "--json", "--data", moved.data,
      ])
      #expect(end.values.last?["accepted"].integer == 1, "\(end.output)")
      _ = try await devices.received()
    }
  }
}
