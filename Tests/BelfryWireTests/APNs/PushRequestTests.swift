import PushWire
import TestSupport
import Testing

@Suite struct PushRequestTests {
  private func request(_ fields: [(String, String)]) -> PushRequest {
    var request = PushRequest()
    for (name, value) in fields {
      request.handleField(name: Array(name.utf8).span, value: Array(value.utf8).span)
    }
    return request
  }

  @Test func `a token in either case is decoded`() {
    #expect(request([(":path", "/3/device/00FCad")]).token == [0x00, 0xFC, 0xAD])
    #expect(request([(":path", "/3/device/00fcAD")]).path == .device)
  }

  @Test(arguments: [
    "/3/device/abc", "/3/device/zz", "/3/device/\(String(repeating: "ab", count: 101))",
  ])
  func `text that is no token leaves the token empty`(path: String) {
    let request = request([(":path", path)])
    #expect(request.path == .device)
    #expect(request.token.isEmpty)
  }

  @Test(arguments: [
    "/", "", "/3/devices/aa", "/3/device/aa/bb", "/4/broadcasts/apps/", "/1/apps//channels",
  ])
  func `a path outside the interface is classified as other`(path: String) {
    #expect(request([(":path", path)]).path == .other)
  }

  @Test(arguments: ["/3/device/", "/3/device"])
  func `a path without token says so`(path: String) {
    #expect(request([(":path", path)]).path == .deviceWithoutToken)
  }

  @Test func `broadcast and channel paths carry their bundle`() {
    let broadcast = request([(":path", "/4/broadcasts/apps/com.example.app")])
    #expect(broadcast.path == .broadcast)
    #expect(broadcast.bundleID == Array("com.example.app".utf8))
    #expect(request([(":path", "/1/apps/a.b/channels")]).path == .channels)
    #expect(request([(":path", "/1/apps/a.b/all-channels")]).path == .allChannels)
  }

  @Test func `the path of the Matrix push gateway can have a query`() {
    for path in ["/_matrix/push/v1/notify", "/_matrix/push/v1/notify?up=1"] {
      #expect(request([(":path", path)]).path == .matrixNotify)
    }
    for path in [
      "/_matrix/push/v1/notify/", "/_matrix/push/v1/notif", "/_matrix/push/r0/notify",
      "/_matrix/push/v1", "?/_matrix/push/v1/notify",
    ] {
      #expect(request([(":path", path)]).path == .other, "\(path)")
    }
  }

  @Test func `an id is taken in any case and echoed as sent`() {
    let text = "123e4567-E89B-12d3-a456-4266554400a0"
    let request = request([("apns-id", text)])
    guard case .value(let id) = request.id else {
      Issue.record("the value was not accepted")
      return
    }
    #expect(id.text == text.lowercased())
    #expect(request.idText == Array(text.utf8))
  }

  @Test(arguments: [
    "", "123e4567e89b12d3a4564266554400a0", "123e4567-e89b-12d3-a456-4266554400a",
    "123e4567-e89b-12d3-a456-4266554400ag", "{123e4567-e89b-12d3-a456-426655440a}",
  ])
  func `an id that is not canonical is invalid`(text: String) {
    guard case .invalid = request([("apns-id", text)]).id else {
      Issue.record("\(text) was accepted")
      return
    }
  }

  @Test(arguments: [("0", 0), ("1700000000", 1_700_000_000)])
  func `an expiration is whole seconds`(text: String, seconds: Int64) {
    guard case .value(let value) = request([("apns-expiration", text)]).expiration else {
      Issue.record("the value was not accepted")
      return
    }
    #expect(value == seconds)
  }

  @Test(arguments: ["", "-", "-1", "+1", "tomorrow", "1.5", "1e9", " 1", "9999999999999999999"])
  func `another expiration is invalid`(text: String) {
    guard case .invalid = request([("apns-expiration", text)]).expiration else {
      Issue.record("\(text) was accepted")
      return
    }
  }

  @Test(arguments: ["", "7", "010", "10 ", "high"])
  func `another priority is invalid`(text: String) {
    guard case .invalid = request([("apns-priority", text)]).priority else {
      Issue.record("\(text) was accepted")
      return
    }
  }

  @Test func `collapse ids are counted in bytes`() {
    let fits = String(repeating: "ü", count: 32)
    guard case .value = request([("apns-collapse-id", fits)]).collapse else {
      Issue.record("64 bytes were refused")
      return
    }
    guard case .invalid = request([("apns-collapse-id", fits + "c")]).collapse else {
      Issue.record("65 bytes were accepted")
      return
    }
  }

  @Test func `a doubled field is noticed, a doubled unknown one is not`() {
    #expect(request([("apns-priority", "10"), ("apns-priority", "10")]).hasDuplicates)
    #expect(!request([("accept", "a"), ("accept", "a")]).hasDuplicates)
  }

  @Test func `resetting a used request clears all its fields`() {
    var request = request([(":path", "/3/device/aa"), ("apns-topic", "a"), ("apns-id", "x")])
    request.reset()
    #expect(request.path == .other && request.token.isEmpty && request.topic.isEmpty)
    #expect(!request.hasTopic && !request.hasDuplicates)
    guard case .absent = request.id else {
      Issue.record("the id was not cleared")
      return
    }
  }

  #if !DEBUG
    @Test func `a request in the usual shape allocates nothing once its buffers have grown`() {
      let fields = [
        (":method", "POST"), (":path", "/3/device/" + String(repeating: "ab", count: 32)),
        ("authorization", "bearer " + String(repeating: "x", count: 200)),
        ("apns-topic", "com.example.app"), ("apns-push-type", "alert"), ("apns-priority", "10"),
        ("apns-expiration", "0"), ("apns-collapse-id", "score"),
        ("apns-id", "123e4567-e89b-12d3-a456-4266554400a0"),
      ].map { (Array($0.0.utf8), Array($0.1.utf8)) }
      var request = PushRequest()
      expectAllocations(atMost: 0) {
        request.reset()
        for (name, value) in fields { request.handleField(name: name.span, value: value.span) }
      }
    }
  #endif

  @Test func `arbitrary bytes never trap`() {
    var random = SystemRandomNumberGenerator()
    let names = [
      ":path", ":method", "apns-id", "apns-topic", "authorization", "apns-priority",
      "apns-push-type", "apns-expiration", "apns-channel-id", "apns-request-id",
      "apns-collapse-id",
    ]
    for _ in 0..<5_000 {
      var request = PushRequest()
      for name in names {
        let count = Int.random(in: 0...80, using: &random)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        request.handleField(name: Array(name.utf8).span, value: bytes.span)
      }
    }
  }
}
