import Foundation
import TestSupport
import Testing

/// Tests that the current build handles folders and backups of earlier releases (Tests/Fixtures/releases).
@Suite(.timeLimit(.minutes(60))) struct ReleasedFolderTests {
  private static let releases = ["0.1.0"]

  private func unpack(_ scenario: Scenario, _ release: String, _ archive: String) async throws {
    _ = try await scenario.command([
      "tar", "xzf", "\(Installation.root)/Tests/Fixtures/releases/\(release)/\(archive).tar.gz",
      "-C", scenario.folder.path,
    ])
  }

  /// Returns the backup that the release wrote.
  private func backup(_ scenario: Scenario, _ release: String) async throws -> String {
    let file = scenario.folder.file("backup.tar")
    let archive = "\(Installation.root)/Tests/Fixtures/releases/\(release)/gateway-backup.tar.gz"
    _ = try await scenario.command(["/bin/sh", "-c", "gzip -dc '\(archive)' > '\(file)'"])
    return file
  }

  /// Marks the store's file as written by a later release.
  private func makeNewer(_ scenario: Scenario, _ file: String) async throws {
    _ = try await scenario.command([
      TestTool.systemPython.required(), "-c",
      "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version = 99')", file,
    ])
  }

  @Test(arguments: releases)
  func `A release's backup is restored, served, and its tokens are good`(release: String)
    async throws
  {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("gateway")
      let told = try await scenario.belfryCommand([
        "restore", backup(scenario, release), "--data", data,
      ])
      #expect((told.output + told.errors).contains("4 undelivered notifications"), "\(told)")
      let gateway = try await scenario.gateway(options: ["--name", "push.example.org"])
      func list(_ noun: String) async throws -> [JSONLine] {
        try await scenario.belfryCommand([noun, "list", "--json", "--data", data]).values
      }
      #expect(try await list("team").contains { $0["id"].string == "KITCHEN001" })
      let keys = try await list("key")
      #expect(keys.first { $0["id"].string == "KITCHENKEY" }?["revokedAt"].string == nil)
      #expect(keys.first { $0["id"].string == "REVOKEDKEY" }?["revokedAt"].string != nil)
      let apps = try await list("topic").compactMap { $0["topic"].string }
      #expect(Set(apps) == ["com.example.burger", "com.example.adopted"])
      #expect(try await list("device").count == 2)
      let sent = try await scenario.belfryCommand([
        "send", "d360d29c50636a15ef7858bbdf4f3011714dd1c828ff8a1d575dcf72bf58a9c2",
        "76c8ec036966bf42e90a5458ab496fa2ce2bcafd38e3dd3ef7fbeb0bf1354e4d", "--topic",
        "com.example.burger", "--body", "hello", "--gateway", gateway.file, "--key",
        data + "/AuthKey_KITCHENKEY.p8", "--key-id", "KITCHENKEY", "--team", "KITCHEN001",
      ])
      #expect(sent.values.map { $0["status"].integer } == [200, 200])
      try await gateway.stop()
    }
  }

  @Test(arguments: ["control.sqlite", "notifications.sqlite"])
  func `A gateway's folder of a newer release is refused with the file and both schemas`(
    file: String
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.stop()
      try await makeNewer(scenario, gateway.data + "/" + file)
      let start = try await scenario.belfryCommand(
        ["gateway", "--data", gateway.data, "--provider-port", "0"], succeeding: false)
      #expect(start.status == 1)
      #expect(
        start.errors.contains("\(gateway.data)/\(file) has schema version 99"), "\(start.errors)")
      #expect(start.errors.contains("use the newer release"), "\(start.errors)")
      // Commands are also refused; they set nothing aside and create nothing.
      let list = try await scenario.belfryCommand(
        ["team", "list", "--data", gateway.data], succeeding: file != "control.sqlite")
      #expect((list.status == 1) == (file == "control.sqlite"))
      let recovered = try await scenario.belfryCommand(
        ["gateway", "--data", gateway.data, "--provider-port", "0", "--recover"],
        succeeding: false)
      #expect(recovered.status == 1 && recovered.errors.contains("use the newer release"))
      let names = try FileManager.default.contentsOfDirectory(atPath: gateway.data)
      #expect(!names.contains { $0.contains("damaged") || $0.contains("given-up") })
    }
  }

  @Test(arguments: releases)
  func `A release's configuration file is good`(release: String) async throws {
    try await Scenario.run { scenario in
      let file = "\(Installation.root)/Tests/Fixtures/releases/\(release)/gateway.yaml"
      let answer = try await scenario.belfryCommand(["gateway", "check-config", file])
      #expect(answer.output.contains("is valid"))
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.split(separator: "\n").count > 25)
    }
  }

  /// Tests a notification that has become due since the release.
  ///
  /// `tea` repeats each day at 18:00, so it is due regardless of today's date. The notification is shown once at
  /// startup, and its next occurrence is pending.
  @Test(arguments: releases)
  func `An agent continues with an earlier release's settings, pending and delivered notifications`(
    release: String
  ) async throws {
    try await Scenario.run { scenario in
      try await unpack(scenario, release, "agent")
      let data = scenario.folder.file("agent")
      let socket = scenario.folder.file("agent.sock")
      let words = [
        "agent", "--data", data, "--socket", socket, "--gateway", "none", "--presenter", "json",
        "--ready-file", scenario.folder.file("ready"),
      ]
      let agent = try scenario.belfry(words)
      _ = try await ScratchFolder.contents(of: scenario.folder.file("ready")) { !agent.isRunning }
      #expect(try await agent.event("presented")["id"].string == "tea")
      let pending = try await scenario.belfryCommand([
        "notify", "list", "--json", "--socket", socket,
      ])
      #expect(pending.values.map { $0["id"].string } == ["tea"])
      let delivered = try await scenario.belfryCommand(["center", "--json", "--socket", socket])
      #expect(delivered.values.map { $0["id"].string } == ["milk", "tea"])
      #expect(!agent.untaken.contains { $0["event"].string == "presented" })
      let settings = try await scenario.belfryCommand([
        "settings", "com.example.tea", "--json", "--socket", socket,
      ])
      #expect(settings.values.first?["sound"].string == "off", "\(settings.output)")
      #expect(settings.values.first?["alert"].string == "on", "\(settings.output)")
      try await agent.stop()
      try await makeNewer(scenario, data + "/agent.sqlite")
      let newer = try await scenario.belfryCommand(words, succeeding: false)
      #expect(newer.status == 1)
      #expect(
        newer.errors.contains("\(data)/agent.sqlite has schema version 99"), "\(newer.errors)")
    }
  }

  @Test(arguments: releases)
  func `A registry continues with the tokens and campaigns of an earlier release`(release: String)
    async throws
  {
    try await Scenario.run { scenario in
      try await unpack(scenario, release, "provider")
      let data = scenario.folder.file("provider")
      let ready = scenario.folder.file("ready")
      let words = [
        "provider", "--data", data, "--port", "0", "--ready-file", ready, "--topic",
        "com.example.burger",
      ]
      let provider = try scenario.belfry(words)
      _ = try await ScratchFolder.contents(of: ready) { !provider.isRunning }
      let campaigns = try await scenario.belfryCommand([
        "campaign", "status", "--json", "--data", data,
      ])
      #expect(campaigns.values.map { $0["id"].string } == ["015caec5c45d"], "\(campaigns.output)")
      #expect(campaigns.values.first?["state"].string == "paused")
      #expect(campaigns.values.first?["devices"].integer == 2)
      try await provider.stop()
      try await makeNewer(scenario, data + "/registry.sqlite")
      let newer = try await scenario.belfryCommand(words, succeeding: false)
      #expect(newer.status == 1)
      #expect(
        newer.errors.contains("\(data)/registry.sqlite has schema version 99"), "\(newer.errors)")
    }
  }
}
