import Foundation
import TestSupport
import Testing

private let app = "com.example.app"

/// Tests of several gateways that share a real PostgreSQL database and a real NATS server.
@Suite(.timeLimit(.minutes(60))) struct ClusterTests {
  /// A database, a bus, and the key of a cluster.
  private struct Site {
    let scenario: Scenario
    let database: PostgresProgram
    let bus: NATSProgram
    let keyFile: String

    /// Starts a node, on the ports of another one if `place` is given.
    func node(
      _ name: String, in place: GatewayProgram? = nil, options: [String] = []
    ) async throws -> GatewayProgram {
      let options =
        [
          "--store", database.url, "--bus", bus.url, "--cluster-key", keyFile, "--node", name,
          "--loops", "2",
        ] + options
      guard let place else { return try await scenario.gateway(name, options: options) }
      return try await scenario.gateway(name, on: place, options: options)
    }

    func send(
      _ body: String, to token: String, _ gateway: GatewayProgram, _ options: [String] = []
    ) async throws -> JSONLine? {
      try await scenario.belfryCommand(
        ["send", token, "--topic", app, "--body", body, "--gateway", gateway.file] + options,
        succeeding: false
      ).values.first
    }
  }

  private func withCluster(_ body: @escaping (Site) async throws -> Void) async throws {
    try await Scenario.runWithDatabase { scenario, database in
      let bus = try await NATSProgram()
      let site = Site(
        scenario: scenario, database: database, bus: bus,
        keyFile: scenario.folder.file("cluster-key"))
      _ = try await scenario.belfryCommand([
        "cluster", "init", "--store", database.url, "--cluster-key", site.keyFile,
      ])
      // The bus is killed when it is released.
      try await body(site)
    }
  }

  /// Waits for the next notification, and returns its payload.
  private func payload(_ devices: DevicesProgram) async throws -> String {
    let received = try await devices.received()
    let bytes = received["payload"].string.flatMap { Data(base64Encoded: $0) } ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  private func keepAll(_ gateway: GatewayProgram, _ scenario: Scenario) async throws {
    _ = try await scenario.belfryCommand([
      "topic", "add", "--team", gateway.teamID, app, "--keep", "all", "--data", gateway.data,
    ])
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `any node accepts pushes for a device of any other node, connected or not`() async throws {
    try await withCluster { site in
      let (one, two) = (try await site.node("one"), try await site.node("two"))
      #expect(one.keyID == two.keyID && one.teamID == two.teamID)
      #expect(one.enrollmentCode == two.enrollmentCode)
      #expect(one.ready["node"].string == "one" && two.ready["node"].string == "two")
      try await keepAll(one, site.scenario)
      let devices = try site.scenario.devices(of: one, topics: [app])
      let token = try await devices.token()
      for expiration in ["0", "1900000000"] {
        let sent = try await site.send(
          "through two \(expiration)", to: token, two, ["--expiration", expiration])
        #expect(sent?["status"].integer == 200, "\(String(describing: sent))")
        #expect(try await payload(devices).contains("through two \(expiration)"))
      }
      try await devices.goOffline()
      for (number, node) in [two, one, two].enumerated() {
        let sent = try await site.send("stored \(number)", to: token, node)
        #expect(sent?["status"].integer == 200, "\(String(describing: sent))")
      }
      devices.goOnline()
      for number in 0..<3 {
        #expect(try await payload(devices).contains("stored \(number)"))
      }
      let nodes = try await site.scenario.belfryCommand([
        "node", "list", "--data", two.data, "--json",
      ]).values
      #expect(nodes.map { $0["node"].string } == ["one", "two"])
      #expect(nodes.allSatisfy { $0["up"].boolean == true })
      // The log of both nodes contains the pushes whose device was connected to the first one.
      var logs: [[JSONLine]] = []
      for node in [one, two] {
        let log = try await site.scenario.belfryCommand([
          "log", token, "--data", node.data, "--json",
        ])
        logs.append(log.values)
      }
      #expect(logs[0].count { $0["state"].string == "Delivered (From Storage)" } == 3)
      #expect(logs[0].map { $0["uniqueID"].string } == logs[1].map { $0["uniqueID"].string })
      let list = try await site.scenario.belfryCommand([
        "device", "list", "--data", two.data, "--json",
      ]).values
      #expect(list.map { $0["up"].boolean } == [true], "device list asks every node")
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `the log and the list of devices name a node that does not answer`() async throws {
    try await withCluster { site in
      let (one, two) = (try await site.node("one"), try await site.node("two"))
      try await two.crash()
      let log = try await site.scenario.belfryCommand(["log", "--data", one.data])
      #expect(log.errors.contains("the nodes did not answer: two"), "\(log.errors)")
      let devices = try await site.scenario.belfryCommand(["device", "list", "--data", one.data])
      #expect(devices.errors.contains("the nodes did not answer: two"), "\(devices.errors)")
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `the log and the list of devices name a node that was drained`() async throws {
    try await withCluster { site in
      let (one, two) = (try await site.node("one"), try await site.node("two"))
      let devices = try site.scenario.devices(of: two, topics: [app])
      let token = try await devices.token()
      let sent = try await site.send("before", to: token, one)
      #expect(sent?["status"].integer == 200, "\(String(describing: sent))")
      #expect(try await payload(devices).contains("before"))
      let before = try await site.scenario.belfryCommand(["log", token, "--data", one.data])
      #expect(before.errors.isEmpty, "\(before.errors)")
      _ = try await site.scenario.belfryCommand(["node", "drain", "two", "--data", one.data])
      #expect(try await two.program.end() == 0)
      for words in [["log", token], ["device", "list"]] {
        let answer = try await site.scenario.belfryCommand(words + ["--data", one.data])
        #expect(answer.errors.contains("the nodes are not running: two"), "\(answer.errors)")
      }
      let keys = try await site.scenario.belfryCommand(["key", "list", "--data", one.data])
      #expect(keys.errors.isEmpty, "the store has the whole list: \(keys.errors)")
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `while a revocation waits for a node that was killed, other commands are carried out`()
    async throws
  {
    try await withCluster { site in
      let lease = ["--lease", "20"]
      let one = try await site.node("one", options: lease)
      let two = try await site.node("two", options: lease)
      let key = try await site.scenario.belfryCommand([
        "key", "add", "--team", one.teamID, "--out", site.scenario.folder.file("second.p8"),
        "--data", one.data, "--json",
      ]).values.first?["id"].string
      let keyID = try #require(key)
      try await two.crash()
      async let revocation = site.scenario.belfryCommand([
        "key", "revoke", keyID, "--data", one.data,
      ])
      let other = try await site.scenario.belfryCommand([
        "key", "list", "--data", one.data, "--json",
      ])
      let keys = other.values.map { $0["id"].string }
      #expect(keys.contains(keyID))
      let started = ContinuousClock.now
      _ = try await site.scenario.belfryCommand(["device", "list", "--data", one.data])
      #expect(
        ContinuousClock.now - started < .seconds(15), "the command did not wait for the lease")
      let revoked = try await revocation
      #expect(revoked.errors.contains("still waiting for the response"), "\(revoked.errors)")
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `after a node was killed, its device gets everything from another node`() async throws {
    try await withCluster { site in
      let (one, two) = (try await site.node("one"), try await site.node("two"))
      try await keepAll(one, site.scenario)
      let devices = try site.scenario.devices(of: one, topics: [app])
      let token = try await devices.token()
      #expect(try await site.send("before", to: token, one)?["status"].integer == 200)
      #expect(try await payload(devices).contains("before"))
      try await one.crash()
      let sent = try await site.send("after", to: token, two)
      #expect(sent?["status"].integer == 200, "\(String(describing: sent))")
      // The device knows only the address of the first node, which a third one takes over.
      _ = try await site.node("three", in: one)
      #expect(try await payload(devices).contains("after"))
      #expect(try await site.send("again", to: token, two)?["status"].integer == 200)
      #expect(try await payload(devices).contains("again"))
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `while the bus is absent, a device gets pushes of other nodes from the database`()
    async throws
  {
    try await withCluster { site in
      let (one, two) = (try await site.node("one"), try await site.node("two"))
      try await keepAll(one, site.scenario)
      let devices = try site.scenario.devices(of: one, topics: [app])
      let token = try await devices.token()
      #expect(try await site.send("with", to: token, two)?["status"].integer == 200)
      #expect(try await payload(devices).contains("with"))
      try await site.bus.kill()
      for number in 1...3 {
        let sent = try await site.send("without \(number)", to: token, two)
        #expect(sent?["status"].integer == 200, "\(String(describing: sent))")
        #expect(try await payload(devices).contains("without \(number)"))
      }
      let status = try await site.scenario.belfryCommand(["gateway", "status", "--data", two.data])
      #expect(status.output.contains("the bus is absent"), "\(status.output)")
      let lost = "two, not connected to the bus \(site.bus.url)"
      #expect(status.output.contains(lost), "\(status.output)")
      let doctor = try await site.scenario.belfryCommand(
        ["doctor", "--gateway", "--data", two.data, "--json"], succeeding: false)
      let finding = try #require(doctor.values.first { $0["feature"].string == "cluster" })
      #expect(finding["detail"].string == "node \(lost)" && finding["state"].string == "attention")
      // Node two has claimed the device, which may still be connected to node one: a push that is not stored is refused,
      // or delivered by the node that has claimed the device back.
      let once = try await site.send("once", to: token, two, ["--expiration", "0"])
      #expect(once?["status"].integer == 503, "\(String(describing: once))")
      try await site.bus.start()
      // Node two has not been told that node one has claimed the device back, so it asks the database.
      var late: JSONLine?
      repeat {
        late = try await site.send("now or never", to: token, two, ["--expiration", "0"])
      } while late?["status"].integer == 503
      #expect(late?["status"].integer == 200, "\(String(describing: late))")
      #expect(try await payload(devices).contains("now or never"))
      #expect(try await site.send("later", to: token, two)?["status"].integer == 200)
      #expect(try await payload(devices).contains("later"))
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `a start under the name of a running node that must fail does not stop that node`()
    async throws
  {
    try await withCluster { site in
      let one = try await site.node("one")
      let failed = try await site.scenario.belfryCommand(
        [
          "gateway", "--data", site.scenario.folder.file("second"), "--store", site.database.url,
          "--bus", site.bus.url, "--cluster-key", site.keyFile, "--node", "one",
          "--provider-port", "\(one.port("provider"))", "--device-port", "0", "--binary-port", "0",
          "--feedback-port", "0", "--console-port", "0",
        ], succeeding: false)
      #expect(failed.status == 1 && failed.errors.contains("is in use by another program"))
      let nodes = try await site.scenario.belfryCommand(["node", "list", "--data", one.data])
      #expect(nodes.output.contains("one "))
      #expect(one.program.isRunning)
      let copy = site.scenario.folder.file("key-of-nothing")
      for (text, advice) in [
        (nil, "create a cluster with 'belfry cluster init'"),
        ("wrong", "copy the cluster key of another node"),
      ] as [(String?, String)] {
        try text?.write(toFile: copy, atomically: true, encoding: .utf8)
        let keyless = try await site.scenario.belfryCommand(
          [
            "gateway", "--data", site.scenario.folder.file("keyless-\(text ?? "")"), "--store",
            site.database.url, "--bus", site.bus.url, "--cluster-key", copy, "--node", "three",
            "--provider-port", "0", "--device-port", "0", "--binary-port", "0",
            "--feedback-port", "0", "--console-port", "0",
          ], succeeding: false)
        #expect(keyless.status == 1 && keyless.errors.contains(advice), "\(keyless.errors)")
      }
      // Without the bus, a gateway would change keys that the nodes do not learn of.
      try await one.crash()
      let single = try await site.scenario.belfryCommand(
        ["gateway", "--data", one.data, "--store", site.database.url, "--console-port", "0"],
        succeeding: false)
      #expect(single.status == 1 && single.errors.contains("start the gateway with --bus"))
      let offline = try await site.scenario.belfryCommand(
        ["token-key", "rotate", "--data", one.data], succeeding: false)
      #expect(offline.status == 1 && offline.errors.contains("run commands on a running node"))
      #expect(!offline.errors.contains("check the gateway's log"), "\(offline.errors)")
      // The operator must not stop the node that is still running.
      let two = try await site.node("two")
      let elsewhere = try await site.scenario.belfryCommand(
        ["topic", "list", "--data", one.data], succeeding: false)
      #expect(elsewhere.status == 1)
      #expect(
        elsewhere.errors.contains("run the command on the gateway that is running"),
        "\(elsewhere.errors)")
      #expect(two.program.isRunning)
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `a node whose start fails is not a member, and its folder and its database are unchanged`()
    async throws
  {
    try await withCluster { site in
      let one = try await site.node("one")
      let (files, data) = (FileManager.default, site.scenario.folder.file("three"))
      let otherKey = site.scenario.folder.file("other-key")
      try (String(repeating: "0", count: 64) + "\n").write(
        toFile: otherKey, atomically: true, encoding: .utf8)
      let empty = site.database.url(ofDatabase: "empty")
      try await site.database.execute("CREATE DATABASE empty")
      func start(
        in database: String, key: String
      ) async throws -> String {
        let failed = try await site.scenario.belfryCommand(
          [
            "gateway", "--data", data, "--store", database, "--bus", site.bus.url,
            "--cluster-key", key, "--node", "three", "--provider-port", "0", "--device-port", "0",
            "--binary-port", "0", "--feedback-port", "0", "--console-port", "0",
          ], succeeding: false)
        #expect(failed.status == 1, "\(failed.errors)")
        return failed.errors
      }
      let mistyped = try await start(in: empty, key: site.keyFile)
      #expect(mistyped.contains("does not contain a cluster: correct --store"), "\(mistyped)")
      #expect(
        try await site.database.execute("\\dt", in: "empty").contains("Did not find any relations"))
      let undecryptable = try await start(in: site.database.url, key: otherKey)
      #expect(undecryptable.contains("cannot decrypt the cluster's keys"), "\(undecryptable)")
      #expect(!files.fileExists(atPath: data + "/database"))
      let members = "SELECT name FROM node WHERE name = 'three'"
      #expect(try await site.database.execute(members).contains("(0 rows)"))
      // This file is read only after the node has joined the cluster.
      let token = data + "/admin-token"
      try files.createDirectory(atPath: data, withIntermediateDirectories: true)
      try "short\n".write(toFile: token, atomically: true, encoding: .utf8)
      let late = try await start(in: site.database.url, key: site.keyFile)
      try files.removeItem(atPath: token)
      #expect(late.contains("admin-token"), "\(late)")
      #expect(try await site.database.execute(members + " AND ended").contains("(1 row)"))
      let nodes = try await site.scenario.belfryCommand(["node", "list", "--data", one.data])
      #expect(!nodes.output.contains("three") && nodes.output.contains("one "), "\(nodes.output)")
      let three = try await site.node("three")
      #expect(three.ready["node"].string == "three", "the folder can be used")
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `a node that another gateway replaces names itself and the option`() async throws {
    try await withCluster { site in
      let one = try await site.node("one")
      let options = [
        "--store", site.database.url, "--bus", site.bus.url, "--cluster-key", site.keyFile,
        "--node", "one",
      ]
      let second = try await site.scenario.gateway("second", options: options)
      #expect(try await one.program.end() == 1)
      #expect(
        one.program.errors.contains("another gateway was started with --node one"),
        "\(one.program.errors)")
      #expect(
        one.program.errors.components(separatedBy: "the gateway stops").count == 2,
        "the reason is printed once: \(one.program.errors)")
      let two = try await site.node("two")
      try await two.stop()
      let drained = try await site.scenario.belfryCommand(
        ["node", "drain", "two", "--data", second.data], succeeding: false)
      #expect(
        drained.errors.contains("the node two is not running: see 'belfry node list'"),
        "\(drained.errors)")
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `while the database is absent, what is refused is not delivered`() async throws {
    try await withCluster { site in
      let one = try await site.node("one")
      try await keepAll(one, site.scenario)
      let devices = try site.scenario.devices(of: one, topics: [app])
      let token = try await devices.token()
      #expect(try await site.send("before", to: token, one)?["status"].integer == 200)
      #expect(try await payload(devices).contains("before"))
      try await site.database.stop()
      // The gateway learns of the outage from its first write.
      var refused: JSONLine?
      repeat {
        refused = try await site.send("probe", to: token, one)
      } while refused?["status"].integer == 200
      #expect(refused?["status"].integer == 503, "\(String(describing: refused))")
      let second = try await site.send("refused", to: token, one)
      #expect(second?["status"].integer == 503, "\(String(describing: second))")
      let once = try await site.send("once", to: token, one, ["--expiration", "0"])
      #expect(once?["status"].integer == 200, "\(String(describing: once))")
      var next = ""
      repeat { next = try await payload(devices) } while next.contains("probe")
      #expect(next.contains("once"))
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `while the database is absent, the log contains the lines of every node`() async throws {
    try await withCluster { site in
      let (one, two) = (try await site.node("one"), try await site.node("two"))
      let devices = try site.scenario.devices(of: one, topics: [app])
      let token = try await devices.token()
      #expect(try await site.send("before", to: token, one)?["status"].integer == 200)
      #expect(try await payload(devices).contains("before"))
      func log() async throws -> Scenario.CommandResult {
        try await site.scenario.belfryCommand(["log", token, "--data", two.data, "--json"])
      }
      let before = try await log()
      #expect(before.values.contains { $0["state"].string == "Delivered to Device" })
      try await site.database.stop()
      let during = try await log()
      #expect(during.values == before.values && during.errors.isEmpty, "\(during)")
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer), .requires(.curl))
  func `the last node that is running is drained only by force`() async throws {
    try await withCluster { site in
      let (one, two) = (try await site.node("one"), try await site.node("two"))
      let token = try #require(one.ready["adminTokenFile"].string)
      func drain(_ name: String) async throws -> String {
        try await site.scenario.command([
          "/bin/sh", "-c",
          #""$1" -s -X DELETE -H "authorization: Bearer $(cat "$2")" "$3""#, "sh",
          TestTool.curl.required(), token,
          "http://127.0.0.1:\(one.port("console"))/api/nodes/\(name)?force=0",
        ]).output
      }
      #expect(try await drain("two") == "")
      #expect(try await two.program.end() == 0)
      let refused = try await drain("one")
      #expect(refused.contains("one is the only node that is running"), "\(refused)")
      #expect(refused.contains("use --force") && one.program.isRunning)
      // Without a terminal, --force is the default.
      _ = try await site.scenario.belfryCommand(["node", "drain", "one", "--data", one.data])
      #expect(try await one.program.end() == 0)
    }
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `what a command on one node adds or revokes counts on every node when it returns`()
    async throws
  {
    try await withCluster { site in
      let (one, two) = (try await site.node("one"), try await site.node("two"))
      try await keepAll(one, site.scenario)
      let devices = try site.scenario.devices(of: one, topics: [app])
      let token = try await devices.token()
      let key = site.scenario.folder.file("key.p8")
      let added = try await site.scenario.belfryCommand([
        "key", "add", "--team", one.teamID, "--out", key, "--data", one.data, "--json",
      ]).values.first
      let id = try #require(added?["id"].string)
      let credentials = ["--key", key, "--key-id", id, "--team", one.teamID]
      #expect(
        try await site.send("new key", to: token, two, credentials)?["status"].integer == 200)
      // A key that one node generates can be used on the machine of each other node.
      let generated = try await site.scenario.belfryCommand([
        "key", "add", "--team", one.teamID, "--data", one.data, "--json",
      ]).values.first?["id"].string
      _ = try await site.scenario.belfryCommand([
        "key", "jwt", "--id", try #require(generated), "--data", two.data,
      ])
      _ = try await site.scenario.belfryCommand(["key", "revoke", id, "--data", one.data])
      let refused = try await site.send("revoked key", to: token, two, credentials)
      #expect(refused?["reason"].string == "InvalidProviderToken")
      // A revoked device is refused by the node that never served it.
      let listed = try await site.scenario.belfryCommand([
        "device", "list", "--data", two.data, "--json",
      ]).values.first
      let number = try #require(listed?["device"].integer)
      _ = try await site.scenario.belfryCommand([
        "device", "revoke", "\(number)", "--data", two.data,
      ])
      for node in [one, two] {
        let gone = try await site.send("revoked device", to: token, node)
        #expect(gone?["reason"].string == "Unregistered", "\(String(describing: gone))")
      }
      _ = try await site.scenario.belfryCommand([
        "fault", "add", "--reason", "InternalServerError", "--times", "1", "--data", one.data,
      ])
      let scripted = try await site.send("fault", to: token, two)
      #expect(
        scripted?["reason"].string == "InternalServerError", "\(String(describing: scripted))")
      _ = try await site.scenario.belfryCommand(["fault", "clear", "--data", one.data])
      // A rotated token key seals and opens tokens on every node.
      _ = try await site.scenario.belfryCommand(["token-key", "rotate", "--data", two.data])
      let others = try site.scenario.devices("others", of: one, topics: [app])
      let other = try await others.token()
      #expect(try await site.send("rotated", to: other, two)?["status"].integer == 200)
    }
  }
}
