import BelfryWire
import ProviderService
import System
import TestSupport
import Testing
import Transport

@testable import Console
@testable import GatewayConsole

/// Tests of a browser's access to the provider's console, and of what a page from another site can't do.
@Suite struct ProviderConsoleTests {
  private let folder: ScratchFolder
  private let provider: ProviderFolder
  private let console: ProviderConsole
  private static let own = [("Host", "localhost:2199")]
  private static let proof = own + [("x-belfry-console", "1"), ("Origin", "http://localhost:2199")]

  init() throws {
    folder = try ScratchFolder()
    provider = try ProviderFolder(folder.file("provider"), apps: ["com.example.app"])
    struct NoService: Error {}
    let campaigns = CampaignService(registry: provider.registry, log: .silent) {
      throw NoService()
    }
    console = ProviderConsole(
      router: ProviderRouter(
        registry: provider.registry, campaigns: campaigns, apps: provider.apps,
        adminToken: provider.adminToken, isOpen: true, log: .silent),
      token: provider.adminToken, tokenFile: provider.adminTokenFile, names: ["push.example"],
      port: 2_199)
  }

  private func answer(
    _ method: String, _ path: String, _ fields: [(String, String)], body: String = ""
  ) -> HTTP1Response {
    console.answer(
      HTTP1Request(
        method: method, path: path, fields: fields, body: Array(body.utf8), peer: "127.0.0.1:4000"))
  }

  private func field(_ name: String, of response: HTTP1Response) -> String? {
    response.fields.first { $0.name == name }?.value
  }

  private func signIn() throws -> (String, String) {
    let response = answer(
      "POST", "/console/session", Self.proof, body: #"{"token":"\#(provider.adminToken)"}"#)
    #expect(response.status == 200)
    let cookie = try #require(field("set-cookie", of: response))
    #expect(cookie.contains("HttpOnly; SameSite=Strict"))
    return ("Cookie", String(cookie.prefix { $0 != ";" }))
  }

  @Test func `the sign-in page gets the path of the file with this service's token`() throws {
    let response = answer("GET", "/console/session", Self.own)
    guard case .bytes(let bytes) = response.body else {
      Issue.record("\(response.status)")
      return
    }
    let line = try #require(JSONValue(parsing: bytes).objectValue)
    #expect(line["tokenFile"]?.stringValue == provider.adminTokenFile)
    #expect(line["command"] == nil)
  }

  @Test func `the page is the provider's own, with the policy of every console`() throws {
    let page = answer("GET", "/", Self.own)
    guard page.status == 200, case .bytes(let bytes) = page.body else {
      Issue.record("\(page.status)")
      return
    }
    #expect(String(decoding: bytes, as: UTF8.self).contains("/console/provider.js"))
    let policy = try #require(field("content-security-policy", of: page))
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
    #expect(answer("GET", "/console/provider.js", Self.own).status == 200)
    for document in [
      "docs/provider.md", "docs/first-five-minutes/campaign.md", "docs/rejections.md",
    ] {
      #expect(answer("GET", "/console/\(document)", Self.own).status == 200, "\(document)")
    }
    #expect(answer("GET", "/console/none.js", Self.own).status == 404)
    #expect(answer("GET", "/", [("Host", "push.example:2199")]).status == 200)
    #expect(answer("GET", "/", [("Host", "evil.example:2199")]).status == 421)
  }

  @Test func `a session can do what the admin token can, but only from the console's own pages`()
    throws
  {
    let cookie = try signIn()
    let own = Self.own + [cookie]
    #expect(answer("GET", "/status", own).status == 200)
    #expect(field("cache-control", of: answer("GET", "/status", own)) == "no-store")
    #expect(answer("GET", "/campaigns", own).status == 200)
    #expect(answer("POST", "/tokens", Self.proof + [cookie], body: "00ff").status == 200)
    // Access is denied without the proof, from another site, under another host name, or without the cookie.
    #expect(answer("POST", "/tokens", own, body: "0a").status == 401)
    for fields in [
      own + [("Origin", "http://evil.example")], own + [("Sec-Fetch-Site", "cross-site")],
      [("Host", "evil.example"), cookie], Self.own,
    ] {
      #expect(answer("GET", "/status", fields).status == 401)
      #expect(answer("GET", "/tokens", fields).status == 401)
      #expect(answer("GET", "/campaigns/none/events", fields).status == 401)
    }
    #expect(answer("DELETE", "/console/session", Self.proof + [cookie]).status == 204)
    #expect(answer("GET", "/status", own).status == 401)
  }

  @Test func `The events of a campaign end with the session that follows them`() throws {
    let cookie = try signIn()
    let bearer = ("Authorization", "Bearer \(provider.adminToken)")
    let draft = #"{"topic":"com.example.app","alert":{"en":{"body":"b"}},"draft":true}"#
    let added = answer("POST", "/campaigns", Self.proof + [cookie], body: draft)
    guard case .bytes(let bytes) = added.body,
      let id = try JSONValue(parsing: bytes.dropLast()).objectValue?["id"]?.stringValue
    else {
      Issue.record("the draft was not added: \(added.status)")
      return
    }
    let streams = [cookie, bearer].compactMap { credential -> HTTP1BodyStream? in
      let response = answer("GET", "/campaigns/\(id)/events", Self.own + [credential])
      return if case .stream(let stream) = response.body { stream } else { nil }
    }
    #expect(streams.map { $0.write([0]) } == [true, true])
    #expect(answer("DELETE", "/console/session", Self.proof + [cookie]).status == 204)
    #expect(
      streams.map { $0.write([0]) } == [false, true],
      "a client with the admin token has no session")
  }

  @Test func `apps and scripts ask as before`() throws {
    #expect(
      console.answer(
        HTTP1Request(
          method: "GET", path: "/register", query: [("deviceToken", "00ff")],
          fields: [("Host", "127.0.0.1:2199")])
      ).status == 200)
    let bearer = Self.own + [("Authorization", "Bearer \(provider.adminToken)")]
    #expect(answer("GET", "/tokens", bearer).status == 200)
    #expect(answer("GET", "/healthz", []).status == 200)
    #expect(answer("GET", "/nothing", Self.own).status == 404)
    // The status reports a missing push service as a state, not as an error.
    let status = answer("GET", "/status", bearer)
    guard case .bytes(let bytes) = status.body else { return }
    let object = try JSONValue(parsing: bytes.dropLast()).objectValue
    #expect(object?["service"]?.objectValue?["connection"] == "failed")
  }
}
