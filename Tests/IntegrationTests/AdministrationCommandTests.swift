import BelfryWire
import Foundation
import Gateway
import Storage
import System
import TestSupport
import Testing
import Transport

@testable import Tool

/// Tests of the administration commands on the folder of a stopped gateway.
@Suite struct AdministrationCommandTests {
  /// Runs a command on the folder and returns its lines and its exit status.
  private func run(
    _ scenario: Scenario, _ words: String..., data: String
  ) async throws -> (lines: [String], status: Int32) {
    let program = try scenario.belfry(words + ["--data", data])
    let status = try await program.end()
    return (program.lines, status)
  }

  private func stoppedFolder(_ scenario: Scenario) throws -> String {
    let folder = GatewayFolder(path: scenario.folder.file("gateway"))
    try FileSystem.makeDirectories(folder.path)
    let authority = try CertificateAuthority.forTests()
    try folder.write(authority.certificatePEM, "ca.pem")
    try folder.write(authority.privateKeyPEM, "ca-key.pem")
    try SQLiteControlStore(path: folder.controlStoreFile).close()
    return folder.path
  }

  @Test
  func `added items are listed, and key files are private to their owner`() async throws {
    try await Scenario.run { scenario in
      let data = try stoppedFolder(scenario)
      var answer = try await run(
        scenario, "team", "add", "A team", "--id", "TEAMAAAAAA", data: data)
      #expect(answer.lines == ["TEAMAAAAAA"] && answer.status == 0)
      answer = try await run(
        scenario, "topic", "add", "com.example.app", "--team", "TEAMAAAAAA", "--broadcast", "on",
        "--keep", "all", data: data)
      #expect(answer.lines == ["com.example.app"])
      let keyFile = scenario.folder.file("key.p8")
      answer = try await run(
        scenario, "key", "add", "--id", "KEYTPSBX01", "--team", "TEAMAAAAAA",
        "--environment=sandbox",
        "--topic", "com.example.app", "--out", keyFile, data: data)
      #expect(answer.lines == ["KEYTPSBX01  \(keyFile)"])
      #expect(try FileSystem.mode(of: keyFile) == 0o600)
      let key = try ES256PrivateKey(pkcs8PEM: FileSystem.read(keyFile, limit: 10_000))
      let store = try SQLiteControlStore(path: GatewayFolder(path: data).controlStoreFile)
      #expect(try store.keys().map(\.publicKeySPKI) == [key.publicKey.spkiDER])
      store.close()

      let pem = scenario.folder.file("certificate.pem")
      answer = try await run(
        scenario, "certificate", "add", "--team", "TEAMAAAAAA", "--topic", "com.example.app",
        "--out", pem, "--json", data: data)
      let line = try #require(answer.lines.first.flatMap { JSONLine($0) })
      let certificate = try Certificate(pem: FileSystem.read(pem, limit: 100_000))
      #expect(line["serial"].string == certificate.serial)
      #expect(line["privateKey"].string == nil)
      answer = try await run(
        scenario, "certificate", "revoke", certificate.serial.uppercased(), data: data)
      #expect(answer.status == 0)

      let channel = try await run(
        scenario, "channel", "add", "--app", "com.example.app", data: data)
      let id = try #require(channel.lines.first)
      answer = try await run(
        scenario, "channel", "remove", id, "--app", "com.example.app", data: data)
      #expect(answer.lines == [id])
      answer = try await run(scenario, "topic", "list", "--json", data: data)
      #expect(answer.lines.first.flatMap { JSONLine($0) }?["keep"].string == "all")
    }
  }

  @Test func `--app and --topic name an app, and errors do not call it a topic`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let app = "com.example.none"
      let file = scenario.folder.file("provider.pem")
      for option in ["--app", "--topic"] {
        for words in [["certificate", "add", "--out", file], ["channel", "add"]] {
          let refused = try await scenario.belfryCommand(
            words + [option, app, "--data", gateway.data], succeeding: false)
          #expect(refused.status == 1, "\(words) \(option): \(refused.errors)")
          #expect(refused.errors.contains("has no app \(app)"), "\(refused.errors)")
        }
        let key = try await scenario.belfryCommand([
          "key", "add", option, app, "--json", "--data", gateway.data,
        ])
        #expect(key.output.contains(#""topics":["\#(app)"]"#), "\(key.output)")
      }
    }
  }

  @Test
  func `a key for an unknown topic is created with a warning, and one without topics is for all`()
    async throws
  {
    try await Scenario.run { scenario in
      let data = try stoppedFolder(scenario)
      _ = try await run(scenario, "team", "add", "--id", "TEAMAAAAAA", data: data)
      let added = try await scenario.belfryCommand([
        "key", "add", "--id", "KEYTPSBX01", "--topic", "com.example.ap", "--data", data,
      ])
      #expect(added.lines.count == 1)
      #expect(
        added.errors.hasPrefix(
          "belfry: warning: team TEAMAAAAAA has no app com.example.ap, so pushes to this topic are refused: "
            + "add it with 'belfry topic add --team TEAMAAAAAA com.example.ap', or "),
        "\(added.errors)")
      let all = try await scenario.belfryCommand([
        "key", "add", "--id", "KEYALLAPPS", "--data", data,
      ])
      #expect(all.errors.isEmpty, "\(all.errors)")
      let table = try await run(scenario, "key", "list", data: data)
      let cells = table.lines.map { $0.split(separator: " ") }
      #expect(
        cells.contains(
          ["KEYALLAPPS", "TEAMAAAAAA", "both", "all"] + Array(repeating: "-", count: 5)), "\(cells)"
      )
      let json = try await run(scenario, "key", "list", "--json", data: data)
      #expect(json.lines.allSatisfy { !$0.contains("all\"") }, "\(json.lines)")
    }
  }

  @Test
  func `an app of another team is named with its team, not as missing`() async throws {
    try await Scenario.run { scenario in
      let data = try stoppedFolder(scenario)
      for team in ["TEAMAAAAAA", "TEAMBBBBBB"] {
        _ = try await run(scenario, "team", "add", "--id", team, data: data)
      }
      _ = try await run(scenario, "topic", "add", "com.a", "--team", "TEAMAAAAAA", data: data)
      let certificate = try await scenario.belfryCommand(
        [
          "certificate", "add", "--team", "TEAMBBBBBB", "--topic", "com.a", "--out",
          scenario.folder.file("c.pem"), "--data", data,
        ], succeeding: false)
      #expect(certificate.status == 1)
      #expect(
        certificate.errors
          == "belfry: the app com.a belongs to team TEAMAAAAAA: specify --team TEAMAAAAAA\n")
      let none = try await scenario.belfryCommand(
        [
          "certificate", "add", "--team", "TEAMBBBBBB", "--topic", "com.b", "--out",
          scenario.folder.file("c.pem"), "--data", data,
        ], succeeding: false)
      #expect(
        none.errors.hasSuffix(": add it with 'belfry topic add --team TEAMBBBBBB com.b'\n"),
        "\(none.errors)")
      let key = try await scenario.belfryCommand([
        "key", "add", "--team", "TEAMBBBBBB", "--topic", "com.a", "--topic", "com.b", "--json",
        "--data", data,
      ])
      #expect(key.output.contains(#""topicTeams":{"com.a":"TEAMAAAAAA"}"#), "\(key.output)")
      let warnings = key.errors.split(separator: "\n")
      #expect(warnings.count == 2, "\(key.errors)")
      #expect(
        warnings.first?.hasSuffix(
          ": revoke this key, and create one with --team TEAMAAAAAA") == true, "\(key.errors)")
      #expect(warnings.last?.contains("has no app com.b") == true, "\(key.errors)")
    }
  }

  @Test
  func `a key or certificate whose file cannot be written is not created`() async throws {
    try await Scenario.run { scenario in
      let data = try stoppedFolder(scenario)
      _ = try await run(scenario, "team", "add", "--id", "TEAMAAAAAA", data: data)
      _ = try await run(scenario, "topic", "add", "com.a", "--team", "TEAMAAAAAA", data: data)
      for out in [scenario.folder.file("none/k.pem"), scenario.folder.path] {
        var answer = try await run(
          scenario, "certificate", "add", "--team", "TEAMAAAAAA", "--topic", "com.a", "--out", out,
          data: data)
        #expect(answer.lines.isEmpty && answer.status == 1, "\(out)")
        answer = try await run(
          scenario, "key", "add", "--team", "TEAMAAAAAA", "--out", out, data: data)
        #expect(answer.lines.isEmpty && answer.status == 1, "\(out)")
      }
      for list in ["certificate", "key"] {
        let answer = try await run(scenario, list, "list", "--json", data: data)
        #expect(answer.lines.isEmpty && answer.status == 0)
      }
      // If no key is created, the command leaves no file either.
      let file = scenario.folder.file("k.pem")
      let answer = try await run(
        scenario, "certificate", "add", "--team", "NOTEAMATAL", "--topic", "com.a", "--out", file,
        data: data)
      #expect(answer.status != 0)
      #expect(try FileSystem.list(scenario.folder.path).allSatisfy { !$0.hasPrefix("k.pem") })
    }
  }

  @Test
  func `an existing file is not replaced by a key or certificate, and nothing is created`()
    async throws
  {
    try await Scenario.run { scenario in
      let data = try stoppedFolder(scenario)
      _ = try await run(scenario, "team", "add", "--id", "TEAMAAAAAA", data: data)
      _ = try await run(scenario, "topic", "add", "com.a", "--team", "TEAMAAAAAA", data: data)
      let file = scenario.folder.file("c.pem")
      try FileSystem.write(Array("the only copy".utf8), to: file)
      for (noun, options) in [("certificate", ["--topic", "com.a"]), ("key", [])] {
        let added = try await scenario.belfryCommand(
          [noun, "add", "--team", "TEAMAAAAAA", "--out", file, "--data", data] + options,
          succeeding: false)
        #expect(added.status == 1 && added.lines.isEmpty, "\(added.output)")
        #expect(added.errors.contains("\(file) already exists: choose another"), "\(added.errors)")
        let listed = try await run(scenario, noun, "list", "--json", data: data)
        #expect(listed.lines.isEmpty && listed.status == 0)
      }
      #expect(try FileSystem.read(file, limit: 100) == Array("the only copy".utf8))
      // An empty file contains no key. A script might have created it.
      let empty = scenario.folder.file("k.p8")
      try FileSystem.write([], to: empty)
      _ = try await run(scenario, "key", "add", "--team", "TEAMAAAAAA", "--out", empty, data: data)
      #expect(try FileSystem.read(empty, limit: 1_000).count > 100)
      #expect(
        try FileSystem.list(scenario.folder.path).filter { $0.hasPrefix("c.pem") } == ["c.pem"])
    }
  }

  @Test
  func `without OpenSSL's legacy provider an old .p12 is refused before anything is made`()
    async throws
  {
    try await Scenario.run { scenario in
      let data = try stoppedFolder(scenario)
      _ = try await run(scenario, "team", "add", "--id", "TEAMAAAAAA", data: data)
      _ = try await run(scenario, "topic", "add", "com.a", "--team", "TEAMAAAAAA", data: data)
      let program = try scenario.belfry(
        [
          "certificate", "add", "--team", "TEAMAAAAAA", "--topic", "com.a", "--legacy-p12",
          "--out", scenario.folder.file("old.p12"), "--data", data,
        ], environment: ["OPENSSL_MODULES": "/nonexistent"])
      #expect(try await program.end() == 1)
      #expect(program.errors.contains("legacy provider is missing"), "\(program.errors)")
      #expect(try await run(scenario, "certificate", "list", data: data).lines.isEmpty)
    }
  }

  @Test
  func `a certificate's file is PEM or PKCS#12 according to its name, and no other format`()
    async throws
  {
    try await Scenario.run { scenario in
      let data = try stoppedFolder(scenario)
      _ = try await run(scenario, "team", "add", "--id", "TEAMAAAAAA", data: data)
      _ = try await run(scenario, "topic", "add", "com.a", "--team", "TEAMAAAAAA", data: data)
      let add = ["certificate", "add", "--topic", "com.a", "--data", data, "--out"]
      for name in ["c.der", "c.CRT", "c.pem.key"] {
        let file = scenario.folder.file(name)
        let refused = try await scenario.belfryCommand(add + [file], succeeding: false)
        #expect(refused.status == 2 && refused.lines.isEmpty, "\(name)")
        #expect(
          refused.errors.contains(
            "invalid value '\(file)' for --out: expected a name that ends in .pem or .p12"),
          "\(refused.errors)")
      }
      let listed = try await run(scenario, "certificate", "list", "--json", data: data)
      #expect(listed.lines.isEmpty && listed.status == 0)
      for (name, isPEM) in [
        ("c", true), (".hidden", true), ("tmp.XDbpTOx6LZ", true), ("c.PEM", true),
        ("c.P12", false), ("c.pfx", false),
      ] {
        let file = scenario.folder.file(name)
        _ = try await scenario.belfryCommand(add + [file])
        let bytes = try FileSystem.read(file, limit: 100_000)
        #expect(bytes.starts(with: "-----BEGIN".utf8) == isPEM, "\(name)")
      }
    }
  }

  @Test
  func `wrong usage is 2, what cannot be done is 1, and stdout stays empty`() async throws {
    try await Scenario.run { scenario in
      let data = try stoppedFolder(scenario)
      for words in [
        ["key", "add"], ["topic", "add"], ["team", "ad"], ["team", "add", "--id", "x"],
      ] {
        let program = try scenario.belfry(words + ["--data", data])
        #expect(try await program.end() == 2, "\(words)")
        #expect(program.lines.isEmpty)
        #expect(program.errors.hasPrefix("belfry: "), "\(program.errors)")
      }
      for words in [["key", "revoke", "NOSUCHKEY0"], ["log", "--follow"]] {
        let program = try scenario.belfry(words + ["--data", data])
        #expect(try await program.end() == 1, "\(words)")
      }
      for words in [["team", "list"], ["log", "--follow"]] {
        let nowhere = try scenario.belfry(words + ["--data", data + "-nowhere"])
        #expect(try await nowhere.end() == 1, "\(words)")
        #expect(nowhere.errors.contains("no gateway in \(data)-nowhere"), "\(nowhere.errors)")
      }
    }
  }
}

@Suite struct AdminAnswerTests {
  @Test
  func `an answer is read however it is cut`() throws {
    let text = "HTTP/1.0 200 OK\r\ncontent-type: x\r\n\r\n{\"a\":1}\n{\"b\":2}\n"
    for size in 1...text.utf8.count {
      var answer = AdminAnswer()
      var keys: [String] = []
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = bytes[start..<min(start + size, bytes.count)]
        keys += try answer.append(piece).flatMap(\.keys)
      }
      try answer.end()
      #expect(keys == ["a", "b"])
    }
  }

  @Test
  func `an answer names the nodes that did not answer and those that have stopped`() throws {
    var answer = AdminAnswer()
    let head =
      "HTTP/1.0 200 OK\r\nBelfry-Missing-Nodes: two\r\nbelfry-stopped-nodes: three  four\r\n\r\n"
    _ = try answer.append(Array(head.utf8)[...])
    try answer.end()
    #expect(answer.missingNodes == "two")
    #expect(answer.stoppedNodes == "three four")
  }

  @Test
  func `a refusal is the gateway's own failure`() {
    var answer = AdminAnswer()
    #expect(throws: AdministrationFailure(.missing, "no key", do: "look")) {
      try answer.append(
        Array("HTTP/1.1 404 x\r\n\r\n{\"error\":\"no key\",\"advice\":\"look\"}\n".utf8)[...])
    }
  }

  @Test(arguments: ["", "HTTP/1.0 200 OK\r\n", "HTTP/1.0 200 OK\r\n\r\n{\"a\""])
  func `an answer that stops in the middle is an error`(text: String) throws {
    var answer = AdminAnswer()
    _ = try answer.append(Array(text.utf8)[...])
    #expect(throws: AdministrationFailure.self) { try answer.end() }
  }

  @Test
  func `calls are written with what is reserved escaped`() throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 80))
    let call = AdministrationRequest.removeChannel(id: "a+/=", bundleID: "b c").call
    let text = String(
      decoding: AdminClient.text(of: call, to: address, token: "t"), as: UTF8.self)
    #expect(text.hasPrefix("DELETE /api/channels?channel=a%2B%2F%3D&app=b%20c HTTP/1.0\r\n"))
    #expect(text.contains("\r\nauthorization: Bearer t\r\n"))
    #expect(text.hasSuffix("content-length: 0\r\n\r\n"))
    #expect(AdminClient.escaped("ä/..") == "%C3%A4%2F..")
  }

  @Test
  func `columns are aligned, and what is missing is a dash`() {
    let lines: [JSONObject] = [
      ["a": "long", "b": ["x", "y"]], ["a": "s\u{1B}[", "c": true], ["b": ""],
    ]
    let columns = ["a", "b", "c"]
    let rows = ["long  x,y  -", "s [   -    true", "-     -    -"]
    #expect(OutputTable.rows(lines, columns: columns, .none) == rows)
    #expect(
      OutputTable.rows(lines, columns: columns, .headings(of: "lines"))
        == ["A     B    C"] + rows)
    #expect(OutputTable.rows([], columns: columns, .headings(of: "lines")).isEmpty)
    // Only the texts are cut, the first column first, until the rows fit.
    let long: [JSONObject] = [
      ["id": "a-long-id-that-is-not-cut", "title": "A title of words", "body": "A body of words"]
    ]
    func shortened(to width: Int) -> [String] {
      OutputTable.rows(
        long, columns: ["id", "title", "body"], .none, shortening: ["body", "title"],
        toWidth: width)
    }
    #expect(shortened(to: 80) == ["a-long-id-that-is-not-cut  A title of words  A body of words"])
    #expect(shortened(to: 59) == ["a-long-id-that-is-not-cut  A title of words  A body of wor…"])
    #expect(shortened(to: 20) == ["a-long-id-that-is-not-cut  A title of …  A body of w…"])
    #expect(
      ["lastSeenAt", "apnsID", "goawayAfter", "at", "id"].map(OutputTable.heading)
        == ["LAST SEEN", "APNS ID", "GOAWAY AFTER", "AT", "ID"])
  }

  @Test
  func `a table that grows has its headings once, and its columns never become narrower`() {
    var table = GrowingTable(columns: ["at", "state", "topic"], widths: [4, 6, 0])
    #expect(
      table.rows(for: ["at": "1", "state": "Sent", "topic": "com.a"])
        == ["AT    STATE   TOPIC", "1     Sent    com.a"])
    #expect(
      table.rows(for: ["at": "2", "state": "Delivered", "topic": "com.a"])
        == ["2     Delivered  com.a"])
    #expect(table.rows(for: ["at": "3", "topic": "com.a"]) == ["3     -          com.a"])
  }
}
