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

@Suite struct AdminRouterTests {
  private let scratch: ScratchFolder
  private let router: AdminRouter
  private let token = "0123456789abcdef"

  init() throws {
    scratch = try ScratchFolder()
    let folder = GatewayFolder(path: scratch.path)
    let store = try SQLiteControlStore(path: folder.controlStoreFile)
    let metrics = MetricRegistry()
    metrics.counter("belfry_test_total", help: "A count.").add(3)
    router = AdminRouter(
      administration: Administration(
        folder: folder, store: store, environment: .sandbox,
        runtime: .init(faults: FaultRegistry(), log: EmptyLog()) { _ in }),
      token: token, metrics: metrics, isReady: { false })
  }

  private func answer(
    _ method: String, _ path: String, body: String = "", bearer: String? = nil,
    query: [(name: String, value: String)] = []
  ) -> (status: Int, text: String) {
    let fields = [("Authorization", "Bearer \(bearer ?? token)")]
    let response = router.answer(
      HTTP1Request(
        method: method, path: path, query: query, fields: fields, body: Array(body.utf8)))
    guard let response, case .bytes(let bytes) = response.body else { return (0, "") }
    return (response.status, String(decoding: bytes, as: UTF8.self))
  }

  @Test
  func `metrics and probes are open; readiness tells the truth`() {
    let metrics = router.answer(HTTP1Request(method: "GET", path: "/metrics"))
    #expect(metrics?.status == 200)
    #expect(answer("GET", "/metrics").text.contains("belfry_test_total 3"))
    #expect(router.answer(HTTP1Request(method: "GET", path: "/healthz"))?.status == 200)
    #expect(router.answer(HTTP1Request(method: "GET", path: "/readyz"))?.status == 503)
    #expect(router.answer(HTTP1Request(method: "POST", path: "/metrics"))?.status == 405)
    #expect(router.answer(HTTP1Request(method: "GET", path: "/other")) == nil)
  }

  @Test(
    arguments: [
      (nil, false), ("*/*", false), ("text/plain", false), ("application/*", false),
      ("application/openmetrics-text", true),
      ("Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8", true),
      ("application/openmetrics-text;version=2.0.0", false),
      ("application/openmetrics-text;q=0", false),
      ("application/openmetrics-text;q=0.4, text/plain;version=0.0.4;q=0.5", false),
      ("application/openmetrics-text;q=x", true), (";;,,=;q=", false),
      // The Accept headers of Prometheus 2.42 and 3.
      (
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
          + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true
      ),
      (
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
        true
      ),
    ] as [(String?, Bool)])
  func `Clients that prefer OpenMetrics get it, and all others get the Prometheus text format`(
    accept: String?, isOpenMetrics: Bool
  ) throws {
    let fields = accept.map { [(name: "Accept", value: $0)] } ?? []
    let response = try #require(
      router.answer(HTTP1Request(method: "GET", path: "/metrics", fields: fields)))
    let type = response.fields.first { $0.name == "content-type" }?.value
    #expect(
      type
        == (isOpenMetrics
          ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
          : "text/plain; version=0.0.4; charset=utf-8"))
    #expect(response.fields.contains { $0.name == "vary" && $0.value == "Accept" })
    guard case .bytes(let bytes) = response.body else {
      Issue.record("the answer is not text")
      return
    }
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("# EOF\n") == isOpenMetrics)
  }

  @Test
  func `the API refuses every request without the token`() {
    let without = router.answer(HTTP1Request(method: "GET", path: "/api/teams"))
    #expect(without?.status == 401)
    #expect(without?.fields.contains { $0.name == "www-authenticate" } == true)
    for wrong in ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg"] {
      #expect(answer("POST", "/api/teams", body: "{}", bearer: wrong).status == 401)
    }
    let scheme = HTTP1Request(
      method: "GET", path: "/api/teams", fields: [("authorization", "Basic \(token)")])
    #expect(router.answer(scheme)?.status == 401)
    let lower = HTTP1Request(
      method: "GET", path: "/api/teams", fields: [("authorization", "bearer \(token)")])
    #expect(router.answer(lower)?.status == 200)
    #expect(answer("GET", "/api/teams").text == "")
  }

  @Test
  func `added teams are listed, one object per line`() throws {
    #expect(answer("POST", "/api/teams", body: #"{"id":"TEAMAAAAAA","name":"A"}"#).status == 200)
    #expect(answer("POST", "/api/teams", body: #"{"id":"TEAMBBBBBB"}"#).status == 200)
    let lines = answer("GET", "/api/teams").text.split(separator: "\n")
    let ids = try lines.map { try JSONValue(parsing: String($0)).objectValue?["id"]?.stringValue }
    #expect(ids == ["TEAMAAAAAA", "TEAMBBBBBB"])
  }

  @Test(arguments: [
    ("POST", "/api/teams", "{", 400), ("POST", "/api/teams", "[]", 400),
    ("POST", "/api/teams", #"{"id":"x"}"#, 400), ("POST", "/api/keys", "{}", 400),
    ("DELETE", "/api/keys/NOSUCHKEY0", "", 404), ("GET", "/api/nothing", "", 404),
    ("DELETE", "/api/devices/abc", "", 400), ("GET", "/api/log/payload", "", 400),
    ("POST", "/api/log/payload", "", 404),
    ("POST", "/api/keys", #"{"team":"TEAMAAAAAA"}"#, 404),
    ("POST", "/api/faults", #"{"reason":"Unregistered","topic":""}"#, 400),
  ])
  func `errors say what is wrong and what to do, under the status that fits`(
    method: String, path: String, body: String, status: Int
  ) throws {
    let answer = answer(method, path, body: body)
    #expect(answer.status == status)
    let object = try #require(try JSONValue(parsing: answer.text).objectValue)
    #expect(object["error"]?.stringValue?.isEmpty == false)
    #expect(object["advice"]?.stringValue?.isEmpty == false)
  }

  @Test
  func `a conflict is 409`() {
    _ = answer("POST", "/api/teams", body: #"{"id":"TEAMAAAAAA"}"#)
    #expect(answer("POST", "/api/teams", body: #"{"id":"TEAMAAAAAA"}"#).status == 409)
  }

  @Test
  func `a list is read page by page, and each page says how long the list is`() throws {
    for id in ["TEAMAAAAAA", "TEAMBBBBBB", "TEAMCCCCCC", "TEAMDDDDDD"] {
      #expect(answer("POST", "/api/teams", body: #"{"id":"\#(id)"}"#).status == 200)
    }
    func page(_ query: KeyValuePairs<String, String>) throws -> String {
      let response = router.answer(
        HTTP1Request(
          method: "GET", path: "/api/teams", query: query.map { ($0.key, $0.value) },
          fields: [("authorization", "Bearer \(token)")]))
      #expect(response?.fields.first { $0.name == "belfry-total" }?.value == "4")
      guard let response, case .bytes(let bytes) = response.body else { return "" }
      return try String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
        let id = try JSONValue(parsing: String(line)).objectValue?["id"]?.stringValue
        return String(id?.dropFirst(4).first ?? "?")
      }.joined()
    }
    #expect(try page([:]) == "ABCD")
    #expect(try page(["limit": "2"]) == "CD", "the last entries")
    #expect(try page(["limit": "3", "after": ""]) == "ABC", "the first entries")
    #expect(try page(["limit": "3", "after": "TEAMCCCCCC"]) == "D")
    #expect(try page(["after": "TEAMAAAAAA"]) == "BCD")
    #expect(try page(["after": "TEAMDDDDDD"]) == "")
    #expect(answer("GET", "/api/teams", query: [("after", "TEAMEEEEEE")]).status == 404)
  }

  @Test(arguments: ["ten", "-1", "1.5"])
  func `a wrong limit is refused, but does not hide that a change was made`(limit: String) {
    for path in ["/api/teams", "/api/log"] {
      let refusal = answer("GET", path, query: [("limit", limit)])
      #expect(refusal.status == 400 && refusal.text.contains("limit"), "\(refusal.text)")
    }
    let change = answer(
      "POST", "/api/teams", body: #"{"id":"TEAMAAAAAA"}"#, query: [("limit", limit)])
    #expect(change.status == 200 && change.text.contains("TEAMAAAAAA"), "\(change.text)")
  }

  @Test
  func `the log is followed as a stream`() {
    let response = router.answer(
      HTTP1Request(
        method: "GET", path: "/api/log", query: [("follow", "1")],
        fields: [("authorization", "Bearer \(token)")]))
    guard let response, case .stream = response.body else {
      Issue.record("the answer is not a stream")
      return
    }
    #expect(response.status == 200)
  }

  @Test
  func `a log that lacks a loop's lines is refused, and its followers are removed`() throws {
    let log = BusyLog()
    let router = AdminRouter(
      administration: Administration(
        folder: GatewayFolder(path: scratch.path), store: try SQLiteControlStore.inMemory(),
        environment: .sandbox, runtime: .init(faults: FaultRegistry(), log: log) { _ in }),
      token: token, metrics: MetricRegistry(), isReady: { true })
    for query in [[], [("follow", "1")]] {
      let response = router.answer(
        HTTP1Request(
          method: "GET", path: "/api/log", query: query,
          fields: [("authorization", "Bearer \(token)")]))
      #expect(response?.status == 503)
    }
    let receive = try #require(log.follower.withLock { $0 })
    let line = DeliveryLogLine(
      atMilliseconds: 1, state: "Sent", id: NotificationID(high: 1, low: 2),
      uniqueID: NotificationID(high: 3, low: 4), device: 5, topic: "com.example.app")
    #expect(!receive([line]))
  }
}

/// The log of a gateway with a loop that doesn't answer in time.
private final class BusyLog: DeliveryLogSource {
  let follower = Mutex<(@Sendable ([DeliveryLogLine]) -> Bool)?>(nil)
  private let failure = AdministrationFailure(.busy, "a loop did not respond", do: "try again")

  func lines(of query: DeliveryLogQuery) throws(AdministrationFailure) -> [DeliveryLogLine] {
    throw failure
  }

  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) throws(AdministrationFailure) -> [DeliveryLogLine] {
    follower.withLock { $0 = receive }
    throw failure
  }
}

private struct EmptyLog: DeliveryLogSource {
  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] { [] }
  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) -> [DeliveryLogLine] { [] }
}
