import BelfryWire
import Storage
import System
import TestSupport
import Testing
import Transport

@testable import ProviderService

/// A router with its own folder.
private struct TestService {
  let folder: ScratchFolder
  let provider: ProviderFolder
  let router: ProviderRouter

  init(apps: [String], isOpen: Bool = false, tokensPerApp: Int64 = 1_000) throws {
    folder = try ScratchFolder()
    provider = try ProviderFolder(folder.file("provider"), apps: apps)
    let campaigns = CampaignService(registry: provider.registry, log: .silent) {
      PushService(submit: { _, done in done(.failure(.closed)) }, log: nil)
    }
    router = ProviderRouter(
      registry: provider.registry, campaigns: campaigns, apps: provider.apps,
      adminToken: provider.adminToken, isOpen: isOpen, tokensPerApp: tokensPerApp,
      log: .silent)
  }

  func key(of app: String) throws -> String {
    let file = try #require(provider.apps.apps.first { $0.bundleID == app }?.keyFile)
    return String(
      decoding: try FileSystem.read(file, limit: 1_000).filter { $0 > 32 }, as: UTF8.self)
  }

  func answer(
    _ method: String, _ path: String, query: [(name: String, value: String)] = [],
    key: String? = nil, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
    peer: String = ""
  ) throws -> (status: Int, lines: [JSONObject], fields: [(name: String, value: String)]) {
    let response = router.answer(
      HTTP1Request(
        method: method, path: path, query: query,
        fields: fields + (key.map { [("authorization", "Bearer \($0)")] } ?? []), body: body,
        peer: peer))
    guard case .bytes(let bytes) = response.body else { return (response.status, [], []) }
    let lines = bytes.split(separator: 0x0A).compactMap {
      (try? JSONValue(parsing: Array($0)))?.objectValue
    }
    return (response.status, lines, response.fields)
  }

  func tokens() throws -> [JSONObject] {
    try answer("GET", "/tokens", key: provider.adminToken).lines
  }
}

@Suite struct ProviderRouterTests {
  @Test func `The copies of an app register so many tokens, whatever their addresses and topics`()
    throws
  {
    let service = try TestService(
      apps: ["com.example.app", "com.example.other"], tokensPerApp: 10)
    let key = try service.key(of: "com.example.app")
    func register(
      _ number: Int, key: String, topic: String? = nil, installation: String? = nil,
      method: String = "GET"
    ) throws -> (status: Int, lines: [JSONObject], fields: [(name: String, value: String)]) {
      var query = [(name: "deviceToken", value: String(1_000 + number))]
      if let topic { query.append(("topic", topic)) }
      if let installation { query.append(("installation", installation)) }
      return try service.answer(
        method, "/register", query: query, key: key, peer: "192.0.2.\(number % 250):1")
    }
    for number in 0..<10 {
      let topic = number % 2 == 0 ? "com.example.app" : "com.example.app.voip"
      #expect(
        try register(number, key: key, topic: topic, installation: "i\(number)").status == 200)
    }
    let refused = try register(10, key: key)
    #expect(refused.status == 429)
    #expect(refused.lines.first?["advice"]?.stringValue?.contains("--tokens-per-app") == true)
    #expect(refused.fields.contains { $0.name == "retry-after" && $0.value == "3600" })
    // Existing registrations can be renewed and replaced.
    #expect(try register(0, key: key, topic: "com.example.app").status == 200)
    #expect(
      try register(90, key: key, topic: "com.example.app", installation: "i2").status == 200)
    #expect(try register(11, key: key).status == 429)
    // Another app has its own limit, and the operator has no limit.
    #expect(try register(12, key: service.key(of: "com.example.other")).status == 200)
    #expect(
      try register(13, key: service.provider.adminToken, topic: "com.example.app").status == 200)
    // Unregistering a token frees its slot.
    for number in [13, 1] {
      let topic = number == 1 ? "com.example.app.voip" : "com.example.app"
      #expect(
        try register(
          number, key: service.provider.adminToken, topic: topic, method: "DELETE"
        ).status == 200)
    }
    #expect(try register(14, key: key).status == 200)
    #expect(try register(15, key: key).status == 429)
    #expect(try service.tokens().count == 11)
  }

  @Test func `an app's key can register tokens only for that app`() throws {
    let service = try TestService(apps: ["com.example.app", "com.example.other"])
    let key = try service.key(of: "com.example.app")
    let token = (name: "deviceToken", value: "00ff")
    #expect(try service.answer("GET", "/register", query: [token], key: key).status == 200)
    #expect(
      try service.answer(
        "POST", "/register", query: [("topic", "com.example.app.voip")], key: key,
        fields: [("content-type", "application/x-www-form-urlencoded")],
        body: Array("deviceToken=0a0b&language=fr-CA".utf8)
      ).status == 200)
    let foreign = try service.answer(
      "GET", "/register", query: [token, ("topic", "com.example.other")], key: key)
    #expect(foreign.status == 400)
    #expect(foreign.lines.first?["error"]?.stringValue?.contains("com.example.app") == true)
    for guess in [nil, "guess"] {
      let refused = try service.answer("GET", "/register", query: [token], key: guess)
      #expect(refused.status == 401)
      let advice = try #require(refused.lines.first?["advice"]?.stringValue)
      #expect(advice.contains("apps/BUNDLE-ID.key"), "\(advice)")
    }
    let refused = try service.answer("GET", "/tokens", key: key)
    #expect(refused.status == 401)
    #expect(refused.lines.first?["advice"]?.stringValue?.contains("admin-token") == true)
    #expect(
      try service.tokens().map { $0["topic"]?.stringValue } == [
        "com.example.app", "com.example.app.voip",
      ])
  }

  @Test func `wrong tokens are counted by address, and the right one is let through at all times`()
    throws
  {
    let service = try TestService(apps: ["com.example.app"])
    let token = [(name: "deviceToken", value: "00ff")]
    func status(_ path: String, _ key: String, from peer: String = "192.0.2.1:50000") throws -> Int
    {
      let answer = try service.answer("GET", path, query: token, key: key, peer: peer)
      let wait = answer.fields.first { $0.name == "retry-after" }?.value
      let advice = answer.lines.first?["advice"]?.stringValue ?? ""
      #expect(advice.contains("always accepted") == (answer.status == 429), "\(advice)")
      #expect(
        (wait.flatMap { Int($0) }.map { (1...61).contains($0) } == true) == (answer.status == 429))
      return answer.status
    }
    var all: [Int] = []
    for _ in 0..<5 { all += [try status("/tokens", "wrong"), try status("/register", "wrong")] }
    #expect(all.allSatisfy { $0 == 401 }, "\(all)")
    for path in ["/tokens", "/register", "/status", "/campaigns"] {
      #expect(try status(path, "wrong") == 429)
    }
    #expect(
      try status("/tokens", "wrong", from: "192.0.2.2:50000") == 401,
      "another address is not blocked")
    #expect(
      try service.answer("GET", "/tokens", peer: "192.0.2.1:1").status == 401,
      "a missing token does not count")
    #expect(try status("/tokens", service.provider.adminToken) == 200)
    #expect(try status("/register", service.key(of: "com.example.app")) == 200)
  }

  @Test func `an open service takes what the documents' clients send, from this machine's names`()
    throws
  {
    let service = try TestService(apps: ["com.example.app"], isOpen: true)
    #expect(
      try service.answer(
        "GET", "/register", query: [("deviceToken", "00ff")],
        fields: [("host", "127.0.0.1:2199")]
      ).status == 200)
    #expect(
      try service.answer(
        "POST", "/register", query: [("token", ""), ("language", "fr-CA")],
        fields: [("Content-Type", "application/octet-stream"), ("Host", "localhost:2199")],
        body: [0, 1, 2]
      ).status == 200)
    #expect(try service.tokens().map { $0["deviceToken"] } == ["00ff", "000102"])
    #expect(try service.tokens().last?["language"] == "fr-CA")
    for fields in [
      [("host", "evil.example:2199")], [("host", "127.0.0.1"), ("origin", "http://evil.example")],
    ] {
      #expect(
        try service.answer(
          "GET", "/register", query: [("deviceToken", "03")], fields: fields
        ).status == 403)
    }
    #expect(
      try service.answer(
        "GET", "/register", query: [("deviceToken", "03"), ("topic", "com.example.unknown")]
      ).status == 400)
  }

  /// Checks requests that browsers send without `Origin`: `<img src>`, `<script src>`, and a fetch without CORS.
  @Test(arguments: [
    (["cross-site"], 403), (["same-site"], 403), (["Cross-Site"], 403), ([""], 403),
    (["none", "cross-site"], 403), (["none"], 200), (["same-origin"], 200),
  ])
  func `an open service registers nothing for a page of another site`(
    sites: [String], status: Int
  ) throws {
    let service = try TestService(apps: ["com.example.app"], isOpen: true)
    let answer = try service.answer(
      "GET", "/register", query: [("deviceToken", "00ff")],
      fields: [("host", "127.0.0.1:2199")] + sites.map { ("Sec-Fetch-Site", $0) })
    #expect(answer.status == status)
    #expect(try service.tokens().isEmpty == (status == 403))
  }

  @Test(arguments: ["", "\n", "123456789012345\n"])
  func `a secret that could be guessed starts no service`(text: String) throws {
    let scratch = try ScratchFolder()
    let folder = scratch.file("provider")
    _ = try ProviderFolder(folder, apps: ["com.example.app"])
    for name in ["admin-token", "apps/com.example.app.key"] {
      let kept = try FileSystem.read("\(folder)/\(name)", limit: 1_000)
      try FileSystem.write(Array(text.utf8), to: "\(folder)/\(name)")
      do {
        _ = try ProviderFolder(folder, apps: ["com.example.app"])
        Issue.record("\(name) was accepted")
      } catch {
        #expect("\(error)".contains("\(name) has fewer than 16 characters"), "\(error)")
        #expect("\(error)".contains("delete it to generate a new one"), "\(error)")
      }
      try FileSystem.write(kept, to: "\(folder)/\(name)")
    }
    _ = try ProviderFolder(folder)
  }

  @Test(arguments: [
    (#"{"topic":"com.a","alert":{"body":"a"},"topic":"com.b"}"#, "topic"),
    (#"{"topic":"com.a","alert":{"en":{"body":"a"},"en":{"body":"b"}}}"#, "en"),
    (#"{"topic":"com.a","alert":{}}"#, "alert"),
  ])
  func `a campaign that says too little, or one thing twice, is refused`(
    text: String, field: String
  ) throws {
    let service = try TestService(apps: ["com.a"])
    let answer = try service.answer(
      "POST", "/campaigns", key: service.provider.adminToken, body: Array(text.utf8))
    #expect(answer.status == 400)
    #expect("\(answer.lines)".contains(field), "\(answer.lines)")
    #expect(
      try service.answer("GET", "/campaigns", key: service.provider.adminToken).lines.isEmpty)
  }

  @Test(arguments: [
    (#"{"aps":{"sound":"default",}}"#, 1, 26, "trailing comma before '}'"),
    ("{\"aps\":{},\n \"é\":\"x,\n}", 2, 9, "line break or control character in a string"),
    ("[1]", 1, 1, "another JSON value"),
  ])
  func `A payload that is sent as text is refused with the line and the column of its error`(
    text: String, line: Int, column: Int, what: String
  ) throws {
    let service = try TestService(apps: ["com.a"])
    func send(_ payload: String) throws -> (status: Int, lines: [JSONObject]) {
      let body: JSONObject = [
        "topic": "com.a", "alert": ["body": "a"], "payload": .string(payload), "draft": true,
      ]
      let answer = try service.answer(
        "POST", "/campaigns", key: service.provider.adminToken, body: body.bytes)
      return (answer.status, answer.lines)
    }
    let refused = try send(text)
    #expect(refused.status == 400)
    #expect(
      refused.lines.first?["error"]
        == .string("payload: invalid JSON at line \(line), column \(column): \(what)"))
    // The command line reports the same place.
    let fault = try #require(PayloadFault(in: Array(text.utf8)))
    #expect(fault.line == line && fault.column == column)
    let twice = try send(#"{"a":1,"a":2}"#)
    #expect(
      twice.lines.first?["error"] == "payload: duplicate key 'a' in one object", "\(twice)")
    let added = try send(#"{"aps":{"badge":1}}"#)
    let id = try #require(added.lines.first?["id"]?.stringValue, "\(added)")
    let stored = try service.answer(
      "GET", "/campaigns/\(id)/document", key: service.provider.adminToken)
    #expect(stored.lines.first?["payload"] == ["aps": ["badge": 1]])
  }

  @Test func `A token is found by its beginning, in pages`() throws {
    let service = try TestService(apps: ["com.example.app"])
    let admin = service.provider.adminToken
    let tokens = ["0a1b2c3d4e", "0a1b2c3dff", "ffffffffff"].map {
      $0 + String(repeating: "0", count: 54)
    }
    let lines = tokens + [#"{"deviceToken":"0a1b2c3d","user":"ann"}"#]
    let brought = try service.answer(
      "POST", "/tokens", key: admin, body: Array(lines.joined(separator: "\n").utf8))
    #expect(brought.lines.first?["added"] == 4)
    func found(_ query: [(name: String, value: String)]) throws -> [String?] {
      try service.answer("GET", "/tokens", query: query, key: admin).lines.map {
        $0["deviceToken"]?.stringValue
      }
    }
    #expect(try found([("deviceToken", "0A1B2C3D4")]) == [tokens[0]])
    #expect(try found([("deviceToken", "0a1b2c3dff")]) == [tokens[1]])
    #expect(try found([("deviceToken", "ffffffff")]) == [tokens[2]])
    #expect(try found([("deviceToken", "0a1b2c3d")]) == ["0a1b2c3d"], "a whole token is preferred")
    #expect(try found([("deviceToken", "0a1b2c3d4"), ("user", "ann")]) == [])
    #expect(try found([("deviceToken", "0a1b2c")]) == [], "these digits are too few")
    let first = try service.answer(
      "GET", "/tokens", query: [("deviceToken", "0a1b2c3d0"), ("limit", "1")], key: admin)
    #expect(first.lines.isEmpty && first.fields.allSatisfy { $0.name != "link" })
    #expect(
      try service.answer("DELETE", "/register", query: [("deviceToken", "0a1b2c3d")], key: admin)
        .status == 200)
    let page = try service.answer(
      "GET", "/tokens", query: [("deviceToken", "0a1b2c3d"), ("limit", "1")], key: admin)
    #expect(page.lines.map { $0["deviceToken"]?.stringValue } == [tokens[0]])
    #expect(
      page.fields.first { $0.name == "link" }?.value
        == "</tokens?deviceToken=0a1b2c3d&limit=1&after=1>; rel=\"next\"")
    #expect(
      try found([("deviceToken", "0a1b2c3d"), ("limit", "1"), ("after", "1")]) == [tokens[1]])
  }

  @Test func `A request that lacks the topic of one of several apps names the field to send`()
    throws
  {
    let service = try TestService(apps: ["com.example.app", "com.example.other"], isOpen: true)
    for method in ["GET", "DELETE"] {
      let answer = try service.answer(method, "/register", query: [("deviceToken", "00ff")])
      #expect(answer.status == 400 && answer.lines.first?["error"] == "topic: missing")
      #expect(answer.lines.first?["advice"] == "send the app's bundle identifier in 'topic'")
    }
  }

  @Test func `each bad field has an error of its own, and nothing is kept`() throws {
    let service = try TestService(apps: ["com.example.app"], isOpen: true)
    let answer = try service.answer(
      "GET", "/register",
      query: [
        ("deviceToken", "xyz"), ("language", "english please"), ("timeZone", "Mars/Base"),
        ("user", String(repeating: "u", count: 300)),
      ])
    #expect(answer.status == 400)
    guard case .array(let errors)? = answer.lines.first?["errors"] else {
      Issue.record("no errors in the answer: \(answer.lines)")
      return
    }
    #expect(
      errors.map { $0.objectValue?["field"]?.stringValue } == [
        "deviceToken", "language", "timeZone", "user",
      ])
    #expect(try service.tokens().isEmpty)
    #expect(try service.answer("PUT", "/register").status == 405)
    let unknown = try service.answer("GET", "/nowhere")
    #expect(unknown.status == 404)
    #expect(unknown.lines.first?["advice"]?.stringValue?.contains("Help in the console") == true)
  }

  /// Checks that the service neither drops nor changes a field that an app sends.
  @Test(arguments: [
    ("deviceToken=00ff&user=\u{FFFD}\u{FFFD}&tag=\u{FFFD}(", "user: not valid UTF-8"),
    ("deviceToken=00ff&tag=\u{FFFD}(", "tag: not valid UTF-8"),
    ("deviceToken=00ff&deviceToken=00fe", "deviceToken: sent twice"),
    ("deviceToken=00ff&token=00ff", "deviceToken: sent twice"),
    ("deviceToken=00ff&user=ann&user=bob", "user: sent twice"),
    ("devicetoken=00ff", "deviceToken: missing"),
    ("deviceToken=00ff0", "deviceToken: odd number of digits (5)"),
    ("deviceToken=00ff&language=english", "language: invalid value 'english'"),
  ])
  func `data that would be lost is refused with the name of its field`(
    query: String, problem: String
  ) throws {
    let service = try TestService(apps: ["com.example.app"], isOpen: true)
    let pairs = query.split(separator: "&").map { pair in
      let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
      return (name: sides[0], value: sides[1])
    }
    let answer = try service.answer("GET", "/register", query: pairs)
    #expect(answer.status == 400 && answer.lines.first?["error"] == .string(problem))
    let form = try service.answer("POST", "/register", body: Array(query.utf8))
    #expect(form.status == 400 && form.lines.first?["error"] == .string(problem))
    #expect(try service.tokens().isEmpty)
  }

  @Test(arguments: [
    (#"{"deviceToken":"00ff","tags":["a",5,{}]}"#, "tags"),
    (#"{"deviceToken":"00ff","user":5}"#, "user"),
    (#"{"deviceToken":"00ff","user":"ann","user":"bob"}"#, "user"),
    (#"{"deviceToken":"00ff","tag":"a","tag":"b"}"#, "tag"),
    (#"{"deviceToken":"00ff","token":"00fe"}"#, "deviceToken"),
    (#"{"deviceToken":"00ff","tag":{"a":1}}"#, "tag"),
  ])
  func `a member that cannot be read is refused by its name`(json: String, field: String) throws {
    let service = try TestService(apps: ["com.example.app"], isOpen: true)
    let answer = try service.answer(
      "POST", "/register", fields: [("content-type", "application/json")], body: Array(json.utf8))
    #expect(answer.status == 400)
    #expect(answer.lines.first?["error"]?.stringValue?.hasPrefix("\(field): ") == true)
    #expect(try service.tokens().isEmpty)
  }

  @Test func `fields with nearly the right name are warned of, and the app's own are its business`()
    throws
  {
    let service = try TestService(apps: ["com.example.app"], isOpen: true)
    let answer = try service.answer(
      "POST", "/register", fields: [("content-type", "application/json")],
      body: Array(
        #"{"deviceToken":"00ff","time_zone":"UTC","Locale":"de","userId":7,"build":{"n":5},"enviroment":"sandbox"}"#
          .utf8))
    #expect(answer.status == 200)
    #expect(
      answer.lines.first?["warnings"] == [
        "'time_zone' was ignored: use 'timeZone'", "'Locale' was ignored: use 'language'",
        "'userId' was ignored: use 'user'", "'enviroment' was ignored: use 'environment'",
      ])
    let many = try service.answer(
      "POST", "/tokens", key: service.provider.adminToken,
      body: Array(#"{"deviceToken":"00fe","lang":"de"}"#.utf8))
    #expect(many.lines.first?["warnings"] == ["'lang' was ignored: use 'language'"])
    let plain = try service.answer("GET", "/register", query: [("token", "00ff"), ("v", "1")])
    #expect(plain.status == 200 && plain.lines.first?["warnings"] == nil)
  }

  @Test(arguments: ["", "application/x-www-form-urlencoded", "application/octet-stream"])
  func `a body of bytes is the token, whatever curl calls it`(type: String) throws {
    let service = try TestService(apps: ["com.example.app"], isOpen: true)
    let token = (0..<32).map { UInt8($0 * 8 + 5) }
    let fields = type.isEmpty ? [] : [(name: "content-type", value: type)]
    let answer = try service.answer(
      "POST", "/register", query: [("language", "fr")], fields: fields, body: token)
    #expect(answer.status == 200, "\(answer.lines)")
    #expect(try service.tokens().map { $0["deviceToken"] } == [.string(Hexadecimal.encode(token))])
    #expect(try service.tokens().first?["language"] == "fr")
    if type == "application/octet-stream" { return }
    let text = try service.answer(
      "POST", "/register", fields: fields, body: Array("abcdefghijklmnopqrstuvwxyz012345".utf8))
    #expect(text.status == 400 && "\(text.lines)".contains("application/octet-stream"))
    let form = try service.answer(
      "POST", "/register", fields: fields, body: Array("user=".utf8) + [0xFF, 0xFE])
    #expect(form.status == 400, "a malformed form is not a token")
    let twice = try service.answer(
      "POST", "/register", query: [("deviceToken", "00ff")], fields: fields,
      body: Array("user=".utf8) + [0xFF])
    #expect(twice.status == 400)
    #expect(try service.tokens().count == 1)
  }

  @Test func `A registration with broken JSON is refused with the line and the column`() throws {
    let service = try TestService(apps: ["com.example.app"], isOpen: true)
    let answer = try service.answer(
      "POST", "/register", fields: [("content-type", "application/json")],
      body: Array("{\"deviceToken\":\"00ff\",\n\"tag\":[\"news\"],".utf8))
    let error = answer.lines.first?["error"]?.stringValue ?? ""
    #expect(answer.status == 400)
    #expect(error.hasPrefix("the body is not a JSON object at line 2, column "), "\(error)")
  }

  @Test func `A search for devices refuses a misspelled condition instead of ignoring it`() throws {
    let service = try TestService(apps: ["com.example.app"])
    let admin = service.provider.adminToken
    _ = try service.answer("POST", "/tokens", key: admin, body: Array("00ff\n".utf8))
    for (name, advice) in [
      ("langage", "did you mean 'language'?"), ("lang", "did you mean 'language'?"),
      ("tags", "did you mean 'tag'?"),
      (
        "timeZone",
        "expected one of deviceToken, topic, user, tag, language, endpoint, kind, limit, after"
      ),
    ] {
      let answer = try service.answer("GET", "/tokens", query: [(name, "fr")], key: admin)
      #expect(answer.status == 400, "\(name)")
      #expect(
        answer.lines.first?["error"]?.stringValue == "\(name): unknown parameter"
          && answer.lines.first?["advice"]?.stringValue == advice, "\(answer.lines)")
    }
    let other = try service.answer("GET", "/tokens", query: [("_", "1")], key: admin)
    #expect(other.status == 200 && other.lines.count == 1)
  }

  @Test func `tokens are listed in pages and removed one by one`() throws {
    let service = try TestService(apps: ["com.example.app"])
    let admin = service.provider.adminToken
    let lines = (0..<5).map { #"{"deviceToken":"0\#($0)","user":"u\#($0)"}"# }
    let brought = try service.answer(
      "POST", "/tokens", key: admin, body: Array(lines.joined(separator: "\n").utf8))
    #expect(brought.lines.first?["added"] == 5)
    let page = try service.answer("GET", "/tokens", query: [("limit", "2")], key: admin)
    #expect(page.lines.map { $0["user"] } == ["u0", "u1"])
    #expect(
      page.fields.first { $0.name == "link" }?.value == "</tokens?limit=2&after=2>; rel=\"next\"")
    let rest = try service.answer("GET", "/tokens", query: [("after", "2")], key: admin)
    #expect(rest.lines.map { $0["user"] } == ["u2", "u3", "u4"])
    #expect(rest.fields.allSatisfy { $0.name != "link" })
    let gone = [(name: "deviceToken", value: "03")]
    #expect(try service.answer("DELETE", "/register", query: gone, key: admin).status == 200)
    #expect(try service.answer("DELETE", "/register", query: gone, key: admin).status == 404)
    #expect(try service.tokens().count == 4)
    let bad = try service.answer("POST", "/tokens", key: admin, body: Array("05\nxx\n".utf8))
    #expect(bad.status == 400 && bad.lines.first?["error"]?.stringValue?.contains("line 2") == true)
    #expect(try service.tokens().count == 4)
  }
}
