import BelfryProvider
import BelfryWire
import Storage
import System
import TestSupport
import Testing
import Transport

@testable import ProviderService

/// Tests that campaigns that don't fit their audience are refused before anything is sent.
@Suite struct AudienceTests {
  private let folder: ScratchFolder
  private let provider: ProviderFolder

  init() throws {
    folder = try ScratchFolder()
    provider = try ProviderFolder(folder.file("provider"), apps: ["com.example.app"])
  }

  private func router(_ environment: Environment? = .sandbox) -> ProviderRouter {
    let campaigns = CampaignService(registry: provider.registry, log: .silent) {
      PushService(
        submit: { _, done in
          Issue.record("a push was sent")
          done(.failure(.closed))
        }, log: nil, environment: environment)
    }
    return ProviderRouter(
      registry: provider.registry, campaigns: campaigns, apps: provider.apps,
      adminToken: provider.adminToken, isOpen: false, log: .silent)
  }

  private func register(_ lines: String...) throws {
    let answer = try ask(router(), "/tokens", lines.joined(separator: "\n"))
    #expect(answer.status == 200, "\(answer.object)")
  }

  private func ask(
    _ router: ProviderRouter, _ path: String, _ body: String
  ) throws -> (status: Int, object: JSONObject) {
    let response = router.answer(
      HTTP1Request(
        method: body.isEmpty ? "GET" : "POST", path: path,
        fields: [("authorization", "Bearer \(provider.adminToken)")], body: Array(body.utf8)))
    guard case .bytes(let bytes) = response.body else { return (response.status, [:]) }
    return (response.status, (try JSONValue(parsing: bytes.dropLast())).objectValue ?? [:])
  }

  /// Previews and starts a campaign; returns the problems, which must be the same for both.
  private func problems(
    _ router: ProviderRouter, _ members: String
  ) throws -> [String] {
    func lines(_ value: JSONValue?) -> [String] {
      guard case .array(let all)? = value else { return [] }
      return all.compactMap(\.objectValue).map {
        "\($0["field"]?.stringValue ?? ""): \($0["error"]?.stringValue ?? "")"
      }
    }
    let campaign = #"{"topic":"com.example.app",\#(members)"#
    let preview = try ask(router, "/campaigns", campaign + #","dryRun":true}"#)
    #expect(preview.status == 200)
    let said = lines(preview.object["problems"])
    guard !said.isEmpty else { return [] }
    let start = try ask(router, "/campaigns", campaign + "}")
    #expect(start.status == 400 && lines(start.object["errors"]) == said)
    #expect(try provider.store.campaigns().allSatisfy { $0.state == .draft })
    return said
  }

  @Test func `tokens of two environments are refused, by their numbers`() throws {
    try register(
      #"{"deviceToken":"01","environment":"development"}"#,
      #"{"deviceToken":"02","environment":"production"}"#,
      #"{"deviceToken":"03","environment":"Production"}"#)
    let alert = #""alert":{"en":{"body":"b"}}"#
    #expect(
      try problems(router(), alert)
        == ["to: the device tokens belong to two environments: 1 in sandbox and 2 in production"])
    #expect(
      try problems(router(nil), alert).count == 1, "the service's environment does not matter")
    #expect(try problems(router(), alert + #","environment":"development""#).isEmpty)
    #expect(
      try problems(router(), alert + #","environment":"production""#)
        == ["to: 2 devices registered for production, but the push service is sandbox"])
    let one = try ask(
      router(), "/campaigns",
      #"{"topic":"com.example.app",\#(alert),"environment":"sandbox","dryRun":true}"#)
    #expect(one.object["devices"] == 1)
  }

  @Test func `tokens without an environment count as the service's, with a warning`() throws {
    try register(#"{"deviceToken":"01","environment":"sandbox"}"#, #"{"deviceToken":"02"}"#)
    let alert = #""alert":{"en":{"body":"b"}}"#
    #expect(try problems(router(), alert).isEmpty)
    let preview = try ask(
      router(), "/campaigns", #"{"topic":"com.example.app",\#(alert),"dryRun":true}"#)
    #expect(
      preview.object["warnings"] == [
        "1 device registered without an environment: that of the push service is assumed"
      ])
    #expect(preview.object["devices"] == 2)
    #expect(
      try problems(router(.production), alert)
        == ["to: 1 device registered for sandbox, but the push service is production"])
  }

  @Test(arguments: ["2020-01-01T09:00Z", "2020-01-01T09:00"])
  func `A time that has passed for every device is refused, and a preview says so`(
    time: String
  ) throws {
    try register(
      #"{"deviceToken":"01","environment":"sandbox"}"#,
      #"{"deviceToken":"02","environment":"sandbox","timeZone":"Asia/Tokyo"}"#)
    let alert = #""alert":{"en":{"body":"b"}}"#
    for members in ["", #","quietHours":{"from":"22:00","to":"08:00"}"#] {
      #expect(
        try problems(router(), alert + #","at":"\#(time)""# + members)
          == ["at: invalid value '\(time)'"])
    }
    #expect(try provider.store.campaigns().isEmpty, "nothing is stored that could be sent")
    let later = time.replacing("2020", with: "9000")
    #expect(try problems(router(), alert + #","at":"\#(later)""#).isEmpty)
  }

  @Test func `a preview lists the most common languages, and counts the others`() throws {
    let common = (0..<3).map { #"{"deviceToken":"aa0\#($0)","language":"fr"}"# }
    let rare = (0..<300).map { number in
      let letters = Array("abcdefghijklmnopqrstuvwxyz")
      return
        #"{"deviceToken":"\#(1_000 + number)","language":"q\#(letters[number % 26])-\#(100 + number)"}"#
    }
    let answer = try ask(router(), "/tokens", (common + rare).joined(separator: "\n"))
    #expect(answer.status == 200, "\(answer.object)")
    let preview = try ask(
      router(), "/campaigns",
      #"{"topic":"com.example.app","alert":{"en":{"body":"b"}},"dryRun":true}"#)
    let languages = preview.object["languages"]?.arrayValue ?? []
    #expect(languages.count == 200)
    #expect(languages.first?.objectValue?["language"] == "fr")
    #expect(preview.object["devices"] == 303)
    let warnings = (preview.object["warnings"]?.arrayValue ?? []).compactMap(\.stringValue)
    #expect(warnings.contains("101 more languages with 101 devices are not listed"))
  }

  @Test func `a language that a device needs is missed before anything is sent`() throws {
    try register(
      #"{"deviceToken":"01","language":"ja"}"#, #"{"deviceToken":"02","language":"ja-JP"}"#,
      #"{"deviceToken":"03","language":"fi"}"#, #"{"deviceToken":"04"}"#)
    let finnish = #""alert":{"fi":{"body":"b"}}"#
    #expect(
      try problems(router(), finnish) == [
        "alert: no ja text for 1 device, and no fallback language",
        "alert: no ja-JP text for 1 device, and no fallback language",
      ])
    #expect(try problems(router(), finnish + #","fallback":"fi""#).isEmpty)
    let english = #""alert":{"en":{"body":"b"},"ja":{"body":"b"}}"#
    #expect(
      try problems(router(), english).isEmpty, "English is the fallback because it is widely spoken"
    )
    #expect(
      try problems(router(), english + #","fallback":false"#)
        == ["alert: no fi text for 1 device, and no fallback language"])
  }

  @Test func `a campaign without recipients can be previewed but not started`() throws {
    try register(#"{"deviceToken":"01","tag":"news"}"#)
    let campaign = #"{"topic":"com.example.app","alert":{"en":{"body":"b"}},"to":"tag:none""#
    let preview = try ask(router(), "/campaigns", campaign + #","dryRun":true}"#)
    #expect(preview.status == 200 && preview.object["devices"] == 0)
    let none = "no device with the tag 'none' is registered for com.example.app"
    #expect(preview.object["warnings"] == [.string(none)])
    let start = try ask(router(), "/campaigns", campaign + "}")
    #expect(start.status == 400)
    #expect(start.object["error"] == .string("to: \(none)"))
    #expect(try provider.store.campaigns().allSatisfy { $0.state == .draft })
  }

  @Test func `An empty audience is reported with the app, whose identifier might be mistyped`()
    throws
  {
    try register(#"{"deviceToken":"01","environment":"production"}"#)
    for (topic, members, reason) in [
      ("com.example.burgr", "", "no device is registered for com.example.burgr"),
      (
        "com.example.app", #","to":"user:ann""#,
        "no device of the user 'ann' is registered for com.example.app"
      ),
      (
        "com.example.app", #","environment":"sandbox""#,
        "no device is registered for com.example.app in the environment 'sandbox'"
      ),
      (
        "com.example.app", #","to":"list""#,
        "the list of recipients has no tokens for com.example.app"
      ),
    ] {
      let preview = try ask(
        router(), "/campaigns",
        #"{"topic":"\#(topic)","alert":{"en":{"body":"b"}},"dryRun":true\#(members)}"#)
      #expect(preview.object["warnings"] == [.string(reason)], "\(topic) \(members)")
    }
  }

  @Test func `A placeholder for a number is refused if the campaign has no arguments`() throws {
    try register(#"{"deviceToken":"01"}"#)
    #expect(
      try problems(router(), #""alert":{"en":{"body":"Only %d left"},"fr":{"body":"Que %.2f"}}"#)
        == [
          "alert.en.body: no value for '%d': 'arguments' has 0 values",
          "alert.fr.body: no value for '%.2f': 'arguments' has 0 values",
        ])
    #expect(
      try problems(router(), #""alert":{"title":"%1$lu new"}"#)
        == ["alert.title: no value for '%1$lu': 'arguments' has 0 values"])
    // A percent sign after a digit or before a word is text.
    for text in ["50%off", "100 % sure", "-20% d'avance", "the %discount", "%%d"] {
      #expect(try problems(router(), #""alert":{"en":{"body":"\#(text)"}}"#).isEmpty, "\(text)")
    }
  }

  @Test func `A single alert for all languages has no language, and no device gets a fallback`()
    throws
  {
    try register(#"{"deviceToken":"01","language":"fr"}"#)
    let preview = try ask(
      router(), "/campaigns",
      #"{"topic":"com.example.app","alert":{"title":"Bonjour","body":"Soldes"},"dryRun":true}"#)
    #expect(preview.object["warnings"] == [])
    #expect(
      preview.object["languages"] == [
        [
          "language": "fr", "devices": 1, "shows": .null, "fallback": false,
          "alert": ["title": "Bonjour", "body": "Soldes"],
        ]
      ])
  }

  @Test func `The problems of the recipients and of the campaign are listed together`() throws {
    let answer = try ask(
      router(), "/campaigns",
      #"{"topic":"com.example.app","alert":{"en":{"body":"b"}},"titel":"x","to":"everyone","rate":0,"draft":1}"#
    )
    let errors = (answer.object["errors"]?.arrayValue ?? []).compactMap(\.objectValue)
    #expect(answer.status == 400)
    #expect(errors.map { $0["field"] } == ["to", "rate", "draft", "titel"])
    #expect(errors.first?["advice"]?.stringValue?.contains("--to FILE") == true)
    #expect(errors.last?["advice"]?.stringValue?.contains("environment, to, rate") == true)
  }

  @Test func `Recipients that are not one tag or user are shown as they were written`() throws {
    for (to, error, advice) in [
      (
        #"["tag:news"]"#, #"to: invalid value '["tag:news"]'"#,
        "expected all, tag:NAME or user:NAME"
      ),
      (#""tag:news,tag:vip""#, "to: invalid value 'tag:news,tag:vip'", "only one tag is possible"),
      (#""user:ann,tag:vip""#, "to: invalid value 'user:ann,tag:vip'", "only one user is possible"),
    ] {
      let answer = try ask(
        router(), "/campaigns",
        #"{"topic":"com.example.app","alert":{"en":{"body":"b"}},"to":\#(to),"dryRun":true}"#)
      #expect(answer.status == 400 && answer.object["error"] == .string(error), "\(answer)")
      #expect(answer.object["advice"]?.stringValue?.hasPrefix(advice) == true, "\(answer)")
      #expect(answer.object["advice"]?.stringValue?.contains("in a request") == false)
    }
  }

  @Test func `A push service that cannot be reached is reported with one cause and one remedy`()
    throws
  {
    try register(#"{"deviceToken":"01"}"#)
    let endpoint = "127.0.0.1:2197"
    let reason = "not connected: cannot connect to \(endpoint): connection refused"
    let campaigns = CampaignService(registry: provider.registry, log: .silent) {
      PushService(
        submit: { _, done in
          done(.failure(.unreachable(endpoint: endpoint, reason: reason)))
        }, log: nil, name: endpoint, connection: { .failed(reason: reason) })
    }
    let router = ProviderRouter(
      registry: provider.registry, campaigns: campaigns, apps: provider.apps,
      adminToken: provider.adminToken, isOpen: false, log: .silent)
    let summary = try ask(router, "/status", "").object
    #expect(summary["service"]?.objectValue?["problem"] == "connection refused")
    let draft = try ask(
      router, "/campaigns", #"{"topic":"com.example.app","alert":{"body":"b"},"draft":true}"#)
    let id = try #require(draft.object["id"]?.stringValue)
    let test = try ask(router, "/campaigns/\(id)/test", "{}")
    #expect(test.status == 504)
    let error = "no response to the test push: cannot connect to \(endpoint): connection refused"
    #expect(test.object["error"] == .string(error))
    #expect(test.object["advice"] == "check that the push service is running, and try again")
  }

  @Test func `an invalid environment, fallback or alert is refused with the name of its field`()
    throws
  {
    for (members, field) in [
      (#""alert":{"en":{"body":"b"}},"environment":"staging""#, "environment"),
      (#""alert":{"en":{"body":"b"}},"fallback":7"#, "fallback"),
      (#""alert":{"en":{"body":"b"}},"fallback":true"#, "fallback"),
      (#""alert":{"en":{"body":"%@"},"fr":{"body":"%d"}},"arguments":["Ann"]"#, "alert.fr.body"),
      (#""alert":{"fr":"fr.strings"},"files":{"de.strings":"x"}"#, "alert.fr"),
      (#""alert":{"fr":"fr.strings"},"files":{"fr.strings":5}"#, "files"),
    ] {
      let answer = try ask(
        router(), "/campaigns", #"{"topic":"com.example.app",\#(members),"dryRun":true}"#)
      guard case .array(let errors)? = answer.object["errors"] else {
        Issue.record("\(members) is not refused: \(answer)")
        continue
      }
      #expect(answer.status == 400)
      #expect(errors.first?.objectValue?["field"]?.stringValue == field)
    }
  }

  @Test func `the summary counts devices by app, language and environment, and what is dead`()
    throws
  {
    try register(
      #"{"deviceToken":"01","language":"fr","environment":"sandbox"}"#,
      #"{"deviceToken":"02","language":"fr"}"#, #"{"deviceToken":"03"}"#)
    #expect(
      try provider.registry.removeDead([([3], .max / 1_000)]) == 1,
      "the last possible time of expiration")
    let summary = try ask(router(), "/status", "").object
    #expect(summary["devices"] == 2 && summary["dead"] == 1)
    guard case .array(let apps)? = summary["apps"], let app = apps.first?.objectValue else {
      Issue.record("the summary has no app: \(summary)")
      return
    }
    #expect(app["topic"] == "com.example.app" && app["dead"] == 1)
    #expect(app["languages"] == [["language": "fr", "devices": 2]])
    #expect(
      app["environments"] == [
        ["environment": .null, "devices": 1], ["environment": "sandbox", "devices": 1],
      ])
    #expect(summary["service"]?.objectValue?["environment"] == "sandbox")
  }
}
