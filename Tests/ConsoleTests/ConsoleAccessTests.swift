import BelfryProvider
import BelfryWire
import PushWire
import Gateway
import Storage
import Synchronization
import System
import TestSupport
import Testing
import Transport

@testable import Console
@testable import GatewayConsole

/// Tests of a browser's access to the console, and of what a page from another site can't do.
@Suite struct ConsoleAccessTests {
  private let scratch: ScratchFolder
  private let router: ConsoleRouter
  static let token = "0123456789abcdef"
  static let own = [("Host", "localhost:2198")]
  static let proof = own + [("x-belfry-console", "1"), ("Origin", "http://localhost:2198")]

  init() throws {
    scratch = try ScratchFolder()
    let folder = GatewayFolder(path: scratch.path)
    let api = AdminRouter(
      administration: Administration(
        folder: folder, store: try SQLiteControlStore(path: folder.controlStoreFile),
        environment: .sandbox,
        runtime: .init(faults: FaultRegistry(), log: NoLog()) { _ in }),
      token: Self.token, metrics: MetricRegistry(), isReady: { true })
    router = ConsoleRouter(
      api: api, token: Self.token, names: ["belfry.example"], port: 2_198, gateway: nil)
  }

  func answer(
    _ method: String, _ path: String, _ fields: [(String, String)], body: String = "",
    peer: String = "127.0.0.1:4000"
  ) -> HTTP1Response {
    router.answer(
      HTTP1Request(
        method: method, path: path, fields: fields, body: Array(body.utf8), peer: peer))
  }

  func field(_ name: String, of response: HTTP1Response) -> String? {
    response.fields.first { $0.name == name }?.value
  }

  func text(_ response: HTTP1Response) -> String {
    guard case .bytes(let bytes) = response.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Signs in and returns the cookie header of the new session.
  private func signIn() throws -> (String, String) {
    let response = answer(
      "POST", "/console/session", Self.proof, body: #"{"token":"\#(Self.token)"}"#)
    #expect(response.status == 200)
    let cookie = try #require(field("set-cookie", of: response))
    return ("Cookie", String(cookie.prefix { $0 != ";" }))
  }

  @Test func `A followed log ends with the session that follows it`() throws {
    let source = FollowedLog()
    let folder = GatewayFolder(path: scratch.path)
    let api = AdminRouter(
      administration: Administration(
        folder: folder, store: try SQLiteControlStore(path: folder.controlStoreFile),
        environment: .sandbox, runtime: .init(faults: FaultRegistry(), log: source) { _ in }),
      token: Self.token, metrics: MetricRegistry(), isReady: { true })
    let router = ConsoleRouter(
      api: api, token: Self.token, names: [], port: 2_198, gateway: nil)
    let began = router.answer(
      HTTP1Request(
        method: "POST", path: "/console/session", fields: Self.proof,
        body: Array(#"{"token":"\#(Self.token)"}"#.utf8)))
    let cookie = (
      "Cookie", String(try #require(field("set-cookie", of: began)).prefix { $0 != ";" })
    )
    for credential in [cookie, ("Authorization", "Bearer \(Self.token)")] {
      let response = router.answer(
        HTTP1Request(
          method: "GET", path: "/api/log", query: [("follow", "1")],
          fields: Self.own + [credential]))
      #expect(response.status == 200)
    }
    #expect(source.send() == [true, true])
    _ = router.answer(
      HTTP1Request(method: "DELETE", path: "/console/session", fields: Self.proof + [cookie]))
    #expect(source.send() == [false, true], "a client with the admin token has no session")
  }

  // MARK: Pages

  @Test
  func `the pages are served from the executable with a policy that blocks all other sources`()
    throws
  {
    let page = answer("GET", "/", Self.own)
    #expect(page.status == 200)
    #expect(field("content-type", of: page) == "text/html; charset=utf-8")
    let policy = try #require(field("content-security-policy", of: page))
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
    #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
    #expect(field("x-content-type-options", of: page) == "nosniff")
    #expect(field("referrer-policy", of: page) == "no-referrer")
    for name in PageFiles().names {
      let file = answer("GET", "/console/\(name)", Self.own)
      #expect(file.status == 200, "\(name)")
      #expect(field("content-type", of: file) != "application/octet-stream", "\(name)")
    }
    #expect(answer("GET", "/console/../admin-token", Self.own).status == 404)
    #expect(answer("GET", "/console/none.js", Self.own).status == 404)
    #expect(answer("POST", "/", Self.own).status == 405)
  }

  @Test
  func `no page has a script, a style or a listener inline, or asks for anything from elsewhere`() {
    for name in PageFiles().names where !name.hasPrefix("docs/") {
      let source = text(answer("GET", "/console/\(name)", Self.own))
      #expect(!source.contains("<style") && !source.contains(" style="), "\(name)")
      #expect(
        source.ranges(of: "<script").count
          == source.ranges(of: "<script type=\"module\" src=\"/").count)
      let addresses = source.ranges(of: "http").map { source[$0.lowerBound...].prefix(24) }
      for address in addresses where address.hasPrefix("http://") || address.hasPrefix("https://") {
        let isName = address.hasPrefix("http://www.w3.org/2000/s")
        // These are a placeholder and an example image URL, which the page shows as text.
        let isText = address.hasPrefix("https://\"") || address.hasPrefix("https://example.com/")
        #expect(
          isName || isText || address.hasPrefix("https://${place.provider"), "\(name): \(address)")
      }
    }
  }

  @Test
  func `a page that the browser has is not sent again`() throws {
    let tag = try #require(field("etag", of: answer("GET", "/", Self.own)))
    let again = answer("GET", "/", Self.own + [("If-None-Match", "\"other\", \(tag)")])
    #expect(again.status == 304 && text(again).isEmpty)
    #expect(answer("GET", "/", Self.own + [("If-None-Match", "\"other\"")]).status == 200)
  }

  // MARK: Hosts

  @Test(arguments: [
    ("localhost:2198", true), ("LOCALHOST", true), ("127.0.0.1:2198", true), ("[::1]:2198", true),
    ("192.0.2.7", true), ("belfry.example", true), ("belfry.example.:2198", true),
    ("evil.example", false), ("evil.example:2198", false), ("localhost.evil.example", false),
    ("belfry.example.evil", false), ("127.0.0.1.evil.example", false), ("", false), ("a:b", false),
    ("[::1", false), ("localhost:2198:1", false),
  ])
  func `a name that somebody else could point here is refused`(host: String, isOwn: Bool) throws {
    let page = answer("GET", "/", [("Host", host)])
    #expect(page.status == (isOwn ? 200 : 421))
    let cookie = try signIn()
    #expect(answer("GET", "/api/teams", [("Host", host), cookie]).status == (isOwn ? 200 : 401))
    // A client with the token isn't a page from another site, and scrapers can use any of the machine's names.
    let bearer = ("Authorization", "Bearer \(Self.token)")
    #expect(answer("GET", "/api/teams", [("Host", host), bearer]).status == 200)
    #expect(answer("GET", "/metrics", [("Host", host)]).status == 200)
  }

  // MARK: Sessions

  @Test
  func `the token begins a session, whose cookie no script and no other site has`() throws {
    let response = answer(
      "POST", "/console/session", Self.proof, body: #"{"token":"\#(Self.token)"}"#)
    let cookie = try #require(field("set-cookie", of: response))
    #expect(cookie.hasPrefix("belfry-console-2198="))
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
    #expect(!cookie.contains(Self.token))
    let behindTLS = answer(
      "POST", "/console/session", Self.proof + [("X-Forwarded-Proto", "https")],
      body: #"{"token":"\#(Self.token)"}"#)
    #expect(field("set-cookie", of: behindTLS)?.hasSuffix("; Secure") == true)
  }

  @Test
  func `with the session's cookie the API answers, until the session is ended`() throws {
    #expect(answer("GET", "/api/teams", Self.own).status == 401)
    let cookie = try signIn()
    #expect(answer("GET", "/api/teams", Self.own + [cookie]).status == 200)
    #expect(text(answer("GET", "/console/session", Self.own + [cookie])).contains("true"))
    let others = [("Cookie", "a=b; \(cookie.1); c=d")]
    #expect(answer("GET", "/api/teams", Self.own + others).status == 200)
    #expect(answer("GET", "/api/teams", Self.own + [("Cookie", cookie.1 + "0")]).status == 401)
    #expect(answer("DELETE", "/console/session", Self.proof + [cookie]).status == 204)
    #expect(answer("GET", "/api/teams", Self.own + [cookie]).status == 401)
  }

  @Test
  func `another site's page changes nothing and reads nothing, though the browser sent the cookie`()
    throws
  {
    let cookie = try signIn()
    let body = #"{"id":"TEAMAAAAAA"}"#
    let own = Self.proof + [cookie]
    for wrong in [
      // The first two requests are like the request of a form and like a page's request that needs no preflight.
      Self.own + [cookie], Self.own + [cookie, ("Origin", "http://localhost:2198")],
      own.map { $0.0 == "Origin" ? ("Origin", "http://evil.example") : $0 },
      own.map { $0.0 == "Origin" ? ("Origin", "null") : $0 },
      own + [("Sec-Fetch-Site", "cross-site")], own + [("Sec-Fetch-Site", "same-site")],
    ] {
      #expect(answer("POST", "/api/teams", wrong, body: body).status == 401)
    }
    let crossSite = Self.own + [cookie, ("Sec-Fetch-Site", "cross-site")]
    #expect(answer("GET", "/api/teams", crossSite).status == 401)
    #expect(text(answer("GET", "/api/teams", Self.own + [cookie])).isEmpty)
    #expect(answer("POST", "/api/teams", own, body: body).status == 200)
    let login = Self.own + [("Origin", "http://evil.example"), ("x-belfry-console", "1")]
    let asked = answer("POST", "/console/session", login, body: #"{"token":"\#(Self.token)"}"#)
    #expect(asked.status == 403 && field("set-cookie", of: asked) == nil)
  }

  @Test
  func `after ten wrong tokens an address waits, in the form and the API together`() throws {
    let wrong = #"{"token":"wrong"}"#
    let guess = Self.own + [("Authorization", "Bearer 0123456789abcdeg")]
    for number in 0..<10 {
      let response =
        number % 2 == 0
        ? answer("POST", "/console/session", Self.proof, body: wrong)
        : answer("GET", "/api/teams", guess)
      #expect(response.status == 401)
    }
    for refused in [
      answer("POST", "/console/session", Self.proof, body: wrong, peer: "127.0.0.1:4001"),
      answer("GET", "/api/teams", guess, peer: "127.0.0.1:4002"),
    ] {
      #expect(refused.status == 429)
      #expect(text(refused).contains("admin-token file, which are always accepted"))
      #expect(Int(field("retry-after", of: refused) ?? "").map((1...61).contains) == true)
    }
    #expect(answer("GET", "/api/teams", guess, peer: "192.0.2.1:1").status == 401)
    #expect(answer("GET", "/api/teams", Self.own).status == 401)
    // Wrong guesses don't lock out a user with the correct token.
    #expect(
      answer("GET", "/api/teams", [("Authorization", "Bearer \(Self.token)")]).status == 200)
    let right = #"{"token":"\#(Self.token)"}"#
    #expect(answer("POST", "/console/session", Self.proof, body: right).status == 200)
    #expect(
      answer("POST", "/console/session", Self.proof, body: "{}", peer: "192.0.2.1:1").status == 400)
  }
}

/// Tests of links that open the console and sign in the user.
extension ConsoleAccessTests {
  private func makeLink() throws -> String {
    let bearer = [("Authorization", "Bearer \(Self.token)")]
    let response = answer("POST", "/api/console-link", bearer)
    #expect(response.status == 200)
    let line = try #require(try JSONValue(parsing: text(response)).objectValue)
    #expect(line["validSeconds"] == 60)
    return try #require(line["link"]?.stringValue)
  }

  private func open(_ link: String, peer: String = "127.0.0.1:4000") -> HTTP1Response {
    answer("POST", "/console/session", Self.proof, body: #"{"link":"\#(link)"}"#, peer: peer)
  }

  @Test
  func `a link begins one session, and only holders of the token or a session get one`() throws {
    #expect(answer("POST", "/api/console-link", Self.own).status == 401)
    let link = try makeLink()
    let other = try makeLink()
    #expect(link.utf8.count == 64 && link != other)
    #expect(open(link + "0").status == 401)
    let opened = open(link)
    #expect(opened.status == 200)
    let cookie = try #require(field("set-cookie", of: opened))
    #expect(!cookie.contains(link))
    let session = ("Cookie", String(cookie.prefix { $0 != ";" }))
    #expect(answer("GET", "/api/teams", Self.own + [session]).status == 200)
    let again = open(link)
    #expect(again.status == 401 && field("set-cookie", of: again) == nil)
    #expect(text(again).contains("belfry console"))
  }

  @Test
  func `after ten wrong links an address waits, but a right link still opens`() throws {
    for number in 0..<10 { #expect(open("\(number)").status == 401) }
    #expect(open("wrong").status == 429)
    let guess = #"{"token":"wrong"}"#
    #expect(answer("POST", "/console/session", Self.proof, body: guess).status == 429)
    #expect(open("wrong", peer: "192.0.2.1:1").status == 401)
    #expect(open(try makeLink()).status == 200)
  }
}

@Suite struct SignInInstructionsTests {
  @Test
  func `the command quotes a folder that a shell would split`() {
    let plain = SignInInstructions(folder: "/var/lib/belfry/gateway", tokenFile: "/t")
    #expect(plain.command == "belfry console --data /var/lib/belfry/gateway")
    let odd = SignInInstructions(folder: "/my data/it's", tokenFile: "/t")
    #expect(odd.command == #"belfry console --data '/my data/it'\''s'"#)
  }
}

/// Tests of sessions under a clock that the test controls.
@Suite struct ConsoleSessionsTests {
  @Test
  func `a link works once and for one minute, and the number of unused links is bounded`() {
    let clock = ManualSeconds()
    let sessions = ConsoleSessions(token: "secret") { clock.seconds * 1_000_000_000 }
    let late = sessions.makeLink()
    clock.seconds = 60
    #expect(sessions.begin(withLink: late, from: "a") == .expiredLink)
    let link = sessions.makeLink()
    clock.seconds += 59
    guard case .opened(let secret) = sessions.begin(withLink: link, from: "a") else {
      Issue.record("the valid link was refused")
      return
    }
    #expect(sessions.isOpen(secret) && secret != link)
    #expect(sessions.begin(withLink: link, from: "a") == .expiredLink)
    // Neither the token nor an empty string is accepted as a link.
    #expect(sessions.begin(withLink: "secret", from: "a") == .expiredLink)
    #expect(sessions.begin(withLink: "", from: "a") == .expiredLink)
    let first = sessions.makeLink()
    clock.seconds += 1
    for _ in 0..<Limits.links { _ = sessions.makeLink() }
    #expect(sessions.begin(withLink: first, from: "a") == .expiredLink)
  }

  @Test
  func `a session ends after its time, and the wait after wrong tokens too`() {
    let clock = ManualSeconds()
    let sessions = ConsoleSessions(token: "secret") { clock.seconds * 1_000_000_000 }
    guard case .opened(let secret) = sessions.begin(with: "secret", from: "a") else {
      Issue.record("the correct token was refused")
      return
    }
    #expect(sessions.isOpen(secret))
    clock.seconds = 12 * 3_600 + 1
    #expect(!sessions.isOpen(secret))
    for _ in 0..<10 { #expect(sessions.begin(with: "guess", from: "a") == .wrongToken) }
    #expect(sessions.begin(with: "guess", from: "a") == .tooManyAttempts(retryAfterSeconds: 61))
    guard case .opened = sessions.begin(with: "secret", from: "a") else {
      Issue.record("the correct token was refused")
      return
    }
    clock.seconds += 61
    #expect(sessions.begin(with: "guess", from: "a") == .wrongToken)
  }

  @Test
  func `each wrong token is logged, with an address once a minute`() {
    let clock = ManualSeconds()
    let lines = Mutex<[String]>([])
    let guesses = TokenAttempts(
      token: "secret",
      log: Log(subsystem: "t", sink: LogSink { line in lines.withLock { $0.append(line) } })
    ) { clock.seconds * 1_000_000_000 }
    for _ in 0..<500 { _ = guesses.check("guess", from: "192.0.2.1") }
    // The log collapses identical lines into one line with a count.
    #expect(lines.withLock { $0.count } == 500)
    #expect(lines.withLock { $0.filter { $0.contains("192.0.2.1") }.count } == 1)
    #expect(guesses.check("secret", from: "192.0.2.1") == .right)
    clock.seconds = 60
    _ = guesses.check("guess", from: "192.0.2.2")
    #expect(lines.withLock { $0.count } == 501)
    #expect(lines.withLock { $0.last?.contains("192.0.2.2") } == true)
    #expect(
      lines.withLock { $0.contains { $0.contains("guess\"") || $0.contains("secret") } } == false)
  }

  @Test
  func `an empty token lets nobody in, and the numbers of sessions and addresses are limited`() {
    #expect(ConsoleSessions(token: "").begin(with: "", from: "a") == .wrongToken)
    let sessions = ConsoleSessions(token: "secret")
    var first: String?
    for _ in 0...Limits.sessions {
      guard case .opened(let secret) = sessions.begin(with: "secret", from: "a") else { continue }
      first = first ?? secret
    }
    #expect(first.map(sessions.isOpen) == false)
    for number in 0...1_024 {
      #expect(sessions.begin(with: "guess", from: "\(number)") == .wrongToken)
    }
  }
}

/// Tests of invalid test pushes, which are refused before the gateway receives them.
@Suite struct TestPushDraftTests {
  @Test(arguments: [
    ("00ff", "com.example.app", true), ("", "com.example.app", false),
    ("xyz", "com.example.app", false), ("00 ff", "com.example.app", false),
    ("00\r\nff", "com.example.app", false), (String(repeating: "0", count: 513), "a.b", false),
    ("00ff", String(repeating: "a", count: 255), true),
    ("00ff", String(repeating: "a", count: 256), false),
  ])
  func `a draft that can be no request is the caller's fault`(
    token: String, topic: String, isGood: Bool
  ) throws {
    var fields = AdministrationFields([
      "token": .string(token), "topic": .string(topic), "payload": .string("{}"),
    ])
    let draft = try AdministrationRequest.PushDraft(&fields)
    do throws(AdministrationFailure) {
      _ = try TestPushes.push(draft)
      #expect(isGood)
    } catch {
      #expect(!isGood && error.kind == .invalid, "\(error)")
    }
  }

  @Test(arguments: [
    ("", "missing device token: choose a device and an app, or enter a device token"),
    (
      "xyz",
      "invalid device token 'xyz': expected at most 512 hexadecimal digits, exactly as the app received them"
    ),
  ])
  func `an invalid token is reported under the name of its field`(
    token: String, message: String
  ) throws {
    var draft = AdministrationRequest.PushDraft()
    draft.token = token
    let failure = #expect(throws: AdministrationFailure.self) { try TestPushes.push(draft) }
    #expect(failure.map { "\($0)" } == message)
  }

  @Test(arguments: [
    (410, "Unregistered", "delete the token, unless the app has registered it again since then"),
    (400, "BadDeviceToken", "check the token, the topic and the push type"),
    (400, "PayloadEmpty", "fix the push before you send it again"),
    (429, "TooManyRequests", "wait, then send the push again"),
  ])
  func `the advice about a refused push is a sentence`(
    status: Int, reason: String, advice: String
  ) {
    let refusal = PushOutcome.Refusal(
      status: status, reason: reason, timestampMilliseconds: nil, id: "i")
    let line = TestPushes.line(.rejected(refusal), key: "KEY0000001")
    #expect(line["advice"]?.stringValue == advice)
  }

  @Test func `the advice about a push that can be sent again contains the pause in the response`() {
    let refusal = PushOutcome.Refusal(
      status: 503, reason: "ServiceUnavailable", timestampMilliseconds: nil, id: "i",
      retryAfterSeconds: 5)
    let line = TestPushes.line(.rejected(refusal), key: "KEY0000001")
    #expect(line["advice"]?.stringValue == "wait 5 seconds, then send the push again")
  }
}

private final class ManualSeconds: Sendable {
  private let gauge = MetricRegistry().gauge("seconds", help: "")
  var seconds: Int64 {
    get { gauge.value }
    set { gauge.set(newValue) }
  }
}

private struct NoLog: DeliveryLogSource {
  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] { [] }
  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) -> [DeliveryLogLine] { [] }
}

/// A log whose followers receive a line when the test sends one.
private final class FollowedLog: DeliveryLogSource {
  private let followers = Mutex<[@Sendable ([DeliveryLogLine]) -> Bool]>([])

  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] { [] }

  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) -> [DeliveryLogLine] {
    followers.withLock { $0.append(receive) }
    return []
  }

  /// Sends a line, and returns one Boolean per follower: true if the follower wants more lines.
  func send() -> [Bool] {
    let id = NotificationID(high: 1, low: 1)
    let line = DeliveryLogLine(
      atMilliseconds: 1, state: "Sent", id: id, uniqueID: id, device: 1, topic: "com.example.app")
    return followers.withLock { $0 }.map { $0([line]) }
  }
}
