import BelfryWire
import Storage
import Testing

@testable import Gateway

@Suite struct AdministrationCallTests {
  @Test(arguments: requests)
  func `every request survives its call`(request: AdministrationRequest) throws {
    var call = request.call
    // Encode the body to bytes and decode it again, as on the wire.
    call.body = try call.body.flatMap { try JSONValue(parsing: $0.bytes).objectValue }
    #expect(try call.request() == request)
  }

  @Test(arguments: [
    ("GET", "/"), ("GET", "/api"), ("GET", "/api/"), ("GET", "/api/secrets"),
    ("PUT", "/api/teams"), ("GET", "/api/keys/KEY0000001"), ("DELETE", "/api/teams"),
    ("DELETE", "/api/keys"), ("POST", "/api/devices"), ("DELETE", "/api/log"),
    ("GET", "api/teams"),
  ])
  func `unknown paths and methods are not API requests`(method: String, path: String)
    throws
  {
    #expect(try AdministrationCall(method, path).request() == nil)
  }

  @Test(arguments: badBodies)
  func `members that are missing, of another type or unknown are named`(
    path: String, body: JSONObject, name: String
  ) {
    #expect {
      try AdministrationCall("POST", path, body: body).request()
    } throws: { error in
      guard let failure = error as? AdministrationFailure else { return false }
      return failure.kind == .invalid && failure.what.contains(name)
    }
  }

  @Test(arguments: ["", "abc"])
  func `an invalid token does not remove the faults of all tokens`(token: String) {
    #expect(throws: AdministrationFailure.self) {
      try AdministrationCall("DELETE", "/api/faults", query: [("token", token)]).request()
    }
  }

  @Test func `an invalid queue limit is refused with the range that the command line accepts`() {
    #expect {
      let body: JSONObject = ["team": "T", "topic": "a", "keep": "lots"]
      return try AdministrationCall("POST", "/api/topics", body: body).request()
    } throws: { error in
      "\(error)"
        == "invalid value 'lots' for 'keep': expected a number from 1 to 4294967294, or all"
    }
  }

  @Test(arguments: invalidValues)
  func `the error about an invalid value contains the value`(
    path: String, body: JSONObject, message: String
  ) {
    #expect {
      try AdministrationCall("POST", path, body: body).request()
    } throws: { error in
      "\(error)" == message
    }
  }
}

private let draft = {
  var draft = AdministrationRequest.PushDraft()
  (draft.token, draft.topic, draft.type, draft.priority) = ("0a", "a.b", "alert", "10")
  (draft.expiration, draft.collapseID, draft.id, draft.key) = ("0", "c", "i", "KEY0000001")
  draft.payload = Array(#"{"a":"ä"}"#.utf8)
  return draft
}()

private let requests: [AdministrationRequest] = [
  .listTeams, .addTeam(id: nil, name: nil), .addTeam(id: "TEAMAAAAAA", name: "Ä"), .listKeys,
  .addKey(.init(team: "TEAMAAAAAA")),
  .addKey(
    .init(
      id: "KEY0000001", team: "TEAMAAAAAA", environments: .production, topics: ["a", "b"],
      relatedKey: "KEY0000002", perDay: 1_000, perSecond: 5)), .revokeKey(id: "KEY0000001"),
  .makeProviderToken(key: nil),
  .makeProviderToken(key: "KEY0000001"), .listCertificates,
  .addCertificate(.init(team: "TEAMAAAAAA", bundleID: "a.b")),
  .addCertificate(
    .init(
      team: "TEAMAAAAAA", bundleID: "a.b", environments: .sandbox, isUniversal: false,
      hasRSAKey: true)),
  .revokeCertificate(serial: "0aF"), .listTopics,
  .addTopic(.init(team: "TEAMAAAAAA", bundleID: "a.b")),
  .addTopic(.init(team: "TEAMAAAAAA", bundleID: "a.b", keep: .max, hasBroadcast: true)),
  .addTopic(.init(team: "TEAMAAAAAA", bundleID: "a.b", keep: 5, hasBroadcast: false)),
  .removeTopic(bundleID: "a.b", isForced: false), .removeTopic(bundleID: "a.b", isForced: true),
  .listChannels, .addChannel(bundleID: "a.b", keepsLatest: true),
  .addChannel(bundleID: "a.b", keepsLatest: false), .removeChannel(id: "a+/=", bundleID: nil),
  .removeChannel(id: "a+/=", bundleID: "a.b"), .listDevices(of: nil), .listDevices(of: "a b"),
  .removeTeam(id: "TEAMAAAAAA", isForced: false), .removeTeam(id: "TEAMAAAAAA", isForced: true),
  .revokeDevice(number: .max), .listDeviceApps(number: 7),
  .checkPush(.init()), .checkPush(draft), .checkDeviceToken("0a", topic: nil),
  .checkDeviceToken("0a", topic: "a.b"), .checkProviderToken("a.b.c", topic: nil),
  .checkProviderToken("a.b.c", topic: "a.b"),
  .listUpstreams, .removeUpstream(topic: "a.b"),
  .addUpstream(
    .init(topic: "a.b", privateKeyPEM: [0x41], keyID: "KEY0000001", teamID: "TEAMAAAAAA")),
  .addUpstream(
    .init(
      topic: "a.b", privateKeyPEM: [0x41], keyID: "KEY0000001", teamID: "TEAMAAAAAA",
      environment: .production, host: "::1", port: 2197, authorityPEM: [0x42])),
  .listNodes, .drainNode(name: "one", isForced: false), .drainNode(name: "one", isForced: true),
  .listAuthorities, .rotateAuthority, .finishAuthority(isForced: false),
  .finishAuthority(isForced: true), .listTokenKeys, .rotateTokenKey,
  .retireTokenKey(id: "0a1b2c3d", isForced: false), .retireTokenKey(id: "0a1b2c3d", isForced: true),
  .listFaults, .clearFaults(token: nil), .clearFaults(token: [1, 0xAB]), .log(of: nil),
  .log(of: "00ff"),
  .addFault(
    .init(
      token: [1, 0xAB], topic: "a.b",
      effect: .answer(.unregistered, timestampMilliseconds: 9, share: 0.25))),
  .addFault(
    .init(effect: .answer(.internalServerError, timestampMilliseconds: nil, share: 1))),
  .addFault(.init(effect: .goAway(afterRequests: 3))), .addFault(.init(effect: .streams(1))),
  .addFault(.init(effect: .window(bytes: 100))),
  .addFault(.init(topic: "a.b", effect: .delay(milliseconds: 250))),
  .addFault(.init(effect: .close)),
]

private let badBodies: [(String, JSONObject, String)] = [
  ("/api/topics", [:], "topic"), ("/api/keys", ["team": 5], "team"),
  ("/api/keys", ["team": "T", "environment": "test"], "environment"),
  ("/api/keys", ["team": "T", "topics": [1]], "topics"),
  ("/api/keys", ["team": "T", "topic": "a"], "topic"),
  ("/api/certificates", ["team": "T", "topic": "a", "form": "odd"], "form"),
  ("/api/topics", ["team": "T", "topic": "a", "keep": "some"], "keep"),
  ("/api/topics", ["team": "T", "topic": "a", "keep": -1], "keep"),
  ("/api/topics", ["team": "T", "topic": "a", "keep": 0], "keep"),
  ("/api/topics", ["team": "T", "topic": "a", "keep": 4_294_967_295], "keep"),
  ("/api/topics", ["team": "T", "topic": "a", "broadcast": "on"], "broadcast"),
  ("/api/channels", ["app": "a", "storage": 2], "storage"),
  ("/api/upstreams", ["topic": "a", "keyID": "K", "teamID": "T"], "key"),
  (
    "/api/upstreams",
    ["topic": "a", "key": "k", "keyID": "K", "teamID": "T", "environment": "both"], "environment"
  ),
  ("/api/faults", ["reason": "NoSuchReason"], "reason"),
  ("/api/faults", ["reason": "Unregistered", "close": true], "exactly one action"),
  ("/api/faults", [:], "exactly one action"),
  ("/api/faults", ["close": true, "token": "xyz"], "token"),
  ("/api/faults", ["reason": "Unregistered", "share": 2], "share"),
]

private let invalidValues: [(String, JSONObject, String)] = [
  (
    "/api/push-check", ["payload": ["aps": [:]]],
    #"invalid value '{"aps":{}}' for 'payload': expected a JSON string that contains the payload"#
  ),
  (
    "/api/push-check", ["priority": 5],
    "invalid value '5' for 'priority': expected a JSON string"
  ),
  (
    "/api/faults", ["reason": "Nope"],
    "invalid value 'Nope' for 'reason': expected an APNs reason, such as TooManyRequests; "
      + "'belfry fault add --help' lists all reasons"
  ),
  (
    "/api/faults", ["close": true, "token": "abc"],
    "invalid value 'abc' for 'token': expected a device token, which has an even number of "
      + "hexadecimal digits"
  ),
  (
    "/api/topics",
    ["team": "T", "topic": "a", "broadcast": .string(String(repeating: "x", count: 81))],
    "invalid value '\(String(repeating: "x", count: 80))…' for 'broadcast': expected true or false"
  ),
]
