import BelfryWire
import PushWire
import Storage
import System
import TestSupport
import Testing
import Transport

@testable import Gateway

/// Tests of the administration's checks of draft pushes and tokens.
@Suite struct ChecksTests {
  private let scratch: ScratchFolder
  private let administration: Administration
  private let now: Int64 = 1_800_000_000
  private let token: String
  private let dead: String
  private let switchedOff: String

  init() throws {
    scratch = try ScratchFolder()
    let folder = GatewayFolder(path: scratch.file("gateway"))
    try FileSystem.makeDirectories(folder.path)
    let codec = try DeviceTokenCodec(keys: try folder.tokenKeys(), environment: .sandbox)
    func token(_ device: UInt64) -> String {
      Hexadecimal.encode(
        codec.seal(
          TokenContents(
            environment: .sandbox, kind: .alert, generation: 0, app: 5, device: device)))
    }
    func registration(_ device: UInt64, _ state: RegistrationRecord.State) -> ControlChange {
      .putRegistration(
        RegistrationRecord(
          key: NotificationKey(device: device, app: 5, kind: TokenKind.alert.rawValue),
          generation: 0, state: state, changedMilliseconds: 1_700_000_000_000))
    }
    (self.token, dead, switchedOff) = (token(7), token(8), token(9))
    let store = try SQLiteControlStore(path: folder.controlStoreFile)
    let now = now
    administration = Administration(
      folder: folder, store: store, environment: .sandbox,
      runtime: .init(
        faults: FaultRegistry(),
        log: DeliveryLogReader(
          kept: StoredDeliveryLog(
            folder: folder, store: store, environment: .sandbox))
      ) { _ in }
    ) { now * 1_000 }
    for team in ["TEAMAAAAAA", "TEAMBBBBBB"] {
      _ = try administration.perform(.addTeam(id: team, name: nil))
    }
    _ = try administration.perform(.addKey(.init(id: "KEYAAAAAAA", team: "TEAMAAAAAA")))
    _ = try administration.perform(.addKey(.init(id: "KEYBBBBBBB", team: "TEAMBBBBBB")))
    _ = try administration.perform(
      .addKey(.init(id: "KEYPPPPPPP", team: "TEAMAAAAAA", environments: .production)))
    try store.apply(
      [
        .putApp(
          AppRecord(
            number: 5, bundleID: "com.example.app", team: "TEAMAAAAAA", createdMilliseconds: 1))
      ]
        + [7, 8, 9].map {
          .putDevice(
            DeviceRecord(
              number: $0, keyHash: SHA256.hash([UInt8($0)]), name: "phone",
              enrolledMilliseconds: 1))
        } + [registration(7, .active), registration(8, .unregistered), registration(9, .disabled)])
  }

  private func check(
    _ change: (inout AdministrationRequest.PushDraft) -> Void = { _ in }
  ) throws -> JSONObject {
    var draft = AdministrationRequest.PushDraft()
    draft.token = token
    draft.topic = "com.example.app"
    draft.payload = Array(#"{"aps":{"alert":"Hi"}}"#.utf8)
    change(&draft)
    return try #require(try administration.perform(.checkPush(draft)).first)
  }

  /// Returns "field: reason" for each fault.
  private func faults(_ line: JSONObject) -> [String] {
    (line["faults"]?.arrayValue ?? []).compactMap(\.objectValue).map {
      "\($0["field"]?.stringValue ?? ""): \($0["reason"]?.stringValue ?? "")"
    }
  }

  private func notes(_ line: JSONObject) -> String {
    (line["notes"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: "\n")
  }

  @Test
  func `a good push is admitted as the gateway would, with what follows from it`() throws {
    let line = try check()
    #expect(line["ok"] == true && faults(line).isEmpty && notes(line).isEmpty)
    #expect(line["bytes"] == 22 && line["bytesMax"] == 4_096)
    #expect(line["type"] == "alert" && line["priority"] == 10 && line["device"] == "7")
    #expect(line["key"] == "KEYAAAAAAA" && line["team"] == "TEAMAAAAAA")
  }

  @Test
  func `all faults are reported at once, each with its field`() throws {
    let line = try check {
      ($0.type, $0.priority, $0.expiration, $0.id) = ("banner", "7", "-1", "no-id")
      $0.collapseID = String(repeating: "c", count: 65)
      $0.token = String(repeating: "ab", count: 32)
      $0.payload = Array("{\n  \"aps\": {\"alert\": 1,}}".utf8)
    }
    #expect(
      faults(line) == [
        "id: BadMessageId", "expiration: BadExpirationDate", "priority: BadPriority",
        "type: InvalidPushType", "collapseID: BadCollapseId", "payload: PayloadEmpty",
        "token: BadDeviceToken",
      ])
    let payload = try #require(line["faults"]?.arrayValue?[5].objectValue)
    #expect(payload["line"] == 2 && payload["column"] == 21)
    #expect(payload["status"] == 400)
    #expect(payload["when"] == "the body is empty or not a JSON object")
    #expect(payload["advice"]?.stringValue == "remove the comma")
  }

  @Test(arguments: [
    ("topic", "", "topic: MissingTopic"), ("topic", "com.example.äpp", "topic: BadTopic"),
    ("topic", "com.example.other", "topic: TopicDisallowed"),
    ("topic", "com.example.app.voip", "token: DeviceTokenNotForTopic"),
    ("token", "", "token: MissingDeviceToken"), ("token", "xyz", "token: BadDeviceToken"),
    ("token", "ab/cd", "token: BadPath"), ("key", "KEYBBBBBBB", "topic: TopicDisallowed"),
    ("key", "KEYPPPPPPP", "key: BadEnvironmentKeyInToken"),
    ("key", "KEYNONE", "key: InvalidProviderToken"),
  ])
  func `one fault is one fault`(field: String, value: String, fault: String) throws {
    let line = try check {
      switch field {
      case "topic": $0.topic = value
      case "token": $0.token = value
      default: $0.key = value
      }
    }
    #expect(faults(line) == [fault] && line["ok"] == false)
  }

  @Test
  func `a refused key is not replaced by another key in the result`() throws {
    let unknown = try check { $0.key = "KEYNONE" }
    #expect(unknown["key"] == nil && unknown["team"] == nil)
    let production = try check { $0.key = "KEYPPPPPPP" }
    #expect(production["key"] == "KEYPPPPPPP" && production["team"] == "TEAMAAAAAA")
  }

  @Test
  func `a payload over its type's limit is too large, and a call of a plain topic as well`() throws
  {
    let payload = Array("{\"a\":\"\(String(repeating: "x", count: 4_100))\"}".utf8)
    #expect(faults(try check { $0.payload = payload }) == ["payload: PayloadTooLarge"])
    let voice = try check {
      ($0.payload, $0.type) = (payload, "voip")
    }
    // A plain topic does not accept VoIP pushes, and its own push types have the lower size limit.
    #expect(faults(voice) == ["type: InvalidPushType", "payload: PayloadTooLarge"])
    #expect(voice["bytesMax"] == 5_120)
  }

  @Test
  func `a push type that does not fit the topic is reported along with a token fault`() throws {
    #expect(faults(try check { $0.type = "voip" }) == ["type: InvalidPushType"])
    let suffixed = try check { ($0.topic, $0.type) = ("com.example.app.voip", "alert") }
    #expect(faults(suffixed) == ["token: DeviceTokenNotForTopic", "type: InvalidPushType"])
    for (token, reason) in [("", "MissingDeviceToken"), ("xyz", "BadDeviceToken")] {
      let line = try check { ($0.token, $0.type) = (token, "liveactivity") }
      #expect(faults(line) == ["token: \(reason)", "type: InvalidPushType"])
    }
    let gone = try check { ($0.token, $0.type) = (dead, "controls") }
    #expect(faults(gone) == ["type: InvalidPushType", "token: Unregistered"])
    // An MDM topic looks like a plain topic, so the check can't recognize it without a valid token.
    let managed = try check { ($0.token, $0.type) = ("", "mdm") }
    #expect(faults(managed) == ["token: MissingDeviceToken"])
  }

  @Test(arguments: [
    (#"{"a":1}"#, "alert", "No aps dictionary"), (#"{"aps":1}"#, "alert", "aps is not an object"),
    (#"{"aps":{"alerts":"x"}}"#, "alert", "Unknown key aps.alerts."),
    (#"{"aps":{"badge":"1","sound":1}}"#, "alert", "aps.badge must be an integer"),
    (#"{"aps":{"alert":"x","interruption-level":"loud"}}"#, "alert", "interruption-level"),
    (#"{"aps":{"alert":"x"}}"#, "background", "content-available"),
    (#"{"aps":{}}"#, "alert", "no visible effect"),
  ])
  func `payload content that the device would ignore is noted`(
    payload: String, type: String, part: String
  )
    throws
  {
    let line = try check {
      ($0.payload, $0.type) = (Array(payload.utf8), type)
    }
    #expect(line["ok"] == true && notes(line).contains(part), "\(notes(line))")
  }

  @Test
  func `a device token says what it is, and whether it is good for a topic`() throws {
    func check(_ token: String, _ topic: String? = nil) throws -> JSONObject {
      try #require(try administration.perform(.checkDeviceToken(token, topic: topic)).first)
    }
    let own = try check(token)
    #expect(own["ok"] == true && own["device"] == "7" && own["deviceName"] == "phone")
    #expect(own["topic"] == "com.example.app" && own["kind"] == "alert")
    #expect(faults(try check(token, "com.example.app.voip")) == ["token: DeviceTokenNotForTopic"])
    // The check uses no credential, so it never reports that a credential does not permit the topic.
    #expect(faults(try check(token, "com.example.none")) == ["token: DeviceTokenNotForTopic"])
    #expect(faults(try check("abcd", "com.example.none")) == ["token: BadDeviceToken"])
    #expect(faults(try check(dead)) == ["token: Unregistered"])
    #expect(try check(switchedOff)["disabled"] == true)
    #expect(faults(try check("abcd")) == ["token: BadDeviceToken"])
  }

  @Test
  func `a provider token is reported as valid or with the reason why it is not`() throws {
    let made = try administration.perform(.makeProviderToken(key: "KEYAAAAAAA")).first
    let good = try #require(made?["token"]?.stringValue)
    func check(_ token: String, _ topic: String? = nil) throws -> JSONObject {
      try #require(try administration.perform(.checkProviderToken(token, topic: topic)).first)
    }
    let line = try check("Bearer \(good)", "com.example.app")
    #expect(line["ok"] == true && line["key"] == "KEYAAAAAAA" && line["team"] == "TEAMAAAAAA")
    #expect(line["issuedAt"] == "2027-01-15T08:00:00.000Z")
    #expect(try check(good, "com.example.other")["reason"] == "TopicDisallowed")
    func reason(_ token: String) throws -> String {
      let line = try check(token)
      return "\(line["reason"]?.stringValue ?? "") \(line["detail"]?.stringValue ?? "")"
    }
    #expect(try reason("a.b").hasPrefix("InvalidProviderToken Expected three base64url parts"))
    let parts = good.split(separator: ".")
    let other = try administration.perform(.makeProviderToken(key: "KEYBBBBBBB")).first
    let foreign = try #require(other?["token"]?.stringValue).split(separator: ".")
    #expect(
      try reason("\(parts[0]).\(parts[1]).\(foreign[2])").contains("Invalid signature"))
    #expect(try reason("\(parts[0]).\(foreign[1]).\(parts[2])").contains("belongs to team"))
    func claims(_ iat: String) -> String {
      let text = Base64.encode(Array(#"{"iss":"TEAMAAAAAA","iat":\#(iat)}"#.utf8), url: true)
      return "\(parts[0]).\(text).\(parts[2])"
    }
    // Any input gets an answer, even if it comes from a client that isn't authenticated.
    for iat in ["-9223372036854775808", "9223372036854775807", "1e300", "\"x\""] {
      #expect(try check(claims(iat))["ok"] == false)
    }
    let production = try administration.perform(.makeProviderToken(key: "KEYPPPPPPP")).first
    #expect(
      try reason(try #require(production?["token"]?.stringValue)).contains(
        "valid only in production"))
    _ = try administration.perform(.revokeKey(id: "KEYAAAAAAA"))
    #expect(try reason(good).contains("was revoked"))
  }
}
