import PushWire
import Gateway
import Testing
import Transport

private struct Surroundings: AdmissionContext {
  var credentialAnswer: Admission.Credential
  let directory: CredentialDirectory
  /// The bundle identifiers that might be in damaged rows.
  var damaged: Set<[UInt8]> = []

  func credential(for request: borrowing PushRequest) -> Admission.Credential { credentialAnswer }
  func app(bundleID: Span<UInt8>) -> App? { directory.app(bundleID: bundleID) }
  func mayBeDamaged(bundleID: Span<UInt8>) -> Bool { damaged.contains(bundleID.copied()) }
  func open(token: Span<UInt8>) -> TokenContents? { nil }
}

/// Tests of the checks in apns-protocol section 5 and of their order.
@Suite struct ChannelAdmissionTests {
  private static let channel = ChannelID(high: 1, low: 2)

  private func surroundings(
    topics: Set<[UInt8]>? = nil, certificate: CertificateCredential? = nil
  ) throws -> Surroundings {
    func app(_ number: UInt32, _ name: String, _ team: String, on: Bool = true) -> App {
      App(number: number, bundleID: Array(name.utf8), teamID: team, hasBroadcast: on)
    }
    let key = ProviderVerificationKey(
      id: "KEYTMSBX01", teamID: "TEAMAAAAAA", publicKey: try ES256PrivateKey().publicKey,
      environments: [.sandbox], bundleIDs: topics, relatedKeyID: nil)
    let verified = VerifiedToken(key: key, issuedAt: 0, digest: SHA256.hash([1]))
    return Surroundings(
      credentialAnswer: .accepted(certificate.map { .certificate($0) } ?? .token(verified)),
      directory: CredentialDirectory(
        version: 1, keys: [key],
        apps: [
          app(1, "com.example.app", "TEAMAAAAAA"),
          app(2, "com.example.nobroadcast", "TEAMAAAAAA", on: false),
          app(3, "org.foreign.app", "TEAMBBBBBB"),
        ]))
  }

  private func evaluate(
    _ method: String, _ path: String, _ fields: [String: String?] = [:], body: String = "",
    in surroundings: Surroundings? = nil
  ) throws -> ChannelAdmission.Decision {
    var all: [String: String] = [:]
    if path.hasPrefix("/4/") {
      all = [
        "apns-channel-id": Self.channel.text, "apns-push-type": "liveactivity",
        "apns-expiration": "0", "apns-priority": "10",
      ]
    }
    for (name, value) in fields { all[name] = value }
    var request = PushRequest()
    for (name, value) in [(":method", method), (":path", path)] + all.map({ ($0.key, $0.value) }) {
      request.handleField(name: Array(name.utf8).span, value: Array(value.utf8).span)
    }
    var context = try surroundings ?? self.surroundings()
    let bytes = Array(body.utf8)
    return ChannelAdmission.evaluate(
      request, body: bytes, bodyBytes: bytes.count, context: &context)
  }

  private func rejection(_ decision: ChannelAdmission.Decision) -> Rejection? {
    guard case .refused(let rejection) = decision else { return nil }
    return rejection
  }

  private func call(_ decision: ChannelAdmission.Decision) -> ChannelAdmission.Call? {
    guard case .admitted(_, let call) = decision else { return nil }
    return call
  }

  private static let channels = "/1/apps/com.example.app/channels"
  private static let send = "/4/broadcasts/apps/com.example.app"
  private static let body = #"{"aps":{"event":"update"}}"#

  @Test(arguments: [
    (#"{"message-storage-policy":0,"push-type":"LiveActivity"}"#, false),
    (#"{"push-type":"liveactivity","message-storage-policy":1}"#, true),
  ])
  func `a channel is made with its policy`(_ body: String, _ keepsLatest: Bool) throws {
    #expect(
      call(try evaluate("POST", Self.channels, body: body))
        == .make(ChannelConfiguration(keepsLatest: keepsLatest)))
  }

  @Test(arguments: [
    ("", Rejection.payloadEmpty), (#"{"message-storage-policy":"#, .badRequestPayload),
    ("[]", .badRequestPayload), (#"{"message-storage-policy":0}"#, .missingPushType),
    (#"{"message-storage-policy":0,"push-type":"alert"}"#, .invalidPushType),
    (#"{"push-type":"LiveActivity"}"#, .missingChannelQueueSize),
    (#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#, .missingChannelQueueSize),
    (#"{"message-storage-policy":"1","push-type":"LiveActivity"}"#, .missingChannelQueueSize),
    (#"{"message-storage-policy":0,"push-type":"LiveActivity","x":1}"#, .badRequestParams),
  ])
  func `a channels body is checked key by key`(_ body: String, _ expected: Rejection) throws {
    #expect(rejection(try evaluate("POST", Self.channels, body: body)) == expected)
  }

  @Test func `a channels body has at most 5120 bytes`() throws {
    func body(_ bytes: Int) -> String {
      let text = #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
      return text + String(repeating: " ", count: bytes - text.utf8.count)
    }
    #expect(call(try evaluate("POST", Self.channels, body: body(5_120))) != nil)
    #expect(
      rejection(try evaluate("POST", Self.channels, body: body(5_121))) == .payloadTooLarge)
  }

  @Test func `channels are read removed and listed`() throws {
    let named: [String: String?] = ["apns-channel-id": Self.channel.text]
    #expect(call(try evaluate("GET", Self.channels, named)) == .read(Self.channel))
    #expect(call(try evaluate("DELETE", Self.channels, named)) == .remove(Self.channel))
    #expect(call(try evaluate("GET", "/1/apps/com.example.app/all-channels")) == .list)
  }

  @Test(arguments: [
    (nil, Rejection.missingChannelID), ("", .missingChannelID), ("not base64!", .badChannelID),
    ("dHN0LXNyY2gtY2hubA==", .channelNotRegistered),
  ])
  func `a channels name is checked`(_ id: String?, _ expected: Rejection) throws {
    #expect(
      rejection(try evaluate("GET", Self.channels, ["apns-channel-id": id])) == expected)
    #expect(
      rejection(try evaluate("POST", Self.send, ["apns-channel-id": id], body: Self.body))
        == expected)
  }

  @Test func `methods are the paths own`() throws {
    #expect(rejection(try evaluate("PUT", Self.channels)) == .methodNotAllowed)
    #expect(rejection(try evaluate("GET", Self.send)) == .methodNotAllowed)
    #expect(
      rejection(try evaluate("POST", "/1/apps/com.example.app/all-channels")) == .methodNotAllowed)
  }

  @Test func `the app has to be the credentials and may broadcast`() throws {
    #expect(
      rejection(try evaluate("GET", "/1/apps/org.foreign.app/all-channels")) == .topicMismatch)
    #expect(
      rejection(try evaluate("GET", "/1/apps/com.example.nowhere/all-channels")) == .topicMismatch)
    #expect(
      rejection(try evaluate("GET", "/1/apps/com.example.nobroadcast/all-channels"))
        == .featureNotEnabled)
    #expect(
      rejection(try evaluate("POST", Self.send + ".push-type.liveactivity", body: Self.body))
        == .topicDisallowed)
    let scoped = try surroundings(topics: [Array("com.example.other".utf8)])
    #expect(
      rejection(try evaluate("POST", Self.send, body: Self.body, in: scoped)) == .topicDisallowed)
    let certificate = CertificateCredential(
      teamID: "TEAMAAAAAA", topics: [Array("com.example.other".utf8)], environments: [.sandbox])
    let other = try surroundings(certificate: certificate)
    #expect(
      rejection(try evaluate("POST", Self.send, body: Self.body, in: other)) == .topicMismatch)
  }

  @Test func `an unknown app that may be in a damaged row is refused temporarily`() throws {
    let suffixed = "com.example.app.push-type.liveactivity"
    var surroundings = try surroundings()
    surroundings.damaged = Set(["com.example.lost", suffixed].map { Array($0.utf8) })
    for (bundleID, expected) in [
      ("com.example.lost", .serviceUnavailable), ("com.example.nowhere", .topicMismatch),
      // The gateway knows the app's identifier without the suffix.
      (suffixed, .topicDisallowed), ("com.example.app", nil),
    ] as [(String, Rejection?)] {
      let decision = try evaluate("GET", "/1/apps/\(bundleID)/all-channels", in: surroundings)
      #expect(rejection(decision) == expected, "\(bundleID)")
    }
  }

  @Test func `credentials are checked before the channel`() throws {
    var nobody = try surroundings()
    nobody.credentialAnswer = .refused(.missingProviderToken)
    #expect(rejection(try evaluate("GET", Self.channels, in: nobody)) == .missingProviderToken)
  }

  @Test func `a whole broadcast is admitted`() throws {
    #expect(
      call(try evaluate("POST", Self.send, ["apns-expiration": "77"], body: Self.body))
        == .broadcast(Self.channel, priority: 10, expiration: 77))
  }

  @Test(arguments: [
    ("apns-push-type", nil, Rejection.missingPushType),
    ("apns-push-type", "alert", .invalidPushType), ("apns-push-type", "x", .invalidPushType),
    ("apns-expiration", nil, .badExpirationDate), ("apns-expiration", "x", .badExpirationDate),
    ("apns-expiration", "-1", .badExpirationDate), ("apns-priority", nil, .badPriority),
    ("apns-priority", "7", .badPriority), ("apns-request-id", "x", .badMessageID),
    ("apns-id", "x", .badMessageID),
  ])
  func `a broadcasts fields are required`(
    _ field: String, _ value: String?, _ expected: Rejection
  ) throws {
    #expect(rejection(try evaluate("POST", Self.send, [field: value], body: Self.body)) == expected)
  }

  @Test func `a broadcasts payload is JSON of at most 5120 bytes`() throws {
    #expect(rejection(try evaluate("POST", Self.send)) == .payloadEmpty)
    #expect(rejection(try evaluate("POST", Self.send, body: "{")) == .badRequestPayload)
    func payload(_ bytes: Int) -> String {
      #"{"a":""# + String(repeating: "x", count: bytes - 8) + #""}"#
    }
    #expect(call(try evaluate("POST", Self.send, body: payload(5_120))) != nil)
    #expect(rejection(try evaluate("POST", Self.send, body: payload(5_121))) == .payloadTooLarge)
  }
}
