import Foundation
import TestSupport
import Testing

private let app = "com.example.app"

/// Tests of a real gateway whose stores have a damaged row.
///
/// The gateway never uses the row, and answers requests that might depend on it with a 503 response.
@Suite(.timeLimit(.minutes(60)), .requires(.curl, .python)) struct FlippedBitGatewayTests {
  /// Flips one bit in one column of a table's first row, leaving the checksum unchanged.
  private func damage(
    _ scenario: Scenario, _ file: String, _ table: String, _ column: String
  ) async throws {
    _ = try await scenario.command([
      TestTool.python.required(), "-c",
      """
      import sqlite3, sys
      file, table, column = sys.argv[1:]
      store = sqlite3.connect(file, isolation_level=None)
      value, checksum = store.execute(f"SELECT {column}, checksum FROM {table} LIMIT 1").fetchone()
      # The column follows from this function: it says what was there before.
      store.create_function("row_checksum", -1, lambda *_: checksum, deterministic=True)
      if isinstance(value, int):
          flipped = value ^ 4
      elif isinstance(value, str):
          flipped = chr(ord(value[0]) ^ 1) + value[1:]
      else:
          flipped = bytes([value[0] ^ 8]) + value[1:]
      store.execute(f"UPDATE {table} SET {column} = ? WHERE {column} IS ? AND checksum = ?",
                    (flipped, value, checksum))
      assert store.total_changes == 1
      """, file, table, column,
    ])
  }

  private func metrics(_ scenario: Scenario, _ gateway: GatewayProgram) async throws -> String {
    try await scenario.command([
      TestTool.curl.required(), "-s", "http://127.0.0.1:\(gateway.port("console"))/metrics",
    ]).output
  }

  @Test
  func `A payload with a flipped bit is not delivered, and the damage is reported to the operator`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app], options: ["--count", "2"])
      let tokens = [try await devices.token(), try await devices.token()]
      try await devices.program.stop()
      for (token, text) in zip(tokens, ["account 1111111111", "whole"]) {
        #expect(
          try await scenario.push(text, to: token, through: gateway)["status"].integer == 200)
      }
      try await gateway.stop()
      let file = URL(fileURLWithPath: gateway.data + "/notifications.sqlite")
      var bytes = try Data(contentsOf: file)
      let place = try #require(bytes.range(of: Data("account 1111111111".utf8)))
      bytes[place.lowerBound + 8] ^= 0x08
      try bytes.write(to: file)
      let again = try await scenario.restart(gateway)
      let ready = try await scenario.readiness(of: again)
      #expect(ready.hasPrefix("ready\n"))
      #expect(
        ready.contains(
          "notifications.sqlite had damaged rows, which were set aside (1 of notification)"),
        "\(ready)")
      let back = try scenario.devices(of: again, topics: [app], options: ["--count", "2"])
      _ = try await back.token()
      _ = try await back.token()
      #expect(
        try await scenario.push("new", to: tokens[0], through: again)["status"].integer == 200)
      let texts = [payload(try await back.received()), payload(try await back.received())]
      #expect(!texts.contains { $0.contains("account") }, "\(texts)")
      #expect(texts.contains { $0.contains("whole") } && texts.contains { $0.contains("new") })
      #expect(
        try await metrics(scenario, again)
          .contains("belfry_store_damaged_rows{store=\"notifications.sqlite\"} 1"))
      let rows = try await scenario.belfryCommand([
        "damage", "list", "--data", again.data, "--json",
      ])
      #expect(rows.values.count == 1)
      #expect(rows.values.first?["table"].string == "notification")
      #expect(again.program.errors.contains("damaged rows were set aside"))
      let forgotten = try await scenario.belfryCommand(["damage", "forget", "--data", again.data])
      #expect(forgotten.status == 0)
      #expect(try await scenario.readiness(of: again) == "ready")
    }
  }

  /// A column of the control store, and the answer to a push while its row is set aside.
  struct Column: Sendable, CustomTestStringConvertible {
    let table: String
    let column: String
    var status = 503
    var testDescription: String { "\(table).\(column)" }
  }

  static let columns = [
    Column(table: "registration", column: "state"),
    Column(table: "registration", column: "device"),
    Column(table: "device", column: "key_hash"), Column(table: "device", column: "number"),
    Column(table: "app", column: "keep"), Column(table: "app", column: "bundle_id"),
    Column(table: "app", column: "number"), Column(table: "provider_key", column: "spki"),
    Column(table: "provider_key", column: "id"),
    Column(table: "team", column: "name", status: 200),
  ]

  @Test func `A damaged row of the control store is answered 503 until it is given up`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      try await devices.program.stop()
      try await gateway.stop()
      let control = gateway.data + "/control.sqlite"
      let whole = try Data(contentsOf: URL(fileURLWithPath: control))
      // If the gateway can't read its own key, it generates another key, but providers continue to use their keys.
      let credential = [
        "--key", gateway.keyFile, "--key-id", gateway.keyID, "--team", gateway.teamID,
      ]
      for column in Self.columns {
        for ending in ["-wal", "-shm", "-mark"] {
          try? FileManager.default.removeItem(atPath: control + ending)
        }
        try whole.write(to: URL(fileURLWithPath: control))
        try await damage(scenario, control, column.table, column.column)
        let again = try await scenario.restart(gateway)
        let answer = try await scenario.push(
          "one", to: token, through: again, options: credential)
        #expect(answer["status"].integer == column.status, "\(column): \(answer)")
        if column.status == 503 {
          #expect(answer["reason"].string == "ServiceUnavailable", "\(column): \(answer)")
        }
        let ready = try await scenario.readiness(of: again)
        // At startup, the gateway creates another row for the first team, with the same identifier.
        let isShown = ready.contains("(1 of \(column.table))")
        #expect(isShown == (column.table != "team"), "\(column): \(ready)")
        _ = try await scenario.belfryCommand(["damage", "forget", "--data", again.data])
        let after = try await scenario.push(
          "two", to: token, through: again, options: credential)
        #expect(after["status"].integer != 503, "\(column): \(after)")
        try await again.stop()
      }
    }
  }

  @Test func `An app whose registration is damaged registers again, under a new token`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      try await devices.program.stop()
      try await gateway.stop()
      try await damage(scenario, gateway.data + "/control.sqlite", "registration", "state")
      let again = try await scenario.restart(gateway)
      let back = try scenario.devices(of: again, topics: [app])
      let new = try await back.token()
      #expect(new != token)
      #expect(try await scenario.push("new", to: new, through: again)["status"].integer == 200)
      #expect(payload(try await back.received()).contains("new"))
      let old = try await scenario.push("old", to: token, through: again)
      #expect(old["status"].integer == 410, "\(old)")
      #expect(try await scenario.readiness(of: again) == "ready")
    }
  }
}
