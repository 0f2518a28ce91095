import BelfryWire
import PushWire
import Gateway
import Testing
import Transport

/// The context of a request to a gateway with two teams.
private struct Surroundings: AdmissionContext {
  var credentialAnswer: Admission.Credential
  let directory: CredentialDirectory
  var tokens: [[UInt8]: TokenContents] = [:]
  /// The bundle identifiers that might be in damaged rows.
  var damaged: Set<[UInt8]> = []

  /// True if the apps have an upstream.
  var hasUpstreams = false
  /// True if the app's upstream might be in a damaged row.
  var hasDamagedUpstreams = false

  func hasUpstream(_ app: App) -> Bool { hasUpstreams }

  func mayHaveDamagedUpstream(app: UInt32) -> Bool { hasDamagedUpstreams }

  func credential(for request: borrowing PushRequest) -> Admission.Credential { credentialAnswer }

  func app(bundleID: Span<UInt8>) -> App? { directory.app(bundleID: bundleID) }

  func mayBeDamaged(bundleID: Span<UInt8>) -> Bool { damaged.contains(bundleID.copied()) }

  func open(token: Span<UInt8>) -> TokenContents? { tokens[token.copied()] }
}

@Suite struct AdmissionTests {
  private static let now: Int64 = 1_700_000_000
  private static let token = [UInt8](repeating: 0xA1, count: 32)
  private static let voipToken = [UInt8](repeating: 0xA2, count: 32)
  private static let otherToken = [UInt8](repeating: 0xA3, count: 32)
  private static let managementToken = [UInt8](repeating: 0xA4, count: 32)

  private func surroundings(
    topics: Set<[UInt8]>? = nil, certificate: CertificateCredential? = nil
  ) throws -> Surroundings {
    let app = App(number: 1, bundleID: Array("com.example.app".utf8), teamID: "TEAMAAAAAA")
    let other = App(number: 2, bundleID: Array("com.example.other".utf8), teamID: "TEAMAAAAAA")
    let foreign = App(number: 3, bundleID: Array("org.foreign.app".utf8), teamID: "TEAMBBBBBB")
    let key = ProviderVerificationKey(
      id: "KEYTMSBX01", teamID: "TEAMAAAAAA", publicKey: try ES256PrivateKey().publicKey,
      environments: [.sandbox], bundleIDs: topics, relatedKeyID: nil)
    let verified = VerifiedToken(
      key: key, issuedAt: Self.now, digest: SHA256.hash([1]))
    func contents(_ app: UInt32, _ kind: TokenKind) -> TokenContents {
      TokenContents(environment: .sandbox, kind: kind, generation: 0, app: app, device: 5)
    }
    return Surroundings(
      credentialAnswer: .accepted(certificate.map { .certificate($0) } ?? .token(verified)),
      directory: CredentialDirectory(version: 1, keys: [key], apps: [app, other, foreign]),
      tokens: [
        Self.token: contents(1, .alert), Self.voipToken: contents(1, .voip),
        Self.otherToken: contents(2, .alert), Self.managementToken: contents(1, .mdm),
      ])
  }

  private func evaluate(
    _ changes: [String: String?] = [:], extra: [(String, String)] = [], body: Int = 25,
    in surroundings: Surroundings? = nil
  ) throws -> Admission.Decision {
    var fields: [String: String] = [
      ":method": "POST", ":path": "/3/device/\(Hexadecimal.encode(Self.token))",
      "apns-topic": "com.example.app", "apns-push-type": "alert",
    ]
    for (name, value) in changes { fields[name] = value }
    var request = PushRequest()
    for (name, value) in fields.map({ ($0.key, $0.value) }) + extra {
      let nameBytes = Array(name.utf8)
      let valueBytes = Array(value.utf8)
      request.handleField(name: nameBytes.span, value: valueBytes.span)
    }
    var context = try surroundings ?? self.surroundings()
    let bytes = Self.payload(bytes: body)
    return Admission.evaluate(
      request, body: bytes.span, bodyBytes: body, atSeconds: Self.now, context: &context)
  }

  /// Returns JSON of `count` bytes, which must be at least two.
  private static func payload(bytes count: Int) -> [UInt8] {
    guard count > 1 else { return Array(repeating: 0x20, count: count) }
    return [0x7B] + Array(repeating: 0x20, count: count - 2) + [0x7D]
  }

  private func rejection(_ decision: Admission.Decision) -> Rejection? {
    guard case .refused(let rejection) = decision else { return nil }
    return rejection
  }

  private func admitted(_ decision: Admission.Decision) throws -> Admission.Admitted {
    guard case .admitted(let admitted) = decision else {
      throw Unexpected(rejection: rejection(decision))
    }
    return admitted
  }

  private struct Unexpected: Error { let rejection: Rejection? }

  @Test func `A01 the base request is admitted with APNs' defaults`() throws {
    let admitted = try admitted(evaluate())
    #expect(admitted.app.number == 1)
    #expect(admitted.priority == 10)
    // S3-10 part 1 of 3: 30 days by default
    #expect(admitted.expiration == Self.now + 30 * 86_400)
    #expect(admitted.pushType == .alert)
  }

  @Test(
    arguments: [
      ("B01", [":method": "GET"], Rejection.methodNotAllowed),
      ("B04", [":path": "/3/devices/aa"], .badPath),
      ("B06", [":path": "/3/device/"], .missingDeviceToken),
      ("C01", [":path": "/3/device/not-a-token"], .badDeviceToken),
      ("C03", [":path": "/3/device/\(String(repeating: "ab", count: 32))"], .badDeviceToken),
      (
        "C06", [":path": "/3/device/\(String(repeating: "a3", count: 32))"],
        .deviceTokenNotForTopic
      ),
      ("D01", ["apns-id": "This is not a valid UUID."], .badMessageID),
      ("D03", ["apns-expiration": "tomorrow"], .badExpirationDate),
      ("D08", ["apns-priority": "9000"], .badPriority),
      ("D13", ["apns-collapse-id": String(repeating: "c", count: 65)], .badCollapseID),
      ("D16", ["apns-push-type": "bogus"], .invalidPushType),
      ("D18", ["apns-topic": nil], .missingTopic),
      ("D24", ["apns-topic": "org.foreign.app"], .topicDisallowed),
      ("topic", ["apns-topic": "no such app"], .badTopic),
      ("unknown app", ["apns-topic": "com.example.none"], .topicDisallowed),
      ("other kind", ["apns-topic": "com.example.app.voip"], .deviceTokenNotForTopic),
    ] as [(String, [String: String?], Rejection)])
  func `each fault has its reason`(
    id: String, changes: [String: String?], expected: Rejection
  ) throws {
    #expect(rejection(try evaluate(changes)) == expected, "\(id)")
  }

  @Test func `A valid push with a foreign token is forwarded if its app has an upstream`() throws {
    let foreign: [String: String?] = [
      ":path": "/3/device/\(String(repeating: "ab", count: 32))"
    ]
    var surroundings = try surroundings()
    surroundings.hasDamagedUpstreams = true
    #expect(rejection(try evaluate(foreign, in: surroundings)) == .serviceUnavailable)
    surroundings.hasUpstreams = true
    guard case .forwarded(let app, _) = try evaluate(foreign, in: surroundings) else {
      Issue.record("the push was not forwarded")
      return
    }
    #expect(app.number == 1)
    // The gateway itself decides about its own tokens, and about every other fault of the request.
    #expect(try admitted(evaluate(in: surroundings)).app.number == 1)
    let other = Hexadecimal.encode(Self.otherToken)
    let faults: [([String: String?], Rejection)] = [
      ([":path": "/3/device/zz"], .badDeviceToken),
      ([":path": "/3/device/\(other)"], .deviceTokenNotForTopic),
      (["apns-topic": "org.foreign.app"], .topicDisallowed), (["apns-priority": "7"], .badPriority),
    ]
    for (change, expected) in faults {
      let changes = foreign.merging(change) { $1 }
      #expect(rejection(try evaluate(changes, in: surroundings)) == expected, "\(change)")
    }
  }

  @Test func `an unknown app that may be in a damaged row is refused temporarily`() throws {
    var surroundings = try surroundings()
    let damaged = ["com.example.lost", "com.example.odd.voip", "com.example.app"]
    surroundings.damaged = Set(damaged.map { Array($0.utf8) })
    for (topic, expected) in [
      ("com.example.lost", .serviceUnavailable), ("com.example.lost.voip", .serviceUnavailable),
      // A bundle identifier can itself end with `.voip`.
      ("com.example.odd.voip", .serviceUnavailable), ("com.example.odd", .topicDisallowed),
      ("com.example.none", .topicDisallowed), ("com.example.none.voip", .topicDisallowed),
      ("com.example.app", nil),
    ] as [(String, Rejection?)] {
      let decision = try evaluate(["apns-topic": topic], in: surroundings)
      #expect(rejection(decision) == expected, "\(topic)")
    }
  }

  @Test func `D19 a doubled header is refused`() throws {
    let doubled = [("apns-priority", "10"), ("apns-priority", "5")]
    #expect(rejection(try evaluate(extra: doubled)) == .duplicateHeaders)
  }

  @Test func `faults are reported in the order of the checks`() throws {
    // The steps add errors in the reverse order of the checks, so each new error takes precedence over the earlier
    // ones.
    let steps: [(String, String?, Rejection)] = [
      ("apns-topic", "com.example.none", .topicDisallowed),
      ("apns-collapse-id", String(repeating: "c", count: 65), .badCollapseID),
      ("apns-push-type", "bogus", .invalidPushType),
      ("apns-priority", "7", .badPriority),
      ("apns-expiration", "soon", .badExpirationDate),
      ("apns-id", "x", .badMessageID),
      (":path", "/3/device/", .missingDeviceToken),
    ]
    var changes: [String: String?] = [:]
    #expect(rejection(try evaluate(body: 0)) == .payloadEmpty)
    for (name, value, expected) in steps {
      changes[name] = value
      #expect(rejection(try evaluate(changes, body: 0)) == expected)
    }
    var refused = try surroundings()
    refused.credentialAnswer = .refused(.invalidProviderToken)
    #expect(rejection(try evaluate(changes, in: refused)) == .invalidProviderToken)
    let doubled = [("apns-id", "x"), ("apns-id", "x")]
    #expect(rejection(try evaluate(changes, extra: doubled, in: refused)) == .duplicateHeaders)
    changes[":path"] = "/nowhere"
    #expect(rejection(try evaluate(changes, extra: doubled, in: refused)) == .badPath)
    changes[":method"] = "GET"
    #expect(rejection(try evaluate(changes, extra: doubled, in: refused)) == .methodNotAllowed)
  }

  @Test(arguments: [
    (0, Rejection.payloadEmpty), (1, .payloadEmpty), (2, nil), (4_096, nil),
    (4_097, .payloadTooLarge),
  ])
  func `E03 E04 a payload is an object of up to 4096 bytes`(
    bytes: Int, expected: Rejection?
  ) throws {
    // S1-34 part 1 of 2: HTTP/2
    #expect(rejection(try evaluate(body: bytes)) == expected)
  }

  @Test func `a VoIP payload has up to 5120 bytes, with or without the header`() throws {
    let voip = [
      ":path": "/3/device/\(Hexadecimal.encode(Self.voipToken))",
      "apns-topic": "com.example.app.voip",
    ]
    for type: String? in ["voip", nil] {
      var changes: [String: String?] = voip
      changes["apns-push-type"] = type
      #expect(try admitted(evaluate(changes, body: 5_120)).pushType == .voip)
      #expect(rejection(try evaluate(changes, body: 5_121)) == .payloadTooLarge)
    }
  }

  @Test(arguments: TokenKind.allCases)
  func `a topic takes the push types of its row, and no type at all`(kind: TokenKind) throws {
    let token = [UInt8](repeating: 0xB0 | kind.rawValue, count: 32)
    var surroundings = try surroundings()
    surroundings.tokens[token] = TokenContents(
      environment: .sandbox, kind: kind, generation: 0, app: 1, device: 5)
    // This is a second copy of the table in apns-protocol 1.5.
    let row: [TokenKind: [PushType]] = [
      .alert: [.alert, .background], .voip: [.voip], .complication: [.complication],
      .fileProvider: [.fileProvider], .mdm: [.mdm], .liveActivity: [.liveActivity],
      .location: [.location], .pushToTalk: [.pushToTalk], .widgets: [.widgets],
      .controls: [.controls],
    ]
    let accepted = try #require(row[kind])
    for type in [nil] + PushType.allCases.map(Optional.some) {
      let decision = try evaluate(
        [
          ":path": "/3/device/\(Hexadecimal.encode(token))",
          "apns-topic": "com.example.app\(kind.topicSuffix)",
          "apns-push-type": type.map { "\($0.name)" },
        ], in: surroundings)
      guard type.map(accepted.contains) ?? true else {
        #expect(rejection(decision) == .invalidPushType, "\(kind) with \(String(describing: type))")
        continue
      }
      #expect(try admitted(decision).pushType == type ?? accepted[0])
    }
  }

  @Test func `a token for another topic is reported before the push type`() throws {
    // Both cases have occurred in practice: an alert to a VoIP topic with an alert token, and a call to a plain topic
    // with a VoIP token.
    let alert = ["apns-topic": "com.example.app.voip", "apns-push-type": "alert"]
    #expect(rejection(try evaluate(alert)) == .deviceTokenNotForTopic)
    let call = [
      ":path": "/3/device/\(Hexadecimal.encode(Self.voipToken))", "apns-push-type": "voip",
    ]
    #expect(rejection(try evaluate(call)) == .deviceTokenNotForTopic)
    #expect(rejection(try evaluate(["apns-push-type": "voip"])) == .invalidPushType)
  }

  @Test func `a management token's topic is the app's own, without a suffix`() throws {
    let path = "/3/device/\(Hexadecimal.encode(Self.managementToken))"
    let own: [String: String?] = [":path": path, "apns-push-type": "mdm"]
    #expect(try admitted(evaluate(own)).contents.kind == .mdm)
    let suffixed = own.merging(["apns-topic": "com.example.app.voip"]) { $1 }
    #expect(rejection(try evaluate(suffixed)) == .deviceTokenNotForTopic)
  }

  @Test func `D22 background pushes go out with priority 5 whatever was said`() throws {
    for priority: String? in [nil, "10", "5"] {
      let changes = ["apns-push-type": "background", "apns-priority": priority]
      #expect(try admitted(evaluate(changes)).priority == 5)
    }
    let low = ["apns-push-type": "background", "apns-priority": "1"]
    #expect(try admitted(evaluate(low)).priority == 1)
  }

  @Test func `Expirations end after 30 days at the latest`() throws {
    let late = ["apns-expiration": "\(Self.now + 400 * 86_400)"]
    // S3-13 part 1 of 2: the HTTP/2 interface, with and without an expiration
    #expect(try admitted(evaluate(late)).expiration == Self.now + 30 * 86_400)
    #expect(try admitted(evaluate(["apns-expiration": nil])).expiration == Self.now + 30 * 86_400)
    let sooner = ["apns-expiration": "\(Self.now + 29 * 86_400)"]
    #expect(try admitted(evaluate(sooner)).expiration == Self.now + 29 * 86_400)
    #expect(try admitted(evaluate(["apns-expiration": "0"])).expiration == 0)
    #expect(try admitted(evaluate(["apns-expiration": "1"])).expiration == 1)
  }

  @Test func `F38 a topic-specific key can send only to its topics`() throws {
    let surroundings = try surroundings(topics: [Array("com.example.other".utf8)])
    #expect(rejection(try evaluate(in: surroundings)) == .topicDisallowed)
  }

  @Test func `G01 G02 a certificate with one topic implies it, with several it does not`() throws {
    let topics = ["com.example.app", "com.example.app.voip"].map { Array($0.utf8) }
    let one = CertificateCredential(
      teamID: "TEAMAAAAAA", topics: Array(topics.prefix(1)), environments: [.sandbox])
    #expect(
      try admitted(evaluate(["apns-topic": nil], in: surroundings(certificate: one))).app.number
        == 1)
    let several = CertificateCredential(
      teamID: "TEAMAAAAAA", topics: topics, environments: [.sandbox])
    #expect(
      rejection(try evaluate(["apns-topic": nil], in: surroundings(certificate: several)))
        == .missingTopic)
    let foreign = ["apns-topic": "com.example.other"]
    #expect(
      rejection(try evaluate(foreign, in: surroundings(certificate: several))) == .topicDisallowed)
  }
}
