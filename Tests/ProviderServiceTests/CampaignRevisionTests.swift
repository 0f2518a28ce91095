import BelfryProvider
import BelfryWire
import Storage
import System
import TestSupport
import Testing
import Transport

@testable import ProviderService

/// Tests of requests that state the revision of a campaign that they are based on, and of a draft's preview.
@Suite struct CampaignRevisionTests {
  private let folder: ScratchFolder
  private let test: TestRegistry
  private let router: ProviderRouter

  init() throws {
    folder = try ScratchFolder()
    test = try TestRegistry()
    router = ProviderRouter(
      registry: test.registry,
      campaigns: CampaignService(registry: test.registry, log: .silent) {
        PushService(
          submit: { push, done in
            done(.success(.accepted(.init(id: push.id ?? "", uniqueID: nil))))
          }, log: nil, environment: .sandbox)
      },
      apps: try AppKeys(folder: folder.file("apps"), adding: ["com.example.app"]),
      adminToken: "a token of the test", isOpen: false, log: .silent)
    try test.register(["deviceToken": "01", "language": "en"])
  }

  /// Sends a request as the operator; `revision` is the value of its field `If-Match`.
  private func ask(
    _ method: String, _ path: String, _ body: String = "", revision: String? = nil
  ) -> (status: Int, object: JSONObject, tag: String?) {
    let response = router.answer(
      HTTP1Request(
        method: method, path: path, fields: revision.map { [("If-Match", $0)] } ?? [],
        body: Array(body.utf8)), isAdministrator: true)
    var object: JSONObject = [:]
    if case .bytes(let bytes) = response.body {
      object = (try? JSONValue(parsing: bytes.filter { $0 != 0x0A }))?.objectValue ?? [:]
    }
    return (response.status, object, response.fields.first { $0.name == "etag" }?.value)
  }

  /// Returns a campaign with this title and these further members.
  private static func campaign(_ title: String, _ members: String = "") -> String {
    #"{"topic":"com.example.app","alert":{"en":{"title":"\#(title)"}}\#(members)}"#
  }

  /// Adds a draft and returns its path.
  private func draft(_ members: String = "") throws -> String {
    let added = ask("POST", "/campaigns", Self.campaign("First", #","draft":true\#(members)"#))
    let id = try #require(added.object["id"]?.stringValue, "\(added.object)")
    return "/campaigns/\(id)"
  }

  @Test func `A change that is based on an older revision is refused with the parts that differ`()
    throws
  {
    let path = try draft()
    let id = path.dropFirst("/campaigns/".count)
    let first = try #require(ask("GET", path).object["revision"]?.stringValue)
    let edited = ask(
      "PUT", path, Self.campaign("Second", #","rate":5"#), revision: "\"\(first)\"")
    #expect(edited.status == 200, "\(edited.object)")
    let second = try #require(edited.object["revision"]?.stringValue)
    #expect(second != first && ask("GET", path).object["revision"] == .string(second))
    for (method, place, body) in [
      ("PUT", path, Self.campaign("Third")), ("POST", "\(path)/resume", ""),
    ] {
      let refused = ask(method, place, body, revision: "\"\(first)\"")
      #expect(refused.status == 409)
      #expect(
        refused.object["error"]
          == .string(
            "revision: the text and rate limit of campaign \(id) have changed since it was read"),
        "\(refused.object)")
    }
    #expect(ask("GET", path).object["revision"] == .string(second))
    #expect(ask("GET", path).object["state"] == "draft", "the campaign was not started")
    let named = ask("PUT", path, Self.campaign("Second", #","name":"Name""#))
    #expect(named.status == 200, "a client that sends no revision replaces any revision")
    let refused = ask("POST", "\(path)/resume", revision: "\"\(second)\"")
    #expect(
      refused.object["error"]
        == .string("revision: the name of campaign \(id) has changed since it was read"),
      "\(refused.object)")
  }

  @Test func `The content of a campaign has its revision as its entity tag, until it starts`()
    async throws
  {
    let path = try draft()
    let tag = try #require(ask("GET", "\(path)/document").tag)
    let revision = String(tag.dropFirst().dropLast())
    #expect(ask("GET", path).object["revision"] == .string(revision))
    let invalid = ask("POST", "\(path)/resume", revision: "\"5\"")
    #expect(invalid.status == 400)
    #expect(invalid.object["error"] == "If-Match: invalid value '\"5\"'", "\(invalid.object)")
    #expect(ask("PUT", path, Self.campaign("First"), revision: "*").status == 200)
    #expect(ask("POST", "\(path)/resume", revision: tag).status == 200)
    try await Scenario.wait("the completion") {
      ask("GET", path).object["state"] == "completed"
    }
    #expect(ask("GET", path).object["revision"] == .null)
  }

  @Test func `A preview warns about the tokens of a list that are not registered`() throws {
    let path = try draft(#","to":"list""#)
    #expect(ask("POST", "\(path)/recipients", "01\n0170\n0171").object["added"] == 3)
    let warnings = ask("GET", "\(path)/preview").object["warnings"]?.arrayValue ?? []
    #expect(
      warnings.contains(
        .string(
          "2 tokens in the list are not registered for com.example.app: the push service might "
            + "refuse them")), "\(warnings)")
  }

  @Test func `A rate that is not a number is refused with an example`() {
    let refused = ask("POST", "/campaigns", Self.campaign("First", #","rate":"1/s""#))
    #expect(
      refused.object["advice"]
        == "expected a number of pushes per second from 1 to 1000000, such as 500",
      "\(refused.object)")
  }
}
