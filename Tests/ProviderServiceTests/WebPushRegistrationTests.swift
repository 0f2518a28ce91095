import BelfryWire
import Storage
import TestSupport
import Testing
import Transport

@testable import ProviderService

/// The keys of a Web Push subscription (RFC 8291 appendix A).
enum TestSubscription {
  static let p256dh =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
  static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

  /// Returns the fields of a registration, as a browser's `PushSubscription` contains them.
  static func fields(_ endpoint: String, _ others: JSONObject = [:]) -> JSONObject {
    var fields: JSONObject = [
      "endpoint": .string(endpoint), "expirationTime": .null,
      "keys": ["p256dh": .string(p256dh), "auth": .string(auth)],
    ]
    fields.merge(others)
    return fields
  }
}

/// Tests of the requests that register Web Push subscriptions.
@Suite struct WebPushRegistrationTests {
  private static let endpoint = "https://push.example.net/push/A"
  private let folder: ScratchFolder
  private let provider: ProviderFolder

  init() throws {
    folder = try ScratchFolder()
    provider = try ProviderFolder(folder.file("provider"), apps: ["com.example.app"])
  }

  private func router(allowsPrivateEndpoints: Bool = false) -> ProviderRouter {
    let campaigns = CampaignService(registry: provider.registry, log: .silent) {
      PushService(submit: { _, done in done(.failure(.closed)) }, log: nil)
    }
    return ProviderRouter(
      registry: provider.registry, campaigns: campaigns, apps: provider.apps,
      adminToken: provider.adminToken, isOpen: false,
      allowsPrivateEndpoints: allowsPrivateEndpoints, webPushKey: "BPUBLIC", log: .silent)
  }

  /// Sends a request as the operator.
  private func ask(
    _ method: String, _ path: String, query: [(name: String, value: String)] = [],
    _ body: JSONObject? = nil, router: ProviderRouter? = nil
  ) -> (status: Int, lines: [JSONObject]) {
    let response = (router ?? self.router()).answer(
      HTTP1Request(
        method: method, path: path, query: query,
        fields: [
          ("authorization", "Bearer \(provider.adminToken)"), ("content-type", "application/json"),
        ], body: body?.bytes ?? []))
    guard case .bytes(let bytes) = response.body else { return (response.status, []) }
    return (
      response.status,
      bytes.split(separator: 0x0A).compactMap {
        (try? JSONValue(parsing: Array($0)))?.objectValue
      }
    )
  }

  private func register(
    _ endpoint: String, _ others: JSONObject = [:], router: ProviderRouter? = nil
  ) -> (status: Int, lines: [JSONObject]) {
    var fields = TestSubscription.fields(endpoint, others)
    fields["topic"] = "com.example.app"
    return ask("POST", "/register", fields, router: router)
  }

  @Test func `A browser's subscription is registered once for its endpoint, and removed`() throws {
    let added = register(Self.endpoint, ["language": "fr", "user": "ann", "tags": ["news"]])
    #expect(added.status == 200)
    #expect(added.lines.first?["registered"] == "added")
    #expect(added.lines.first?["kind"] == "webPush")
    #expect(added.lines.first?["warnings"] == nil)
    #expect(register(Self.endpoint, ["language": "de"]).lines.first?["registered"] == "renewed")
    // The object of the browser can also be a member.
    let nested: JSONObject = [
      "topic": "com.example.app", "subscription": .object(TestSubscription.fields(Self.endpoint)),
    ]
    #expect(ask("POST", "/register", nested).lines.first?["registered"] == "renewed")
    let lines = ask("GET", "/tokens").lines
    #expect(lines.count == 1)
    #expect(lines.first?["kind"] == "webPush" && lines.first?["deviceToken"] == .null)
    #expect(lines.first?["endpoint"] == .string(Self.endpoint))
    let stored = try #require(try provider.store.tokens(after: 0, limit: 1).first)
    let keys = try #require(stored.registration.keys)
    #expect(provider.registry.sealer.open(keys)?.count == 81)
    #expect(!keys.starts(with: [4]), "the keys are sealed")

    let query = [(name: "endpoint", value: Self.endpoint), ("topic", "com.example.app")]
    #expect(ask("DELETE", "/register", query: query).status == 200)
    let again = ask("DELETE", "/register", query: query)
    #expect(again.status == 404)
    #expect(again.lines.first?["error"]?.stringValue?.contains("this subscription") == true)
  }

  @Test func `Subscriptions and device tokens are found by their kind`() {
    _ = register(Self.endpoint)
    _ = ask("POST", "/register", ["deviceToken": "00ff", "topic": "com.example.app"])
    func found(_ name: String, _ value: String) -> [JSONValue?] {
      ask("GET", "/tokens", query: [(name, value)]).lines.map { $0["kind"] }
    }
    #expect(found("kind", "webPush") == ["webPush"])
    #expect(found("kind", "device") == ["device"])
    #expect(found("endpoint", Self.endpoint) == ["webPush"])
    #expect(found("endpoint", Self.endpoint + "B") == [])
    #expect(ask("GET", "/tokens", query: [("kind", "phone")]).status == 400)
    // The sealed endpoint begins with these bytes.
    #expect(found("deviceToken", "68747470733a2f2f") == [])
    let counts = ask("GET", "/status").lines.first
    #expect(counts?["devices"] == 2 && counts?["webPush"] == 1)
  }

  @Test(
    arguments: [
      (["endpoint": "http://push.example.net/A"], "endpoint"),
      (["endpoint": "https://push.example.net/A"], "keys"),
      (["endpoint": "https://push.example.net/A", "p256dh": "AAAA", "auth": "AAAA"], "p256dh"),
      (["endpoint": "https://push.example.net/A", "deviceToken": "00ff"], "endpoint"),
      (TestSubscription.fields("https://10.0.0.1/A"), "endpoint"),
      (TestSubscription.fields("https://[::1]:8443/A"), "endpoint"),
      (TestSubscription.fields("https://169.254.169.254/latest/meta-data"), "endpoint"),
      (TestSubscription.fields(endpoint, ["environment": "sandbox"]), "environment"),
    ] as [(JSONObject, String)])
  func `A subscription that cannot be used is refused with the field`(
    fields: JSONObject, field: String
  ) {
    var fields = fields
    fields["topic"] = "com.example.app"
    let refused = ask("POST", "/register", fields)
    #expect(refused.status == 400)
    let errors = refused.lines.first?["errors"]?.arrayValue?.compactMap(\.objectValue) ?? []
    #expect(errors.compactMap { $0["field"]?.stringValue } == [field], "\(refused.lines)")
    #expect(ask("GET", "/tokens").lines.isEmpty)
  }

  @Test func `The operator can allow endpoints on private networks`() {
    let router = router(allowsPrivateEndpoints: true)
    #expect(register("https://127.0.0.1:8443/A", router: router).status == 200)
  }

  @Test func `Subscriptions are imported with tokens, but no list of recipients contains them`() {
    let fields = TestSubscription.fields(Self.endpoint, ["topic": "com.example.app"])
    #expect(ask("POST", "/tokens", fields).lines.first?["added"] == 1)
    let campaign: JSONObject = [
      "topic": "com.example.app", "alert": ["en": ["body": "Hello"]], "to": "list", "draft": true,
    ]
    let id = ask("POST", "/campaigns", campaign).lines.first?["id"]?.stringValue ?? ""
    let refused = ask("POST", "/campaigns/\(id)/recipients", fields)
    #expect(refused.status == 400, "\(refused.lines)")
  }

  @Test func `Everybody can read the public key with which a page subscribes`() {
    let response = router().answer(HTTP1Request(method: "GET", path: "/web-push-key"))
    guard case .bytes(let bytes) = response.body else {
      Issue.record("no body")
      return
    }
    #expect(response.status == 200 && bytes == Array("BPUBLIC\n".utf8))
  }
}
