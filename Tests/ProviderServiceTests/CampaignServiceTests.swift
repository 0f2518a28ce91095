import BelfryProvider
import BelfryWire
import Foundation
import Glibc
import Storage
import Synchronization
import System
import TestSupport
import Testing
import Transport

@testable import ProviderService

/// Tests of campaigns through the operator's requests, with a scripted push service and a clock that the test controls.
@Suite(.timeLimit(.minutes(60))) struct CampaignServiceTests {
  /// A push service that records pushes, and answers them either immediately or once the test allows the answers.
  private final class Recorder: Sendable {
    private let state = Mutex<(pushes: [Push], held: [PushCompletion], holds: Bool)>(
      ([], [], false))

    var pushes: [Push] { state.withLock { $0.pushes } }
    var tokens: [String] { pushes.map(\.deviceToken) }

    var isHolding: Bool { state.withLock { $0.holds } }
    func hold() { state.withLock { $0.holds = true } }
    func release() { state.withLock { $0.holds = false } }

    func answer(_ result: Result<PushOutcome, ProviderFailure>? = nil) {
      let held = state.withLock { state in
        defer { state.held = [] }
        return state.held
      }
      for done in held { done(result ?? .success(.accepted(.init(id: "", uniqueID: nil)))) }
    }

    func submit(_ push: Push, _ done: @escaping PushCompletion) {
      let isHeld = state.withLock { state in
        state.pushes.append(push)
        if state.holds { state.held.append(done) }
        return state.holds
      }
      if !isHeld { done(.success(.accepted(.init(id: push.id ?? "x", uniqueID: nil)))) }
    }
  }

  private let test: TestRegistry
  private let recorder = Recorder()
  private let clock: CampaignClock
  private let unixMilliseconds: @Sendable (Int64) -> Void
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    test = try TestRegistry()
    let time = TestClock()
    time.milliseconds = Self.start
    clock = CampaignClock(log: .silent) {
      ((time.milliseconds - Self.start) * 1_000_000, time.milliseconds)
    }
    unixMilliseconds = { time.milliseconds = $0 }
    try test.register([
      "deviceToken": "01", "language": "fr-CA", "timeZone": "Europe/Paris", "user": "ann",
    ])
    try test.register(["deviceToken": "02", "language": "ja", "timeZone": "Asia/Tokyo"])
  }

  /// The start time: 2026-11-24T12:00:00Z.
  private static let start: Int64 = 1_795_521_600_000

  private func service(log: GatewayLog? = nil) -> CampaignService {
    let recorder = recorder
    return CampaignService(registry: test.registry, log: .silent, clock: clock) {
      PushService(submit: { recorder.submit($0, $1) }, log: log, environment: .sandbox)
    }
  }

  private func router(_ campaigns: CampaignService) throws -> ProviderRouter {
    ProviderRouter(
      registry: test.registry, campaigns: campaigns,
      apps: try AppKeys(folder: folder.file("apps"), adding: ["com.example.app"]),
      adminToken: "a token of the test", isOpen: false, log: .silent)
  }

  private func ask(
    _ campaigns: CampaignService, _ method: String, _ path: String, _ body: String = "",
    query: [(name: String, value: String)] = []
  ) throws -> (status: Int, object: JSONObject, text: String) {
    let response = try router(campaigns).answer(
      HTTP1Request(method: method, path: path, query: query, fields: [], body: Array(body.utf8)),
      isAdministrator: true)
    guard case .bytes(let bytes) = response.body else { return (response.status, [:], "") }
    let line = Array(bytes.split(separator: 0x0A).first ?? [])
    return (
      response.status, (try? JSONValue(parsing: line))?.objectValue ?? [:],
      String(decoding: bytes, as: UTF8.self)
    )
  }

  private static let content =
    #""topic":"com.example.app","alert":{"en":{"title":"Hello"},"fr":{"title":"Salut"}}"#

  private func add(_ campaigns: CampaignService, _ members: String = "") throws -> String {
    let answer = try ask(campaigns, "POST", "/campaigns", "{\(Self.content)\(members)}")
    #expect(answer.status == 201, "\(answer.text)")
    return try #require(answer.object["id"]?.stringValue)
  }

  private func state(_ campaigns: CampaignService, _ id: String) throws -> String? {
    try ask(campaigns, "GET", "/campaigns/\(id)").object["state"]?.stringValue
  }

  private func wait(_ campaigns: CampaignService, _ id: String, for wanted: String) async throws {
    try await Scenario.wait("the state '\(wanted)'") { try state(campaigns, id) == wanted }
  }

  @Test
  func `A campaign for tomorrow is scheduled, and sent once when the first zone has its time`()
    async throws
  {
    let campaigns = service()
    let id = try add(campaigns, #","at":"2026-11-25T09:00""#)
    let status = try ask(campaigns, "GET", "/campaigns/\(id)").object
    #expect(status["state"] == "scheduled" && status["name"] == "Hello")
    #expect(status["at"] == "2026-11-25T09:00" && status["devices"] == 2)
    // In Tokyo, 09:00 is 00:00 UTC. A device that registers before that time is included.
    try test.register(["deviceToken": "03", "timeZone": "Asia/Tokyo"])
    _ = campaigns.startDue()
    #expect(try state(campaigns, id) == "scheduled" && recorder.pushes.isEmpty)
    unixMilliseconds(Self.start + 12 * 3_600_000)
    _ = campaigns.startDue()
    try await wait(campaigns, id, for: "running")
    try await Scenario.wait("both pushes to Tokyo") { recorder.tokens.count >= 2 }
    #expect(recorder.tokens.sorted() == ["02", "03"], "the device in Paris still waits")
    campaigns.drain()
    // When the service restarts, it continues the campaign and resends nothing.
    unixMilliseconds(Self.start + 21 * 3_600_000)
    let second = service()
    try second.resumeInterrupted()
    try await wait(second, id, for: "completed")
    #expect(recorder.tokens.sorted() == ["01", "02", "03"])
  }

  @Test(arguments: ["rate", "draft"])
  func `An invalid value is quoted once`(member: String) throws {
    let refused = try ask(
      service(), "POST", "/campaigns", "{\(Self.content),\"\(member)\":\"fast\"}")
    let error = refused.object["errors"]?.arrayValue?.first?.objectValue
    #expect(error?["error"] == "invalid value 'fast'")
  }

  @Test func `A campaign reports which devices wait for quiet hours, and until when`() async throws
  {
    let campaigns = service()
    func draft(_ members: String) throws -> String {
      try add(campaigns, members + #","draft":true"#)
    }
    func preview(_ id: String) throws -> JSONObject {
      try ask(campaigns, "GET", "/campaigns/\(id)/preview").object
    }
    // It is 13:00 in Paris and 21:00 in Tokyo.
    let none = try preview(draft(""))
    #expect(none["waitingDevices"] == 0 && none["waitsUntil"] == .null)
    let id = try draft(#","quietHours":{"from":"20:00","to":"08:00"}"#)
    let expected = try preview(id)
    #expect(expected["devices"] == 2 && expected["waitingDevices"] == 1)
    #expect(expected["waitsUntil"] == "2026-11-24T23:00:00.000Z")
    func status() throws -> JSONObject { try ask(campaigns, "GET", "/campaigns/\(id)").object }
    #expect(try status()["waitsFor"] == .null)
    _ = try ask(campaigns, "POST", "/campaigns/\(id)/resume")
    try await Scenario.wait("the wait for quiet hours") {
      try status()["waitsFor"] == "quiet hours"
    }
    #expect(try status()["waitsUntil"] == "2026-11-24T23:00:00.000Z")
    #expect(recorder.tokens == ["01"])
    _ = try ask(campaigns, "POST", "/campaigns/\(id)/pause")
    #expect(try status()["waitsFor"] == .null)
  }

  @Test func `A campaign whose audience has left by its time becomes a draft that says why`()
    throws
  {
    let campaigns = service()
    let id = try add(campaigns, #","at":"2026-11-25T09:00Z","to":"user:ann""#)
    #expect(try test.registry.remove([0x01], topic: nil))
    unixMilliseconds(Self.start + 48 * 3_600_000)
    _ = campaigns.startDue()
    let status = try ask(campaigns, "GET", "/campaigns/\(id)").object
    #expect(status["state"] == "draft")
    #expect(
      status["problem"]?.stringValue
        == "could not start at its time: "
        + "no device of the user 'ann' is registered for com.example.app")
  }

  @Test func `A dry run of an edit previews the new content for the campaign's own recipients`()
    throws
  {
    let campaigns = service()
    let id = try add(campaigns, #","at":"2026-11-25T09:00","to":"list","draft":true"#)
    let recipient = try RegistrationRequest(["deviceToken": "01"], zones: test.registry.zones)
    #expect(try campaigns.append([recipient], to: id) == 1)
    let before = try ask(campaigns, "GET", "/campaigns/\(id)/document").object
    let found = try ask(
      campaigns, "PUT", "/campaigns/\(id)",
      #"{"topic":"com.example.app","alert":{"en":{"title":"Later"}},"dryRun":true}"#)
    #expect(found.status == 200 && found.object["devices"] == 1, "\(found.text)")
    #expect(found.text.contains("Later"), "\(found.text)")
    #expect(try ask(campaigns, "GET", "/campaigns/\(id)/document").object == before)
    let bad = try ask(
      campaigns, "PUT", "/campaigns/\(id)", #"{"topic":"com.example.app","dryRun":true}"#)
    #expect(bad.status == 400)
  }

  @Test func `An edit keeps the time, the name and the recipients that it does not mention`() throws
  {
    let campaigns = service()
    let id = try add(campaigns, #","at":"2026-11-25T09:00","name":"Breakfast","to":"user:ann""#)
    let edited = try ask(
      campaigns, "PUT", "/campaigns/\(id)",
      #"{"topic":"com.example.app","alert":{"en":{"title":"Later"}}}"#)
    #expect(edited.status == 200, "\(edited.text)")
    #expect(edited.object["state"] == "scheduled" && edited.object["name"] == "Breakfast")
    #expect(edited.object["at"] == "2026-11-25T09:00" && edited.object["to"] == "user:ann")
    let content = try ask(campaigns, "GET", "/campaigns/\(id)/document").object
    #expect(content["alert"] == ["en": ["title": "Later"]])
    // Without a time, the campaign becomes a draft, because an edit must not start it.
    let held = try ask(
      campaigns, "PUT", "/campaigns/\(id)",
      #"{"topic":"com.example.app","alert":{"en":{"title":"x"}},"at":null,"name":null}"#)
    #expect(held.object["state"] == "draft" && held.object["name"] == "x")
    let bad = try ask(campaigns, "PUT", "/campaigns/\(id)", #"{"topic":"com.example.app"}"#)
    #expect(bad.status == 400)
    unixMilliseconds(Self.start + 48 * 3_600_000)
    _ = campaigns.startDue()
    #expect(recorder.pushes.isEmpty)
  }

  @Test func `A draft is sent, copied and deleted, and a copy has no time`() async throws {
    let campaigns = service()
    let id = try add(campaigns, #","draft":true,"at":"2026-11-25T09:00Z""#)
    #expect(try state(campaigns, id) == "draft")
    let copy = try ask(campaigns, "POST", "/campaigns/\(id)/copy").object
    #expect(copy["name"] == "Copy of Hello" && copy["at"] == .null && copy["state"] == "draft")
    #expect(try ask(campaigns, "DELETE", "/campaigns/\(id)").status == 200)
    #expect(try ask(campaigns, "GET", "/campaigns/\(id)").status == 404)
    let other = try #require(copy["id"]?.stringValue)
    #expect(try ask(campaigns, "POST", "/campaigns/\(other)/resume").status == 200)
    try await wait(campaigns, other, for: "completed")
    #expect(recorder.tokens.sorted() == ["01", "02"])
    #expect(try ask(campaigns, "POST", "/campaigns/\(other)/cancel").status == 409)
    #expect(try ask(campaigns, "DELETE", "/campaigns/\(other)").status == 200)
    #expect(try test.store.tallies(of: other).isEmpty)
  }

  @Test func `A list of recipients is copied with a draft, and replaced by an edit`() async throws {
    let campaigns = service()
    let id = try add(campaigns, #","draft":true,"to":"list""#)
    for (line, error) in [
      ("nothing", "line 2: not hexadecimal"),
      (#"{"deviceToken":"nothing"}"#, "line 2: deviceToken: not hexadecimal"),
    ] {
      let bad = try ask(campaigns, "POST", "/campaigns/\(id)/recipients", "01\n\(line)")
      #expect(bad.object["error"] == .string(error), "\(bad.text)")
    }
    #expect(
      try ask(campaigns, "POST", "/campaigns/\(id)/recipients", "01\n02").object["added"] == 2)
    let copy = try #require(
      try ask(campaigns, "POST", "/campaigns/\(id)/copy").object["id"]?.stringValue)
    #expect(try ask(campaigns, "DELETE", "/campaigns/\(copy)/recipients").status == 200)
    #expect(try ask(campaigns, "POST", "/campaigns/\(copy)/recipients", "02").object["added"] == 1)
    #expect(try ask(campaigns, "POST", "/campaigns/\(copy)/resume").status == 200)
    try await wait(campaigns, copy, for: "completed")
    #expect(recorder.tokens == ["02"])
  }

  @Test func `A cancelled campaign sends nothing more, and its report keeps what was sent`()
    async throws
  {
    for number in 100..<400 { try test.register(["deviceToken": .string("0\(number)")]) }
    recorder.hold()
    let campaigns = service()
    let id = try add(campaigns, #","rate":100"#)
    try await Scenario.wait("a push") { !recorder.pushes.isEmpty }
    // Use a separate thread, because the request below blocks a thread of the pool until the pushes are answered.
    Thread.detachNewThread { [recorder] in
      while recorder.isHolding {
        recorder.answer()
        sched_yield()
      }
    }
    let cancelled = try ask(campaigns, "POST", "/campaigns/\(id)/cancel").object
    recorder.release()
    #expect(cancelled["state"] == "cancelled", "\(cancelled)")
    let sent = recorder.pushes.count
    #expect(sent < 302 && cancelled["accepted"] == .integer(Int64(sent)))
    #expect(try test.store.batches(of: id).isEmpty)
    let second = service()
    try second.resumeInterrupted()
    #expect(try ask(second, "POST", "/campaigns/\(id)/resume").status == 409)
    #expect(recorder.pushes.count == sent)
    let report = try ask(second, "GET", "/campaigns/\(id)/report").object
    #expect(report["accepted"] == .integer(Int64(sent)))
    // The table accounts for every device.
    let table = CampaignTable.csv(report)
    #expect(table.hasSuffix(#""\#(id)","Hello","not sent",,,\#(302 - sent),"# + "\r\n"), "\(table)")
  }

  @Test
  func `Pushes of a cancelled campaign that a killed service left in flight get their outcome`()
    async throws
  {
    // Create the state of the store after a kill: a cancelled campaign with a batch in flight. The gateway has received
    // one push of the batch.
    let campaigns = service()
    let id = try add(campaigns, #","draft":true"#)
    let record = try #require(try test.store.campaign(id))
    var started = try test.store.start(record, groups: [.any], total: 2)
    let group = try #require(try test.store.groups(of: id).first)
    _ = try test.store.claim(of: started, group: group, limit: 2, at: SystemClock.unixMilliseconds)
    started.state = .cancelled
    try test.store.update(started)
    let identity = CampaignIdentity(campaign: id)
    let log = GatewayLog(keptLines: 1_000) {
      SystemClock.unixMilliseconds
    } read: { receive in
      receive(
        .init(
          id: identity.notification(to: [0x01]), state: "Delivered to Device",
          atMilliseconds: SystemClock.unixMilliseconds))
      return true
    }
    let second = service(log: log)
    try second.resumeInterrupted()
    try await Scenario.wait("the outcome of every batch") { try test.store.batches(of: id).isEmpty }
    let report = try ask(second, "GET", "/campaigns/\(id)/report").object
    #expect(report["state"] == "cancelled" && report["accepted"] == 1 && report["unknown"] == 0)
    #expect(recorder.pushes.isEmpty, "the push that the gateway never received is dropped")
  }

  @Test func `A test push goes to one device in its language and does not change the campaign`()
    throws
  {
    let campaigns = service()
    let id = try add(campaigns, #","draft":true"#)
    let before = try test.store.campaign(id)
    let several = try ask(campaigns, "POST", "/campaigns/\(id)/test")
    #expect(several.status == 400 && several.text.contains("several devices"))
    #expect(
      several.text.contains("specify a user with 'user', or a token with 'deviceToken'"),
      "\(several.text)")
    let unknown = try ask(campaigns, "POST", "/campaigns/\(id)/test", #"{"deviceToken":"99"}"#)
    #expect(
      unknown.status == 400 && unknown.text.contains("no device is registered for com.example.app"))
    #expect(recorder.pushes.isEmpty)
    let sent = try ask(campaigns, "POST", "/campaigns/\(id)/test", #"{"deviceToken":"01"}"#)
    #expect(sent.object["status"] == 200 && sent.object["language"] == "fr", "\(sent.text)")
    #expect(recorder.tokens == ["01"])
    let payload = String(decoding: recorder.pushes.first?.payload ?? [], as: UTF8.self)
    #expect(payload.contains("Salut"))
    let owned = try ask(campaigns, "POST", "/campaigns/\(id)/test", #"{"user":"ann"}"#)
    #expect(owned.object["deviceToken"] == "01", "\(owned.text)")
    let nobody = try ask(campaigns, "POST", "/campaigns/\(id)/test", #"{"user":"bob"}"#)
    #expect(
      nobody.object["error"]
        == "user: no device of the user 'bob' is registered for com.example.app",
      "\(nobody.text)")
    #expect(recorder.tokens == ["01", "01"])
    #expect(try test.store.campaign(id) == before && test.store.tallies(of: id).isEmpty)
    #expect(try test.registry.remove([0x02], topic: nil))
    #expect(try ask(campaigns, "POST", "/campaigns/\(id)/test").object["status"] == 200)
  }

  @Test func `The report counts by language, and is a table for a spreadsheet`() async throws {
    let campaigns = service()
    let id = try add(campaigns, #","name":"=1+1, \"x\"""#)
    try await wait(campaigns, id, for: "completed")
    let report = try ask(campaigns, "GET", "/campaigns/\(id)/report").object
    let languages = report["languages"]?.arrayValue?.compactMap(\.objectValue) ?? []
    #expect(languages.map { $0["language"] } == ["en", "fr"])
    #expect(languages.allSatisfy { $0["accepted"] == 1 && $0["devices"] == 1 })
    let csv = try ask(
      campaigns, "GET", "/campaigns/\(id)/report", query: [("format", "csv")]
    ).text
    #expect(
      csv == """
        campaign,name,outcome,reason,language,devices,kind\r
        "\(id)","'=1+1, ""x""\","accepted",,"en",1,"device"\r
        "\(id)","'=1+1, ""x""\","accepted",,"fr",1,"device"\r

        """)
    #expect(
      try ask(campaigns, "GET", "/campaigns/\(id)/report", query: [("format", "pdf")]).status == 400
    )
  }

  @Test func `A language is stored, previewed and reported in its usual spelling`() async throws {
    let campaigns = service()
    let added = try ask(
      campaigns, "POST", "/campaigns",
      #"{"topic":"com.example.app","alert":{"EN":{"title":"a"},"FR":{"title":"b"}},"fallback":"EN","draft":true}"#
    )
    let id = try #require(added.object["id"]?.stringValue)
    try test.register(["deviceToken": "03", "language": "FR", "timeZone": "Europe/Paris"])
    let content = try ask(campaigns, "GET", "/campaigns/\(id)/document").object
    #expect(content["alert"] == ["en": ["title": "a"], "fr": ["title": "b"]])
    #expect(content["fallback"] == "en")
    let preview = try ask(campaigns, "GET", "/campaigns/\(id)/preview").object
    let shown = preview["languages"]?.arrayValue?.compactMap(\.objectValue) ?? []
    #expect(
      shown.map { [$0["language"], $0["shows"]] } == [
        ["fr", "fr"], ["fr-CA", "fr"], ["ja", "en"],
      ])
    #expect(try ask(campaigns, "POST", "/campaigns/\(id)/resume").status == 200)
    try await wait(campaigns, id, for: "completed")
    let report = try ask(campaigns, "GET", "/campaigns/\(id)/report").object
    let languages = report["languages"]?.arrayValue?.compactMap(\.objectValue) ?? []
    #expect(languages.map { $0["language"] } == ["fr", "en"])
  }

  @Test func `A device is found by user, tag, language and token, and what it was sent is listed`()
    async throws
  {
    try test.register(["deviceToken": "03", "language": "fr", "tags": ["vip"], "user": "a&b=c"])
    let identity = Mutex<CampaignIdentity?>(nil)
    let log = GatewayLog(keptLines: 10) {
      0
    } read: { receive in
      if let identity = identity.withLock({ $0 }) {
        receive(
          .init(id: identity.notification(to: [0x01]), state: "Sent", atMilliseconds: 1_000))
        receive(
          .init(
            id: identity.notification(to: [0x01]), state: "Delivered to Device",
            atMilliseconds: 2_000))
      }
      return true
    }
    let campaigns = service(log: log)
    func found(_ query: [(name: String, value: String)]) throws -> [String] {
      let text = try ask(campaigns, "GET", "/tokens", query: query).text
      return text.split(separator: "\n").compactMap {
        (try? JSONValue(parsing: Array($0.utf8)))?.objectValue?["deviceToken"]?.stringValue
      }
    }
    #expect(try found([("user", "ann")]) == ["01"])
    #expect(try found([("user", "a&b=c")]) == ["03"])
    #expect(try found([("tag", "vip")]) == ["03"])
    #expect(try found([("language", "FR")]) == ["01", "03"])
    #expect(try found([("language", "fr-CA")]) == ["01"])
    #expect(try found([("deviceToken", "02")]) == ["02"])
    #expect(try found([("tag", "vip"), ("user", "ann")]) == [])
    #expect(try found([("topic", "com.example.other")]) == [])
    #expect(try ask(campaigns, "GET", "/tokens", query: [("deviceToken", "x")]).status == 400)
    let id = try add(campaigns)
    try await wait(campaigns, id, for: "completed")
    identity.withLock { $0 = CampaignIdentity(campaign: id) }
    let sent = try ask(campaigns, "GET", "/sent", query: [("deviceToken", "01")]).object
    let lines = sent["sent"]?.arrayValue?.compactMap(\.objectValue) ?? []
    #expect(lines.map { $0["name"] } == ["Hello"])
    #expect(lines.first?["state"] == "Delivered to Device" && lines.first?["id"] == .string(id))
    #expect(try ask(campaigns, "GET", "/sent", query: [("deviceToken", "02")]).object["sent"] == [])
  }

  @Test func `A campaign is named after its first text unless it has a name`() {
    for (document, name) in [
      (#"{"name":"N","alert":{"en":{"title":"T"}}}"#, "N"),
      (#"{"alert":{"fr":{"body":"B\nmore"},"en":{"title":"T"}}}"#, "B"),
      (#"{"alert":{"title":{"one":"1","other":"%d things"}}}"#, "%d things"),
      (#"{"payload":{"aps":{"alert":"Plain"}}}"#, "Plain"),
      (#"{"payload":{"aps":{"content-available":1}}}"#, "Untitled campaign"),
      (#"{"alert":{"en":{"title":"\n  \n"}}}"#, "Untitled campaign"),
    ] {
      let object = (try? JSONValue(parsing: Array(document.utf8)))?.objectValue ?? [:]
      #expect(CampaignName.of(object) == name, "\(document)")
    }
    let long = CampaignName.of([
      "name": "", "alert": ["body": .string(String(repeating: "x", count: 900))],
    ])
    #expect(long.unicodeScalars.count == 60 && long.hasSuffix("…"))
  }

  @Test func `A running campaign of an earlier version that waits for its time is scheduled again`()
    throws
  {
    let campaigns = service()
    let id = try add(campaigns, #","draft":true,"at":"2026-11-25T09:00""#)
    let record = try #require(try test.store.campaign(id))
    _ = try test.store.start(record, groups: [.named("Asia/Tokyo")], total: 2)
    try campaigns.resumeInterrupted()
    #expect(try state(campaigns, id) == "scheduled")
    #expect(try test.store.groups(of: id).isEmpty && recorder.pushes.isEmpty)
  }
}
