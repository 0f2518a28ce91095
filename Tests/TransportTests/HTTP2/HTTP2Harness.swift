import System
import TestSupport
import Testing

@testable import Transport

/// A handler of a server's requests that records its calls.
final class RequestRecorder: HTTP2RequestHandler {
  struct Request {
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var isEnded = false
    var resetCode: UInt32?

    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
  }

  var requests: [Int32: Request] = [:]
  var order: [Int32] = []
  var onEnd: (Int32) -> Void = { _ in }

  func requestBegan(_ streamID: Int32) {
    requests[streamID] = Request()
    order.append(streamID)
  }

  func requestField(_ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
  {
    requests[streamID]?.fields.append(
      (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
  }

  func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {
    requests[streamID]?.body += bytes
  }

  func requestEnded(_ streamID: Int32) {
    requests[streamID]?.isEnded = true
    onEnd(streamID)
  }

  func requestReset(_ streamID: Int32, errorCode: UInt32) {
    requests[streamID]?.resetCode = errorCode
  }
}

/// A handler of a client's responses that records its calls.
final class ResponseRecorder: HTTP2ResponseHandler {
  struct Response {
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var pieces = 0
    var isEnded = false
    var failure: HTTP2RequestFailure?

    var status: String? { fields.first { $0.name == ":status" }?.value }
    var text: String { String(decoding: body, as: UTF8.self) }
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
  }

  var responses: [Int32: Response] = [:]
  var limits: [UInt32] = []
  var goAway: (lastStreamID: Int32, errorCode: UInt32, debug: String)?
  var pings = 0

  func responseField(_ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
  {
    responses[streamID, default: Response()].fields.append(
      (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
  }

  func responseBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {
    responses[streamID, default: Response()].body += bytes
    responses[streamID]?.pieces += 1
  }

  func responseEnded(_ streamID: Int32) { responses[streamID, default: Response()].isEnded = true }

  func responseFailed(_ streamID: Int32, reason: HTTP2RequestFailure) {
    responses[streamID, default: Response()].failure = reason
  }

  func connectionWentAway(
    lastStreamID: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer
  ) { goAway = (lastStreamID, errorCode, String(decoding: debugData, as: UTF8.self)) }

  func concurrentStreamsChanged(_ count: UInt32) { limits.append(count) }

  func pingAcknowledged() { pings += 1 }
}

/// A frame as sent on the wire.
struct WireFrame: Equatable {
  var type: UInt8
  var flags: UInt8
  var streamID: Int32
  var payload: [UInt8]

  init(_ type: UInt8, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []) {
    self.type = type
    self.flags = flags
    streamID = stream
    self.payload = payload
  }

  var bytes: [UInt8] {
    let id = UInt32(bitPattern: streamID)
    return [
      UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 0xff), UInt8(payload.count & 0xff),
      type, flags, UInt8(id >> 24), UInt8(id >> 16 & 0xff), UInt8(id >> 8 & 0xff), UInt8(id & 0xff),
    ] + payload
  }

  static func parse(_ bytes: [UInt8]) -> [WireFrame] {
    var frames: [WireFrame] = []
    var offset = 0
    while offset + 9 <= bytes.count {
      let length =
        Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
      guard offset + 9 + length <= bytes.count else { break }
      let id = bytes[offset + 5..<offset + 9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      frames.append(
        WireFrame(
          bytes[offset + 3], flags: bytes[offset + 4], stream: Int32(id & 0x7fff_ffff),
          Array(bytes[offset + 9..<offset + 9 + length])))
      offset += 9 + length
    }
    return frames
  }

  /// The error code of a GOAWAY frame.
  var errorCode: UInt32? {
    guard type == 7, payload.count >= 8 else { return nil }
    return payload[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
  }

  /// The debug data of a GOAWAY frame.
  var debugText: String? {
    guard type == 7, payload.count >= 8 else { return nil }
    return String(decoding: payload[8...], as: UTF8.self)
  }

  /// The values of a SETTINGS frame, by identifier.
  var settings: [Int: UInt32] {
    var values: [Int: UInt32] = [:]
    for offset in stride(from: 0, to: payload.count - 5, by: 6) {
      values[Int(payload[offset]) << 8 | Int(payload[offset + 1])] =
        payload[offset + 2..<offset + 6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    return values
  }
}

/// A server session without a connection, which processes bytes that the test builds.
final class ServerBench {
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  let recorder = RequestRecorder()
  let session: any HTTP2ServerSession
  var nowNanoseconds: Int64 = 0

  init(_ codec: HTTP2Codec, _ settings: HTTP2Settings = HTTP2Settings()) {
    let time = Time()
    session = codec.makeServerSession(settings: settings) { time.now }
    self.time = time
  }

  private final class Time { var now: Int64 = 0 }
  private let time: Time

  func pass(seconds: Int64) { time.now += seconds * 1_000_000_000 }

  @discardableResult
  func send(_ bytes: [UInt8]) -> HTTP2SessionStatus {
    bytes.withUnsafeBytes { session.receive($0, recorder) }
  }

  @discardableResult
  func send(_ frames: WireFrame...) -> HTTP2SessionStatus { send(frames.flatMap(\.bytes)) }

  /// Sends the preface, SETTINGS, and the acknowledgment of the server's SETTINGS.
  func begin() {
    send(Self.preface + WireFrame(4).bytes)
    send(WireFrame(4, flags: 1))
    _ = output()
  }

  func output() -> [WireFrame] { WireFrame.parse(outputBytes()) }

  func outputBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    session.takeOutput { bytes += $0 }
    session.receive(recorder)
    return bytes
  }

  /// Returns a header block of literals without indexing.
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { name, value -> [UInt8] in
      [0] + length(name.utf8.count) + Array(name.utf8) + length(value.utf8.count)
        + Array(value.utf8)
    }
  }

  private static func length(_ count: Int) -> [UInt8] {
    guard count >= 127 else { return [UInt8(count)] }
    var bytes: [UInt8] = [127]
    var rest = count - 127
    while rest >= 128 {
      bytes.append(UInt8(rest % 128 + 128))
      rest /= 128
    }
    return bytes + [UInt8(rest)]
  }

  static let push: [(String, String)] = [
    (":method", "POST"), (":scheme", "https"), (":path", "/3/device/00"),
    (":authority", "localhost"),
    ("apns-topic", "com.example"),
  ]

  static func request(
    _ stream: Int32, _ fields: [(String, String)] = push, body: String? = "{}"
  ) -> [UInt8] {
    let block = Self.block(fields)
    guard let body else { return WireFrame(1, flags: 5, stream: stream, block).bytes }
    return WireFrame(1, flags: 4, stream: stream, block).bytes
      + WireFrame(0, flags: 1, stream: stream, Array(body.utf8)).bytes
  }

  func respond(
    _ stream: Int32, _ status: Int, _ fields: [(String, String)] = [], body: String? = nil
  ) {
    let text = fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }
    // The arrays' storage doesn't move as long as the arrays don't change.
    withExtendedLifetime(text) {
      let views = text.map { name, value in
        HTTP2FieldView(
          name: name.withUnsafeBytes { $0 }, value: value.withUnsafeBytes { $0 })
      }
      views.withUnsafeBufferPointer { views in
        if let body {
          var body = body
          body.withUTF8 {
            session.respond(
              stream, status: status, fields: views, body: UnsafeRawBufferPointer($0))
          }
        } else {
          session.respond(stream, status: status, fields: views, body: nil)
        }
      }
    }
  }
}
