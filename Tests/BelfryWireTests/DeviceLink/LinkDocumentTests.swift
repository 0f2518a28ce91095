import BelfryWire
import PushWire
import Foundation
import Testing

/// Tests that decode the examples in `docs/device-link.md`, which is the specification.
@Suite struct LinkDocumentTests {
  static let id = NotificationID(high: 0xEABE_AE54_14A8_11E5, low: 0xB60B_1697_F925_EC7B)
  static let uniqueID = NotificationID(high: 0x0F0E_0D0C_0B0A_4908, low: 0x8706_0504_0302_0100)
  static let topic = LinkTopic(bundleID: "com.example.app")
  static let channel = [UInt8](0xD0..<0xE0)

  /// The blocks of the document that are marked `hex NAME`, as bytes.
  static let examples: [String: [UInt8]] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let file = folder.appending(path: "../../../docs/device-link.md").standardized
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [:] }
    var examples: [String: [UInt8]] = [:]
    for block in text.components(separatedBy: "```hex ").dropFirst() {
      let lines = block.components(separatedBy: "```")[0].split(separator: "\n")
      let digits = lines.dropFirst().joined().filter { $0 != " " }
      examples[String(lines[0])] = Hexadecimal.decode(digits)
    }
    return examples
  }()

  static var frames: [(String, LinkFrame)] {
    [
      (
        "hello",
        .hello(LinkFrame.Hello(state: .metered, window: 64, provedSeconds: 900, failedSeconds: 0))
      ),
      (
        "welcome",
        .welcome(
          LinkFrame.Welcome(
            bodyBytesMax: 1_024, intervalSeconds: 60,
            nonce: NotificationID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F),
            environment: .sandbox))
      ),
      (
        "enroll",
        .enroll(
          LinkFrame.Enrollment(
            publicKey: [0x30, 2, 5, 0], proof: [UInt8](0x40..<0x80), code: "K7QX-2M9P",
            name: "kitchen display"))
      ),
      ("enrolled", .enrolled(device: 7, chainPEM: Array("-----BEGIN CERTIFICATE-----\n".utf8))),
      ("enroll-refused", .enrollRefused(.wrongCode)),
      ("connect", .connect),
      ("connected", .connected(device: 7, unixMilliseconds: 1_700_000_000_000)),
      ("ready", .ready),
      ("register", .topic(.register, request: 1, topic)),
      (
        "unregister",
        .topic(.unregister, request: 2, LinkTopic(bundleID: "com.example.app", kind: .voip))
      ),
      ("disable", .topic(.disable, request: 3, topic)),
      ("enable", .topic(.enable, request: 4, topic)),
      ("token", .token(request: 1, handle: 0x31, token: [UInt8](0xA0..<0xC0))),
      ("refused", .refused(request: 2, .notRegistered)),
      ("subscribe", .subscribe(request: 5, bundleID: "com.example.app", channel: channel)),
      ("unsubscribe", .unsubscribe(request: 6, bundleID: "com.example.app", channel: channel)),
      ("subscribed", .subscribed(request: 5, handle: 0x8001)),
      ("done", .done(request: 6)),
      ("ack", .acknowledge(through: 2)),
      ("discard", .discard(delivery: 3, .unknownHandle)),
      ("state", .state([.asleep, .powerRestricted])),
      ("ping", .ping(0x0102_0304)),
      ("pong", .pong(0x0102_0304, intervalSeconds: 90)),
      (
        "reconnect",
        .reconnect(
          LinkFrame.ReconnectHint(
            afterMilliseconds: 1_000, jitterMilliseconds: 5_000, host: "gate2.example.com",
            port: 5_223))
      ),
      ("draining", .draining(milliseconds: 3_000)),
      (
        "hello-renews",
        .hello(LinkFrame.Hello(state: .metered, window: 64, provedSeconds: 900, renews: true))
      ),
      ("trust", .trust(mark: [UInt8](0..<32))),
      ("renew", .renew(publicKey: [0x30, 2, 5, 0])),
      (
        "renewed",
        .renewed(
          LinkFrame.Renewed(
            certificate: [0x30, 1, 0xAA], authorities: [[0x30, 1, 0xBB], [0x30, 1, 0xCC]]))
      ),
      ("renewal-refused", .renewalRefused(.tooMany, afterSeconds: 600)),
      ("close", .close(LinkFault(.unexpectedFrame, frameType: 0x10))),
    ]
  }

  @Test func `each example decodes to its frame and back`() throws {
    for (name, frame) in Self.frames {
      let bytes = try #require(Self.examples[name], "\(name) is missing from the document")
      try decode(bytes) { #expect($0 == frame, "\(name)") }
      #expect(frame.encoded == bytes, "\(name)")
    }
  }

  @Test func `the notification examples decode to their fields and back`() throws {
    try checkNotification(
      "notification", collapseID: "score", payload: #"{"aps":{"alert":"Goal!"}}"#
    ) { collapseID, payload in
      LinkNotification(
        delivery: 1, handle: 0x31, id: Self.id, uniqueID: Self.uniqueID,
        acceptedMilliseconds: 1_700_000_000_123, expiration: 1_700_003_600, isFromStorage: true,
        priority: 10, pushTypeCode: PushType.alert.rawValue, collapseID: collapseID,
        payload: payload)
    }
    try checkNotification(
      "broadcast", collapseID: "", payload: #"{"aps":{"event":"update"}}"#
    ) { collapseID, payload in
      LinkNotification(
        delivery: 2, handle: 0x8001, id: Self.id, uniqueID: Self.uniqueID,
        acceptedMilliseconds: 1_700_000_000_123, expiration: LinkNotification.expirationNone,
        isFromStorage: false, isBroadcast: true, priority: 5,
        pushTypeCode: PushType.liveActivity.rawValue, collapseID: collapseID, payload: payload)
    }
  }

  @Test func `the example of a skippable type is passed over and the unknown one is refused`()
    throws
  {
    let skippable = try #require(Self.examples["skippable"])
    try decode(skippable) { #expect($0 == nil) }
    let unknown = try #require(Self.examples["unknown"])
    #expect(throws: LinkFault(.unknownFrame, frameType: 0x7E)) { try decode(unknown) { _ in } }
  }

  @Test func `the document contains every frame type and every close reason`() throws {
    let names = Set(Self.frames.map { $0.1.type } + [.notification, .broadcast])
    #expect(names == Set(LinkFrameType.allCases))
    #expect(Self.examples.count == LinkFrameType.allCases.count + 3)
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let text = try String(
      contentsOf: folder.appending(path: "../../../docs/device-link.md"), encoding: .utf8)
    for reason in LinkCloseReason.all {
      #expect(text.contains("| \(reason.rawValue) | \(reason) |"), "\(reason)")
    }
    for type in LinkFrameType.allCases {
      let code = String(type.rawValue, radix: 16, uppercase: true)
      #expect(text.contains(", 0x\(code.count == 1 ? "0" : "")\(code)**"), "\(type)")
    }
  }

  private func checkNotification(
    _ name: String, collapseID: String, payload: String,
    _ make: ([UInt8], [UInt8]) -> LinkNotification
  ) throws {
    let bytes = try #require(Self.examples[name])
    let notification = make(Array(collapseID.utf8), Array(payload.utf8))
    try decode(bytes) { #expect($0 == .notification(notification)) }
    #expect(LinkFrame.notification(notification).encoded == bytes)
  }

  private func decode(_ bytes: [UInt8], _ body: (LinkFrame?) throws -> Void) throws {
    try bytes.withUnsafeBytes { raw in
      var input = raw
      var splitter = LinkFrameSplitter(bodyBytesMax: LinkLimits.gatewayBodyBytesMax)
      let frame = try #require(try splitter.next(&input))
      #expect(input.isEmpty)
      try body(try LinkFrame(type: frame.type, body: frame.body))
    }
  }
}
