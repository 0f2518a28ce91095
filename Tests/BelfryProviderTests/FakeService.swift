import Synchronization
import System
import TestSupport
import Transport

/// A push service with scripted answers: HTTP/2 over TLS on a free port of this machine.
final class FakeService: Sendable {
  /// The contents of a request.
  struct Request: Sendable, Equatable {
    var fields: [String: String] = [:]
    var body: [UInt8] = []
    /// The number of the connection, starting at 1.
    var connection = 0

    var token: String { String(fields[":path", default: ""].split(separator: "/").last ?? "") }
  }

  /// The service's reaction to a request.
  enum Reply: Sendable {
    case accept
    case refuse(status: Int, reason: String)
    /// A response with these fields and this body.
    case answer(status: Int, fields: [String: String], body: String?)
    /// A GOAWAY frame that declares this request unprocessed.
    case goAwayUnprocessed
    /// The connection closes without an answer.
    case cut
    /// The request is never answered.
    case silence
    /// An RST_STREAM frame with this code.
    case reset(UInt32)
  }

  /// A closure that the service calls on its thread, with the request and the number of earlier requests.
  typealias Script = @Sendable (Request, Int) -> Reply

  let port: UInt16
  let authorityPEM: [UInt8]
  private let thread: LoopThread
  private let log = RequestLog()

  /// The requests received so far, ordered by completion.
  var requests: [Request] { log.all }

  init(
    settings: HTTP2Settings = HTTP2Settings(), alpn: [String] = ["h2"],
    clientAuthority: CertificateAuthority? = nil, script: @escaping Script
  ) throws {
    let now = SystemClock.unixMilliseconds / 1_000
    let authority = try CertificateAuthority.make(
      commonName: "Fake service",
      nameConstraints: .init(
        hostNames: ["localhost"]),
      now: now)
    let identity = try authority.issueServer(names: ["localhost"], addresses: [], now: now)
    let tls = try TLSServerContext(
      certificateChainPEM: identity.certificateChainPEM, privateKeyPEM: identity.privateKeyPEM,
      alpn: alpn,
      clientCertificates: clientAuthority.map { .required(caPEM: $0.certificatePEM) } ?? .none)
    self.authorityPEM = authority.certificatePEM
    let log = self.log
    (thread, port) = try LoopThread.launch(name: "fake-service") { loop throws(SystemFailure) in
      var connections = 0
      return try StreamListener(
        loop: loop, address: .loopback(port: 0), security: .tls(tls)
      ) { _ in
        connections += 1
        return FakeConnection(connections, loop: loop, settings: settings) { request in
          script(request, log.append(request))
        }
      }.port
    }
  }

  deinit { thread.stop() }
}

/// All requests that a service has received, shared between its thread and the test's thread.
private final class RequestLog: Sendable {
  private let requests = Mutex<[FakeService.Request]>([])

  var all: [FakeService.Request] { requests.withLock { $0 } }

  func append(_ request: FakeService.Request) -> Int {
    requests.withLock { requests in
      requests.append(request)
      return requests.count - 1
    }
  }
}

/// One connection of the fake service.
private final class FakeConnection: StreamHandler, HTTP2RequestHandler, TurnEndTarget {
  private let number: Int
  private let loop: EventLoop
  private let settings: HTTP2Settings
  private let reply: (FakeService.Request) -> FakeService.Reply
  private var session: (any HTTP2ServerSession)?
  private var stream: ByteStream?
  private var requests: [Int32: FakeService.Request] = [:]
  private var isCut = false
  private var hasAllowedMore = false

  init(
    _ number: Int, loop: EventLoop, settings: HTTP2Settings,
    reply: @escaping (FakeService.Request) -> FakeService.Reply
  ) {
    self.number = number
    self.loop = loop
    self.settings = settings
    self.reply = reply
  }

  func streamOpened(_ stream: ByteStream) {
    self.stream = stream
    session = NGHTTP2ServerSession(settings: settings)
    loop.atTurnEnd(self)
  }

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    if session?.receive(bytes, self) == .closing { stream.close() }
    loop.atTurnEnd(self)
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    self.stream = nil
    session = nil
  }

  func turnEnded() {
    guard let stream, let session else { return }
    if isCut { return stream.close(afterFlush: false) }
    session.takeOutput { stream.write($0) }
    session.receive(self)
    if session.isFinished { stream.close() }
  }

  func requestBegan(_ streamID: Int32) {
    requests[streamID] = FakeService.Request(connection: number)
  }

  func requestField(_ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
  {
    requests[streamID]?.fields[String(decoding: name, as: UTF8.self)] = String(
      decoding: value, as: UTF8.self)
  }

  func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {
    requests[streamID]?.body.append(contentsOf: bytes)
  }

  func requestReset(_ streamID: Int32, errorCode: UInt32) { requests[streamID] = nil }

  func requestEnded(_ streamID: Int32) {
    guard let request = requests.removeValue(forKey: streamID), let session else { return }
    let id = request.fields["apns-id"] ?? ""
    switch reply(request) {
    case .accept:
      answer(
        streamID, status: 200, fields: ["apns-id": id, "apns-unique-id": "U-\(id)"], body: nil)
      if !hasAllowedMore { session.allowConcurrentStreams(settings.servedConcurrentStreams) }
      hasAllowedMore = true
    case .refuse(let status, let reason):
      answer(
        streamID, status: status, fields: ["apns-id": id], body: "{\"reason\":\"\(reason)\"}")
    case .answer(let status, let fields, let body):
      answer(streamID, status: status, fields: fields, body: body)
    case .goAwayUnprocessed:
      session.goAway(
        lastStreamID: streamID - 2, errorCode: HTTP2ErrorCode.noError,
        debugData: Array("{\"reason\":\"Shutdown\"}".utf8))
    case .cut: isCut = true
    case .silence: return
    case .reset(let code): session.reset(streamID, errorCode: code)
    }
  }

  private func answer(_ streamID: Int32, status: Int, fields: [String: String], body: String?) {
    // All the text is in one buffer, so the views refer to memory that stays valid during the call.
    var bytes: [UInt8] = []
    var ranges: [(Range<Int>, Range<Int>)] = []
    func append(_ text: String) -> Range<Int> {
      let start = bytes.count
      bytes.append(contentsOf: text.utf8)
      return start..<bytes.count
    }
    for (name, value) in fields { ranges.append((append(name), append(value))) }
    let body = body.map(append)
    bytes.withUnsafeBytes { bytes in
      let views = ranges.map { name, value in
        HTTP2FieldView(
          name: UnsafeRawBufferPointer(rebasing: bytes[name]),
          value: UnsafeRawBufferPointer(rebasing: bytes[value]))
      }
      views.withUnsafeBufferPointer { views in
        session?.respond(
          streamID, status: status, fields: views,
          body: body.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
      }
    }
  }
}
