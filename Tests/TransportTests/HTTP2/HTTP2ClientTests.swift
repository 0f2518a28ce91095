import TestSupport
import Testing

@testable import Transport

@Suite struct HTTP2ClientTests {
  private let server = ServerBench(.nghttp2)
  private let recorder = ResponseRecorder()
  private let client = NGHTTP2ClientSession()
  private let push = [
    (name: ":method", value: "POST"), (name: ":scheme", value: "https"),
    (name: ":path", value: "/3/device/00"), (name: ":authority", value: "localhost"),
    (name: "apns-topic", value: "com.example"),
  ]

  /// Carries bytes in both directions until neither side has any.
  private func exchange() {
    var isMoving = true
    while isMoving {
      isMoving = false
      var toServer: [UInt8] = []
      client.takeOutput { toServer += $0 }
      client.receive(recorder)
      if !toServer.isEmpty {
        server.send(toServer)
        isMoving = true
      }
      let toClient = server.outputBytes()
      if !toClient.isEmpty {
        _ = toClient.withUnsafeBytes { client.receive($0, recorder) }
        isMoving = true
      }
    }
  }

  @Test
  func `nothing is sent before the server's limit is known, then as much as it says`() {
    #expect(client.availableStreams == 0)
    #expect(client.request(fields: push, body: []) == nil)
    exchange()
    #expect(recorder.limits == [1])
    #expect(client.availableStreams == 1)
    #expect(client.request(fields: push, body: [1]) == 1)
    #expect(client.request(fields: push, body: [2]) == nil)
    server.session.allowConcurrentStreams(500)
    exchange()
    #expect(recorder.limits == [1, 500])
    #expect(client.availableStreams == 499)
  }

  @Test
  func `requests and answers pass, with and without bodies`() {
    server.recorder.onEnd = { [server] stream in
      if stream == 1 {
        server.respond(stream, 200, [("apns-id", "A")])
      } else {
        server.respond(stream, 400, [("apns-id", "B")], body: "{\"reason\":\"BadTopic\"}")
      }
    }
    exchange()
    server.session.allowConcurrentStreams(10)
    exchange()
    let payload = [UInt8](repeating: 0x61, count: 4_096)
    #expect(client.request(fields: push, body: payload) == 1)
    #expect(client.request(fields: push, body: []) == 3)
    exchange()
    #expect(server.recorder.requests[1]?.body == payload)
    #expect(server.recorder.requests[1]?.value("apns-topic") == "com.example")
    #expect(recorder.responses[1]?.status == "200")
    #expect(recorder.responses[1]?.pieces == 0)
    #expect(recorder.responses[1]?.isEnded == true)
    #expect(recorder.responses[3]?.status == "400")
    #expect(recorder.responses[3]?.text == "{\"reason\":\"BadTopic\"}")
    #expect(recorder.responses[3]?.pieces == 1)
    #expect(client.openStreams == 0)
  }

  @Test
  func `a reset, a refusal and a lost connection are reported differently`() {
    exchange()
    server.session.allowConcurrentStreams(10)
    exchange()
    let first = client.request(fields: push, body: [])
    let second = client.request(fields: push, body: [])
    let third = client.request(fields: push, body: [])
    exchange()
    server.session.reset(first ?? 0, errorCode: HTTP2ErrorCode.internalError)
    server.session.reset(second ?? 0, errorCode: HTTP2ErrorCode.refusedStream)
    exchange()
    client.connectionEnded()
    client.receive(recorder)
    #expect(recorder.responses[1]?.failure == .reset(errorCode: HTTP2ErrorCode.internalError))
    #expect(recorder.responses[3]?.failure == .unprocessed)
    #expect(recorder.responses[third ?? 0]?.failure == .connectionLost)
    #expect(client.openStreams == 0)
    #expect(client.request(fields: push, body: []) == nil)
  }

  @Test
  func `GOAWAY is reported with its reason, and requests after its last stream were not processed`()
  {
    exchange()
    server.session.allowConcurrentStreams(10)
    exchange()
    _ = client.request(fields: push, body: [])
    exchange()
    _ = client.request(fields: push, body: [])
    server.session.goAway(
      lastStreamID: nil, errorCode: 0, debugData: Array("{\"reason\":\"Shutdown\"}".utf8))
    let bytes = server.outputBytes()
    _ = bytes.withUnsafeBytes { client.receive($0, recorder) }
    exchange()
    #expect(recorder.goAway?.lastStreamID == 1)
    #expect(recorder.goAway?.debug == "{\"reason\":\"Shutdown\"}")
    #expect(client.isGoingAway)
    #expect(recorder.responses[3]?.failure == .unprocessed)
    server.respond(1, 200)
    exchange()
    #expect(recorder.responses[1]?.isEnded == true)
    #expect(client.isFinished)
  }

  @Test
  func `a PING is answered`() {
    exchange()
    client.ping()
    exchange()
    #expect(recorder.pings == 1)
  }

  @Test
  func `a cancelled request is reported on both sides`() {
    exchange()
    _ = client.request(fields: push, body: [])
    exchange()
    client.cancel(1)
    exchange()
    #expect(server.recorder.requests[1]?.resetCode == HTTP2ErrorCode.cancel)
    #expect(recorder.responses[1]?.failure == .reset(errorCode: HTTP2ErrorCode.cancel))
  }

  @Test
  func `a response with too long a header list fails, and the connection remains usable`() {
    server.recorder.onEnd = { [server] stream in
      let text = String(repeating: "a", count: 6_000)
      let fields = ["x", "y", "z"].map { ($0, text) }
      server.respond(stream, 200, stream == 1 ? fields : Array(fields.prefix(2)))
    }
    exchange()
    server.session.allowConcurrentStreams(10)
    exchange()
    _ = client.request(fields: push, body: [])
    exchange()
    #expect(recorder.responses[1]?.failure != nil)
    #expect(recorder.responses[1]?.isEnded == false)
    _ = client.request(fields: push, body: [])
    exchange()
    #expect(recorder.responses[3]?.value("y")?.count == 6_000)
    #expect(recorder.responses[3]?.isEnded == true)
  }

  @Test
  func `a server that does not speak HTTP/2 ends the session cleanly`() {
    let bytes = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
    #expect(bytes.withUnsafeBytes { client.receive($0, recorder) } == .closing)
    #expect(client.request(fields: push, body: []) == nil)
  }
}
