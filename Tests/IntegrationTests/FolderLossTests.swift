import Foundation
import Glibc
import TestSupport
import Testing

private let app = "com.example.app"

extension Scenario {
  /// Returns the answer of a gateway's readiness probe.
  func readiness(of gateway: GatewayProgram) async throws -> String {
    try await command([
      TestTool.curl.required(), "-s", "http://127.0.0.1:\(gateway.port("console"))/readyz",
    ]).output
  }

  /// Starts a gateway on a damaged folder, and returns its error output and its exit status.
  func refusedStart(in data: String) async throws -> (errors: String, status: Int32) {
    let ports = ["provider", "device", "binary", "feedback", "console"].flatMap {
      ["--\($0)-port", "0"]
    }
    let program = try belfry(["gateway", "--data", data] + ports)
    let status = try await program.end()
    return (program.errors, status)
  }
}

/// Tests of a gateway whose folder has lost a file, a write-ahead file, or a page.
///
/// The gateway reports the loss and continues with the rest.
@Suite(.timeLimit(.minutes(60)), .requires(.curl)) struct FolderLossTests {
  private func remove(_ names: [String], of gateway: GatewayProgram) {
    for name in names { try? FileManager.default.removeItem(atPath: gateway.data + "/" + name) }
  }

  /// Creates offline devices, each with a waiting push, and returns their tokens.
  private func devicesWithPushes(
    _ scenario: Scenario, _ gateway: GatewayProgram, count: Int, padding: Int = 0
  ) async throws -> [String] {
    let devices = try scenario.devices(
      of: gateway, topics: [app], options: ["--count", "\(count)"])
    var tokens: [String] = []
    for _ in 0..<count { tokens.append(try await devices.token()) }
    try await devices.program.stop()
    let text = "waiting " + String(repeating: "x", count: padding)
    let sent = try await scenario.belfryCommand(
      ["send"] + tokens + ["--topic", app, "--body", text, "--gateway", gateway.file])
    #expect(sent.values.allSatisfy { $0["status"].integer == 200 })
    return tokens
  }

  @Test(arguments: [
    ("control.sqlite", "devices enroll again"), ("notifications.sqlite", "not been delivered yet"),
    ("ca-key.pem", "the new ca.pem"), ("ca.pem", "the new ca.pem"),
    ("token-keys", "BadDeviceToken"),
  ])
  func `a file that is missing or empty ends the start, and --recover says what is given up`(
    name: String, loss: String
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.stop()
      let file = gateway.data + "/" + name
      remove([name, name + "-wal", name + "-shm"], of: gateway)
      let missing = try await scenario.refusedStart(in: gateway.data)
      #expect(missing.status == 1)
      #expect(missing.errors.contains("\(file) is missing"), "\(missing.errors)")
      #expect(missing.errors.contains("--recover"))
      #expect(missing.errors.contains(loss))
      #expect(!FileManager.default.fileExists(atPath: file), "a refused start creates nothing")
      try Data().write(to: URL(fileURLWithPath: file))
      let empty = try await scenario.refusedStart(in: gateway.data)
      #expect(empty.status == 1)
      #expect(empty.errors.contains("\(file) is empty"), "\(empty.errors)")
      let recovered = try await scenario.restart(gateway, options: ["--recover"])
      #expect(recovered.program.errors.contains(loss), "\(recovered.program.errors)")
      #expect(try await scenario.readiness(of: recovered).contains(loss))
      try await recovered.stop()
      let again = try await scenario.restart(gateway)
      #expect(
        !(try await scenario.readiness(of: again).contains(loss)), "the loss is reported only once")
    }
  }

  @Test
  func `every lost file is named before anything is given up, by the start and by the doctor`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.stop()
      let doctor = ["doctor", "--gateway", "--data", gateway.data, "--json"]
      func rows() async throws -> [String: JSONLine] {
        var rows: [String: JSONLine] = [:]
        for row in try await scenario.belfryCommand(doctor, succeeding: false).values {
          rows[row["feature"].string ?? ""] = row
        }
        return rows
      }
      let whole = try await rows()
      #expect(whole["required files"]?["state"].string == "ok", "\(whole)")
      #expect(whole["process"]?["do"].string?.hasPrefix("start the gateway with") == true)
      remove(["control.sqlite", "control.sqlite-wal", "token-keys"], of: gateway)
      try Data().write(to: URL(fileURLWithPath: gateway.data + "/ca.pem"))
      let refused = try await scenario.refusedStart(in: gateway.data)
      for part in [
        "/control.sqlite is missing", "/token-keys is missing", "/ca.pem is empty",
        "restore them from a backup", "apps get new tokens", "the new ca.pem", "BadDeviceToken",
      ] {
        #expect(refused.errors.contains(part), "\(refused.errors)")
      }
      let lost = try await rows()
      let row = try #require(lost["required files"])
      #expect(row["state"].string == "missing")
      let detail = row["detail"].string ?? ""
      #expect(
        detail.hasPrefix("control.sqlite is missing, ca.pem is empty, token-keys is missing"),
        "\(detail)")
      #expect(row["do"].string?.contains("--recover") == true, "\(row)")
      // No other finding has a remedy that fails.
      for (feature, row) in lost where row["state"].string == "missing" {
        let remedy = row["do"].string ?? ""
        #expect(
          feature == "required files" || remedy.hasPrefix("see 'required files'"), "\(row)")
      }
      #expect(lost["provider key"] == nil)
    }
  }

  @Test
  func `a store whose beginning is damaged ends the start, and --recover keeps it aside`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.stop()
      let file = gateway.data + "/notifications.sqlite"
      try overwrite(file, at: 0)
      let refused = try await scenario.refusedStart(in: gateway.data)
      #expect(refused.status == 1)
      #expect(refused.errors.contains(file) && refused.errors.contains("--recover"))
      let recovered = try await scenario.restart(gateway, options: ["--recover"])
      #expect(recovered.program.errors.contains("creating it again; lost: "))
      let names = try FileManager.default.contentsOfDirectory(atPath: gateway.data)
      #expect(names.contains { $0.hasPrefix("notifications.sqlite.given-up-") }, "\(names)")
    }
  }

  @Test
  func
    `a write-ahead file that is missing after a kill is reported with the number of lost entries`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      _ = try await devicesWithPushes(scenario, gateway, count: 12)
      try await gateway.crash()
      remove(["notifications.sqlite-wal", "notifications.sqlite-shm"], of: gateway)
      let after = try await scenario.restart(gateway)
      let told = "notifications.sqlite lost its last 12 notifications"
      #expect(after.program.errors.contains(told), "\(after.program.errors)")
      #expect(try await scenario.readiness(of: after).contains(told))
      try await after.crash()
      remove(["control.sqlite-wal", "control.sqlite-shm"], of: gateway)
      let without = try await scenario.restart(gateway)
      #expect(without.program.errors.contains("control.sqlite lost its last"))
      try await without.stop()
      let again = try await scenario.restart(gateway)
      #expect(try await scenario.readiness(of: again) == "ready")
    }
  }

  @Test func `a stop and a kill with all files there are no loss`() async throws {
    try await Scenario.run { scenario in
      var gateway = try await scenario.gateway()
      let tokens = try await devicesWithPushes(scenario, gateway, count: 5)
      try await gateway.stop()
      #expect(
        !FileManager.default.fileExists(atPath: gateway.data + "/notifications.sqlite-wal"),
        "a graceful stop removes the write-ahead file")
      for index in 0..<3 {
        gateway = try await scenario.restart(gateway)
        #expect(try await scenario.readiness(of: gateway) == "ready")
        let answer = try await scenario.push("\(index)", to: tokens[0], through: gateway)
        #expect(answer["status"].integer == 200)
        try await gateway.crash()
      }
      gateway = try await scenario.restart(gateway)
      #expect(try await scenario.readiness(of: gateway) == "ready")
    }
  }

  @Test func `the rows of a damaged page are set aside, and the rest are delivered`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let count = 40
      _ = try await devicesWithPushes(scenario, gateway, count: count, padding: 700)
      try await gateway.stop()
      let file = gateway.data + "/notifications.sqlite"
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      let place = try #require(bytes.range(of: Data("waiting xxx".utf8), in: 40_000..<bytes.count))
      try overwrite(file, at: place.lowerBound / 4_096 * 4_096)
      let again = try await scenario.restart(gateway)
      let errors = again.program.errors
      #expect(errors.contains("notifications.sqlite was damaged"), "\(errors)")
      #expect(try await scenario.readiness(of: again).contains("set aside in"))
      let names = try FileManager.default.contentsOfDirectory(atPath: gateway.data)
      #expect(names.contains { $0.hasPrefix("notifications.sqlite.damaged-") }, "\(names)")
      let devices = try scenario.devices(
        of: again, topics: [app], options: ["--count", "\(count)"])
      // At most five of these rows fit on the damaged page of 4 KB.
      for _ in 0..<(count - 5) { _ = try await devices.received() }
      for _ in 0..<count { _ = try await devices.token() }
      try await again.stop()
      let third = try await scenario.restart(gateway)
      let ready = try await scenario.readiness(of: third)
      // A row remains set aside until an operator discards it.
      #expect(ready.hasPrefix("ready\nnotice: notifications.sqlite had damaged rows"), "\(ready)")
    }
  }

  @Test(arguments: [0.3, 0.5, 0.8])
  func `a damaged page of the control store costs rows, not the start`(place: Double) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let count = 200
      _ = try await devicesWithPushes(scenario, gateway, count: count)
      try await gateway.stop()
      let file = gateway.data + "/control.sqlite"
      let size = try #require(
        FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
      try overwrite(file, at: Int(Double(size / 4_096) * place) * 4_096)
      let again = try await scenario.restart(gateway)
      #expect(again.program.errors.contains("control.sqlite was damaged"))
      #expect(try await scenario.readiness(of: again).contains("set aside in"))
      // A device whose row is lost enrolls again automatically.
      let devices = try scenario.devices(
        of: again, topics: [app], options: ["--count", "\(count)"])
      for _ in 0..<count { _ = try await devices.token() }
    }
  }

  @Test func `a truncated or foreign delivery log costs log lines but refuses no pushes`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--loops", "1"])
      let log = gateway.data + "/delivery-log.0"
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      #expect(truncate(log, 0) == 0)
      let answer = try await scenario.push("with a cut log", to: token, through: gateway)
      #expect(answer["status"].integer == 200)
      _ = try await devices.received()
      #expect(truncate(log, 70_000) == 0)
      let next = try await scenario.push("once more", to: token, through: gateway)
      #expect(next["status"].integer == 200)
      let lines = try await scenario.belfryCommand(["log", "--data", gateway.data, "--json"])
      #expect(lines.values.contains { $0["state"].string == "Delivered to Device" })
      try await gateway.stop()
      for foreign in [Data("not a log".utf8), Data(count: 5_000_000)] {
        try foreign.write(to: URL(fileURLWithPath: log))
        let kept = try await scenario.belfryCommand(["log", "--data", gateway.data])
        #expect(kept.status == 0)
        let again = try await scenario.restart(gateway)
        let answer = try await scenario.push("and again", to: token, through: again)
        #expect(answer["status"].integer == 200)
        try await again.stop()
      }
    }
  }

  private func overwrite(_ file: String, at offset: Int) throws {
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
    try handle.close()
  }
}
