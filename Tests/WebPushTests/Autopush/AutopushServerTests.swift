import BelfryWire
import Testing

@testable import WebPush

/// A client of an ``AutopushServer``, with the time and everything that the server sent.
private final class Client {
  var server = AutopushServer(at: 0)
  var now: Int64 = 0
  var output: [UInt8] = []

  static let uaid = AutopushUserAgentID(bytes: [UInt8](repeating: 0xAB, count: 16))
  static let channelText = "d1c0de00-0004-0008-0000-000000000001"
  static let channel = AutopushChannel(utf8(channelText).span)
  static let second: Int64 = 1_000_000_000

  /// Sends frames and returns the actions.
  func send(_ frames: ClientFrame...) -> [AutopushServer.Action] {
    var input = frames.flatMap(\.bytes)[...]
    var actions: [AutopushServer.Action] = []
    while let action = server.next(&input, at: now, output: &output) { actions.append(action) }
    return actions
  }

  func send(_ text: String) -> [AutopushServer.Action] { send(.text(text)) }

  /// Returns what the server has sent since the last call, as texts.
  func received() -> [String] {
    defer { output = [] }
    return ServerFrame.all(in: output).map(\.text)
  }

  func receivedFrames() -> [ServerFrame] {
    defer { output = [] }
    return ServerFrame.all(in: output)
  }

  func fire() -> AutopushServer.Action? { server.timerFired(at: now, output: &output) }

  /// Returns a client that the server has identified.
  static func identified() throws -> Client {
    let client = Client()
    _ = client.send(#"{"messageType":"hello","broadcasts":{},"use_webpush":true}"#)
    client.server.identify(as: try #require(uaid), at: 0, output: &client.output)
    _ = client.received()
    return client
  }

  func deliver(_ number: UInt8, _ content: WebPushContent = .empty) throws -> Bool {
    let channel = try #require(Self.channel)
    let notification = try #require(
      AutopushNotification(
        channel: channel, version: [UInt8](repeating: number, count: 16), content: content))
    return server.deliver(notification, reference: UInt64(number), at: now, output: &output)
  }
}

@Suite struct AutopushServerTests {
  private let vapid =
    "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"

  private func register(_ rest: String = "") -> String {
    #"{"messageType":"register","channelID":"\#(Client.channelText)"\#(rest)}"#
  }

  private let unregister =
    #"{"channelID":"\#(Client.channelText)","messageType":"unregister","code":200}"#

  private func ack(_ versions: String..., code: String = #","code":100"#) -> String {
    let updates = versions.map { version in
      #"{"channelID":"\#(Client.channelText)","version":"\#(version)"\#(code)}"#
    }
    return #"{"messageType":"ack","updates":[\#(updates.joined(separator: ","))]}"#
  }

  private func version(_ number: UInt8) -> String {
    Hexadecimal.encode([UInt8](repeating: number, count: 16))
  }

  private func code(_ actions: [AutopushServer.Action]) -> WebSocketCloseCode? {
    guard case .close(let code, _) = actions.last else { return nil }
    return code
  }

  // MARK: hello

  @Test func `Firefox's hello without an identifier gets a new one`() throws {
    let client = Client()
    let actions = client.send(#"{"messageType":"hello","broadcasts":{},"use_webpush":true}"#)
    #expect(actions == [.identify(nil)])
    #expect(client.received().isEmpty)
    client.server.identify(as: try #require(Client.uaid), at: 0, output: &client.output)
    #expect(
      client.received() == [
        #"{"messageType":"hello","uaid":"abababababababababababababababab","status":200,"#
          + #""use_webpush":true,"broadcasts":{}}"#
      ])
    #expect(client.server.isReady)
  }

  @Test func `hello with an identifier asks for its device`() {
    let client = Client()
    let actions = client.send(
      #"{"messageType":"hello","uaid":"abababababababababababababababab","channelIDs":["x"]}"#)
    #expect(actions == [.identify(Client.uaid)])
  }

  @Test(arguments: [
    "\"\"", "null", "5", #""abababababababababababababababa""#,
    #""ABABABABABABABABABABABABABABABAB""#, #""\#(String(repeating: "a", count: 129))""#,
  ])
  func `an identifier of another form gets a new one`(uaid: String) {
    let client = Client()
    let actions = client.send(
      #"{"messageType":"hello","uaid":\#(uaid),"use_webpush":true}"#)
    #expect(actions == [.identify(nil)])
  }

  @Test func `hello names the broadcasts that do not exist`() throws {
    let client = Client()
    _ = client.send(#"{"messageType":"hello","broadcasts":{"a/b":"v1"},"use_webpush":true}"#)
    client.server.identify(as: try #require(Client.uaid), at: 0, output: &client.output)
    let text = try #require(client.received().first)
    #expect(text.hasSuffix(#""broadcasts":{"errors":{"a/b":"Broadcast not found"}}}"#))
  }

  @Test(arguments: [
    "{}", #"{"messageType":"ping"}"#, #"{"messageType":"ack","updates":[]}"#,
    #"{"messageType":"hello","use_webpush":false}"#,
    #"{"messageType":"register","channelID":"d1c0de00-0004-0008-0000-000000000001"}"#,
  ])
  func `another first message closes the connection`(text: String) {
    let client = Client()
    #expect(code(client.send(text)) == .protocolError)
    #expect(client.server.isClosed)
  }

  @Test func `no hello within 5 seconds closes the connection`() {
    let client = Client()
    #expect(client.server.deadline == 5 * Client.second)
    client.now = 5 * Client.second - 1
    #expect(client.fire() == nil)
    _ = client.send(.ping())
    client.now += 1
    #expect(code([client.fire()].compactMap { $0 }) == .protocolError)
  }

  @Test func `a message before the answer to hello closes the connection`() {
    let client = Client()
    let actions = client.send(.text(#"{"messageType":"hello"}"#), .text(register()))
    #expect(actions.first == .identify(nil))
    #expect(code(actions) == .protocolError)
  }

  @Test func `a second hello closes the connection`() throws {
    let client = try Client.identified()
    #expect(code(client.send(#"{"messageType":"hello"}"#)) == .protocolError)
  }

  @Test func `a client that has left is not identified`() throws {
    let client = Client()
    _ = client.send(.text(#"{"messageType":"hello"}"#), .close(1_001))
    _ = client.received()
    client.server.identify(as: try #require(Client.uaid), at: 0, output: &client.output)
    #expect(client.received().isEmpty)
    #expect(client.server.isClosed)
  }

  // MARK: Subscriptions

  @Test func `a registration is answered with its endpoint`() throws {
    let client = try Client.identified()
    let channel = try #require(Client.channel)
    #expect(client.send(register()) == [.register(1, channel, nil)])
    client.server.answerRegistration(
      1, endpoint: "https://push.example.org/push/x", output: &client.output)
    #expect(
      client.received() == [
        #"{"messageType":"register","channelID":"\#(Client.channelText)","status":200,"#
          + #""pushEndpoint":"https://push.example.org/push/x"}"#
      ])
  }

  @Test func `a registration can be restricted to a key, with padding as Firefox writes it`() throws
  {
    let parsed = VAPIDPublicKey(utf8(vapid).span)
    let key = try #require(parsed)
    let channel = try #require(Client.channel)
    for text in [vapid, vapid + "="] {
      let client = try Client.identified()
      #expect(client.send(register(#","key":"\#(text)""#)) == [.register(1, channel, key)])
    }
    let client = try Client.identified()
    #expect(client.send(register(#","key":null"#)) == [.register(1, channel, nil)])
  }

  @Test(arguments: ["\"\"", "5", #""BA1Hxzyi""#, "[]"])
  func `an invalid key gets 400`(key: String) throws {
    let client = try Client.identified()
    #expect(client.send(register(#","key":\#(key)"#)).isEmpty)
    let text = try #require(client.received().first)
    #expect(text.contains(#""messageType":"register""#) && text.contains(#""status":400"#))
    #expect(text.contains(Client.channelText))
  }

  @Test(arguments: [
    "", #","channelID":null"#, #","channelID":"D1C0DE00-0004-0008-0000-00000000000A""#,
    #","channelID":"x""#, #","channelID":5"#,
  ])
  func `a malformed channel closes the connection`(member: String) throws {
    for type in ["register", "unregister"] {
      let client = try Client.identified()
      #expect(code(client.send(#"{"messageType":"\#(type)"\#(member)}"#)) == .protocolError)
    }
  }

  @Test func `the end of a subscription is confirmed`() throws {
    let client = try Client.identified()
    let channel = try #require(Client.channel)
    #expect(client.send(unregister) == [.unregister(1, channel)])
    client.server.answerRemoval(1, output: &client.output)
    #expect(
      client.received() == [
        #"{"messageType":"unregister","channelID":"\#(Client.channelText)","status":200}"#
      ])
  }

  @Test func `a fault gets 500 in the answer to its own request`() throws {
    let client = try Client.identified()
    _ = client.send(.text(register()), .text(unregister))
    client.server.refuse(2, status: 500, "the store failed", output: &client.output)
    client.server.refuse(1, status: 500, "the store failed", output: &client.output)
    let texts = client.received()
    #expect(texts.count == 2)
    #expect(texts.first?.contains(#""messageType":"unregister""#) == true)
    #expect(texts.last?.contains(#""messageType":"register""#) == true)
    #expect(texts.allSatisfy { $0.contains(#""status":500"#) })
  }

  @Test func `the number of unanswered requests is limited`() throws {
    let client = try Client.identified()
    for _ in 0..<AutopushLimits.requestsMax { #expect(client.send(register()).count == 1) }
    #expect(client.received().isEmpty)
    #expect(client.send(register()).isEmpty)
    #expect(client.received().first?.contains(#""status":500"#) == true)
    client.server.answerRegistration(5, endpoint: "https://a/push/x", output: &client.output)
    #expect(client.send(register()).count == 1)
  }

  @Test func `an answer after the end of the connection is not sent`() throws {
    let client = try Client.identified()
    _ = client.send(.text(register()), .close(1_001))
    _ = client.received()
    client.server.answerRegistration(1, endpoint: "https://a/push/x", output: &client.output)
    #expect(client.received().isEmpty)
  }

  // MARK: Messages

  @Test func `a message has its content in base64url`() throws {
    let client = try Client.identified()
    #expect(try client.deliver(1, .aes128gcm([0xFB, 0xFF, 0xFE, 0x01])))
    #expect(
      client.received() == [
        #"{"messageType":"notification","channelID":"\#(Client.channelText)","#
          + #""version":"01010101010101010101010101010101","data":"-__-AQ","#
          + #""headers":{"encoding":"aes128gcm"}}"#
      ])
  }

  @Test func `a message without a body has neither data nor headers`() throws {
    let client = try Client.identified()
    #expect(try client.deliver(1, .empty))
    #expect(
      client.received() == [
        #"{"messageType":"notification","channelID":"\#(Client.channelText)","#
          + #""version":"01010101010101010101010101010101"}"#
      ])
  }

  @Test func `a message of the draft has its fields in headers`() throws {
    let client = try Client.identified()
    let content = AESGCMContent(
      encryption: utf8("salt=abc"), cryptoKey: utf8("dh=def"), body: [1, 2, 3])
    #expect(try client.deliver(1, .aesgcm(content)))
    let text = try #require(client.received().first)
    #expect(
      text.hasSuffix(
        #""data":"AQID","headers":{"encoding":"aesgcm","encryption":"salt=abc","crypto_key":"dh=def"}}"#
      ))
  }

  @Test(arguments: [
    (#","code":100"#, AutopushOutcome.delivered), (#","code":101"#, .undecipherable),
    (#","code":102"#, .notDelivered), ("", .delivered), (#","code":"101""#, .delivered),
    (#","code":7"#, .delivered),
  ])
  func `an acknowledgment settles the message with its outcome`(
    code: String, outcome: AutopushOutcome
  ) throws {
    let client = try Client.identified()
    #expect(try client.deliver(1))
    #expect(
      client.send(ack(version(1), code: code))
        == [.settled([.init(reference: 1, outcome: outcome)])])
    #expect(client.server.freeWindow == AutopushLimits.window)
  }

  @Test func `several messages can be acknowledged in any order, each only once`() throws {
    let client = try Client.identified()
    for number in 1...3 as ClosedRange<UInt8> { #expect(try client.deliver(number)) }
    #expect(
      client.send(ack(version(3), version(1), version(3), version(9), "x", ""))
        == [
          .settled([
            .init(reference: 3, outcome: .delivered), .init(reference: 1, outcome: .delivered),
          ])
        ])
    #expect(client.send(ack(version(3))).isEmpty)
    #expect(client.server.freeWindow == AutopushLimits.window - 1)
  }

  @Test func `ten messages are sent before the client acknowledges one`() throws {
    let client = try Client.identified()
    for number in 1...10 as ClosedRange<UInt8> { #expect(try client.deliver(number)) }
    #expect(client.server.freeWindow == 0)
    #expect(try !client.deliver(11))
    #expect(client.received().count == 10)
    _ = client.send(ack(version(4)))
    #expect(try client.deliver(11))
  }

  @Test func `no message is sent before hello was answered`() throws {
    let client = Client()
    #expect(try !client.deliver(1))
    _ = client.send(#"{"messageType":"hello"}"#)
    #expect(try !client.deliver(1))
    #expect(client.output.isEmpty)
  }

  @Test(arguments: [
    #"{"messageType":"ack"}"#, #"{"messageType":"ack","updates":{}}"#,
    #"{"messageType":"bye"}"#, #"{"messageType":5}"#, #"{"channelID":"x"}"#, "[]", "null", "",
    "{", "{} {}", #"{"messageType":"HELLO"}"#,
  ])
  func `a malformed message closes the connection`(text: String) throws {
    let client = try Client.identified()
    #expect(code(client.send(text)) == .protocolError)
    #expect(client.receivedFrames().map(\.opcode) == [0x8])
  }

  @Test func `updates that are not objects settle nothing`() throws {
    let client = try Client.identified()
    #expect(try client.deliver(1))
    let text = #"{"messageType":"ack","updates":[null,5,{},{"version":1},"x"]}"#
    #expect(client.send(text).isEmpty)
    #expect(!client.server.isClosed)
  }

  @Test func `a nack needs no answer`() throws {
    let client = try Client.identified()
    #expect(client.send(#"{"messageType":"nack","version":"x","code":302}"#).isEmpty)
    #expect(client.received().isEmpty)
    #expect(!client.server.isClosed)
  }

  @Test func `Firefox learns that this service has no broadcasts`() throws {
    let client = try Client.identified()
    let id = "remote-settings/monitor_changes"
    #expect(
      client.send(#"{"messageType":"broadcast_subscribe","broadcasts":{"\#(id)":"v1"}}"#).isEmpty)
    #expect(
      client.received() == [
        #"{"messageType":"broadcast","broadcasts":{"errors":{"\#(id)":"Broadcast not found"}}}"#
      ])
    let many = (0...AutopushLimits.broadcastsMax).map { #""\#($0)":"v""# }
    let text =
      #"{"messageType":"broadcast_subscribe","broadcasts":{\#(many.joined(separator: ","))}}"#
    #expect(code(client.send(text)) == .protocolError)
  }

  // MARK: Liveness

  @Test func `a ping of the client is answered, and frequent pings close the connection`() throws {
    let client = try Client.identified()
    #expect(client.send("{}") == [.pinged])
    client.now = 45 * Client.second
    #expect(client.send(#"{"messageType":"ping"}"#) == [.pinged])
    #expect(client.received() == ["{}", "{}"])
    client.now = 90 * Client.second - 1
    #expect(code(client.send("{}")) == .staysAway)
  }

  @Test func `a Ping frame is answered with its payload`() throws {
    let client = try Client.identified()
    #expect(client.send(.ping(utf8("p"))).isEmpty)
    #expect(client.receivedFrames() == [ServerFrame(opcode: 0xA, payload: utf8("p"))])
  }

  @Test func `a silent client is pinged after 300 seconds, and closed if it does not answer`()
    throws
  {
    let client = try Client.identified()
    #expect(client.server.deadline == 300 * Client.second)
    client.now = 300 * Client.second
    #expect(client.fire() == nil)
    #expect(client.receivedFrames() == [ServerFrame(opcode: 0x9, payload: [])])
    #expect(client.server.deadline == 320 * Client.second)
    client.now = 310 * Client.second
    #expect(client.send(ClientFrame(opcode: 0xA, payload: [])).isEmpty)
    #expect(client.server.deadline == 610 * Client.second)
    client.now = 610 * Client.second
    #expect(client.fire() == nil)
    client.now = 630 * Client.second
    #expect(code([client.fire()].compactMap { $0 }) == .internalError)
    #expect(client.server.deadline == .max)
  }

  @Test func `a client that answers each ping but acknowledges nothing is closed after 3 minutes`()
    throws
  {
    let client = try Client.identified()
    #expect(try client.deliver(1))
    #expect(try client.deliver(2))
    #expect(client.server.deadline == 180 * Client.second)
    client.now = 170 * Client.second
    _ = client.send(ack(version(2)))
    #expect(client.server.deadline == 350 * Client.second)
    client.now = 340 * Client.second
    _ = client.send(.ping())
    client.now = 350 * Client.second
    #expect(code([client.fire()].compactMap { $0 }) == .internalError)
  }

  @Test func `a client without messages has nothing to acknowledge`() throws {
    let client = try Client.identified()
    #expect(try client.deliver(1))
    client.now = 100 * Client.second
    _ = client.send(ack(version(1)))
    #expect(client.server.deadline == 400 * Client.second)
    client.now = 200 * Client.second
    #expect(try client.deliver(2))
    #expect(client.server.deadline == 380 * Client.second)
  }

  @Test func `a client that is not identified within 30 seconds is closed`() throws {
    let client = Client()
    client.now = 2 * Client.second
    _ = client.send(#"{"messageType":"hello"}"#)
    #expect(client.server.deadline == 32 * Client.second)
    client.now = 32 * Client.second
    #expect(code([client.fire()].compactMap { $0 }) == .internalError)
    client.server.identify(as: try #require(Client.uaid), at: client.now, output: &client.output)
    #expect(client.receivedFrames().map(\.opcode) == [0x8])
  }

  @Test func `a message that is not complete after 15 seconds closes the connection`() throws {
    let client = try Client.identified()
    let first = ClientFrame(opcode: 0x1, payload: utf8("{"), isFinal: false)
    client.now = 10 * Client.second
    #expect(client.send(first).isEmpty)
    #expect(client.server.deadline == 25 * Client.second)
    client.now = 20 * Client.second
    // Neither a control frame nor another part extends the limit.
    #expect(client.send(.ping(), ClientFrame(opcode: 0x0, payload: [], isFinal: false)).isEmpty)
    #expect(client.server.deadline == 25 * Client.second)
    client.now = 25 * Client.second
    #expect(code([client.fire()].compactMap { $0 }) == .protocolError)
  }

  @Test func `the time limit of a message starts over with each message`() throws {
    let client = try Client.identified()
    let frame = ClientFrame.ping().bytes
    // Each piece ends in the middle of the next frame.
    var input = (frame.dropLast())[...]
    #expect(client.server.next(&input, at: 0, output: &client.output) == nil)
    #expect(client.server.deadline == 15 * Client.second)
    for second in 1...40 as ClosedRange<Int64> {
      client.now = second * Client.second
      input = (frame.suffix(1) + frame.dropLast())[...]
      #expect(client.server.next(&input, at: client.now, output: &client.output) == nil)
      #expect(client.fire() == nil)
    }
    #expect(!client.server.isClosed)
    input = frame.suffix(1)
    #expect(client.server.next(&input, at: client.now, output: &client.output) == nil)
    #expect(client.server.deadline == 340 * Client.second)
  }

  @Test func `a client that reads nothing for 20 seconds is closed`() throws {
    let client = try Client.identified()
    client.server.outputStalled(at: 5 * Client.second)
    client.server.outputStalled(at: 9 * Client.second)
    #expect(client.server.deadline == 25 * Client.second)
    client.server.outputDrained()
    #expect(client.server.deadline == 300 * Client.second)
    client.server.outputStalled(at: 30 * Client.second)
    client.now = 50 * Client.second
    #expect(code([client.fire()].compactMap { $0 }) == .internalError)
    client.server.outputStalled(at: 51 * Client.second)
    #expect(client.server.deadline == .max)
  }

  @Test func `a message of 16 KB is read, and a longer one closes the connection`() throws {
    let channels = Array(repeating: #""\#(Client.channelText)""#, count: 400)
    let hello = #"{"messageType":"hello","channelIDs":[\#(channels.joined(separator: ","))]}"#
    #expect(Client().send(hello) == [.identify(nil)])
    let space = String(repeating: " ", count: AutopushLimits.messageBytesMax - 1)
    #expect(try code(Client.identified().send("{}" + space)) == .messageTooBig)
    #expect(try Client.identified().send("{}" + space.dropLast()) == [.pinged])
  }

  @Test func `the end of the connection is answered with the client's code`() throws {
    let client = try Client.identified()
    #expect(try client.deliver(1))
    _ = client.received()
    #expect(code(client.send(.close(1_001), .text("{}"))) == .goingAway)
    #expect(client.receivedFrames() == [ServerFrame(opcode: 0x8, payload: [0x03, 0xE9])])
    #expect(client.send("{}").isEmpty)
  }

  @Test func `the connection is closed once, with the service's code`() throws {
    let client = try Client.identified()
    let action = client.server.close(.normal, "replaced", output: &client.output)
    #expect(action == .close(.normal, "replaced"))
    _ = client.server.close(.goingAway, "", output: &client.output)
    #expect(
      client.receivedFrames() == [
        ServerFrame(opcode: 0x8, payload: [0x03, 0xE8] + utf8("replaced"))
      ])
  }

  @Test func `arbitrary messages never trap`() throws {
    var generator = SeededGenerator(state: 30)
    let parts = [
      "{", "}", "[", "]", #""messageType":"#, #""ack""#, #""updates":"#, #""hello""#, ",", ":",
      #""uaid":"#, "null", "5", #""register""#, #""channelID":"#, #""\#(Client.channelText)""#,
    ]
    for _ in 0..<500 {
      let client = try Client.identified()
      var text = ""
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        text += parts.randomElement(using: &generator) ?? ""
      }
      _ = client.send(text)
    }
  }
}
