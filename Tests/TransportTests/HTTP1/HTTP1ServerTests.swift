import Dispatch
import Synchronization
import System
import Testing

@testable import Transport

@Suite struct HTTP1ServerTests {
  private let harness: StreamHarness

  init() throws { harness = try StreamHarness() }

  /// Sends `text` unchanged and returns everything that arrives before the server closes the connection.
  private func exchange(_ server: HTTP1Server, _ text: String) -> String {
    let client = open(server, text)
    harness.run { client.closure != nil }
    return client.text
  }

  private func open(_ server: HTTP1Server, _ text: String) -> Recorder {
    let client = Recorder()
    client.onOpen = { $0.write(Array(text.utf8)) }
    _ = ByteStream.connect(
      on: harness.loop, to: .tcp(host: "127.0.0.1", port: server.port), tls: nil,
      timeoutNanoseconds: 5_000_000_000, handler: client)
    return client
  }

  @Test
  func `method, path, query, fields and body reach the handler, its answer the client`() throws {
    let seen = Mutex<HTTP1Request?>(nil)
    let server = try HTTP1Server { request in
      seen.withLock { $0 = request }
      return HTTP1Response(
        status: 201, fields: [("content-type", "text/plain"), ("x-a", "b")],
        body: .bytes(Array("made".utf8)))
    }
    #expect(server.port != 0)
    let answer = exchange(
      server,
      "POST /tokens%20of/x?tag=a%26b&empty HTTP/1.1\r\nHost: t\r\nX-Key: Value\r\n"
        + "Content-Length: 4\r\nConnection: close\r\n\r\nbody")
    let request = try #require(seen.withLock { $0 })
    #expect(request.method == "POST")
    #expect(request.path == "/tokens of/x")
    #expect(request.queryValue("tag") == "a&b")
    #expect(request.queryValue("empty") == "")
    #expect(request.field("x-key") == "Value")
    #expect(request.body == Array("body".utf8))
    #expect(request.peer.hasPrefix("127.0.0.1:"))
    #expect(answer.hasPrefix("HTTP/1.1 201 Created\r\n"))
    #expect(answer.lowercased().contains("\r\nx-a: b\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nmade"))
    server.stop()
  }

  @Test
  func `a body that is announced as too long is refused before any of it is sent`() throws {
    let bounds = HTTP1Connections.Bounds(bodyBytes: 10)
    let server = try HTTP1Server(address: .loopback(port: 0), bounds: bounds) { _ in
      HTTP1Response(status: 200)
    }
    for (length, fields) in [
      ("11", ""), ("11", "Expect: 100-continue\r\n"), ("123456789012345678", ""),
    ] {
      let answer = exchange(
        server, "POST / HTTP/1.1\r\nHost: t\r\n\(fields)Content-Length: \(length)\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
      #expect(answer.hasSuffix("The body has more than 10 bytes.\n"))
    }
    let good = exchange(
      server,
      "POST / HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Length: 10\r\n\r\n0123456789")
    #expect(good.hasPrefix("HTTP/1.1 200 "))
    server.stop()
  }

  @Test
  func `an absolute target brings its own host, a path its escaped slashes`() throws {
    let server = try HTTP1Server { request in
      let host = request.field("host") ?? ""
      return HTTP1Response(
        status: 200, contentType: "text/plain", body: Array("\(host) \(request.path)".utf8))
    }
    func answer(_ target: String, _ fields: String = "Host: own\r\n") -> String {
      exchange(server, "GET \(target) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n")
    }
    #expect(answer("http://evil.example:80/x").hasSuffix("\r\n\r\nevil.example:80 /x"))
    #expect(answer("HTTPS://evil.example").hasSuffix("\r\n\r\nevil.example /"))
    #expect(answer("http://evil.example?x").hasSuffix("\r\n\r\nevil.example /"))
    for wrong in ["http:///x", "http://user@own/x", "http://"] {
      #expect(answer(wrong).hasPrefix("HTTP/1.1 400 "), "\(wrong)")
    }
    #expect(answer("/api%2fteams%2F%41").hasSuffix("\r\n\r\nown /api%2fteams%2FA"))
    let twice = "Host: own\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n"
    #expect(answer("/", twice).hasPrefix("HTTP/1.1 400 "))
    server.stop()
  }

  @Test
  func `a connection that pipelines requests makes room, but not while it awaits its first answer`()
    throws
  {
    var bounds = HTTP1Connections.Bounds(bodyBytes: 10)
    bounds.connections = 3
    bounds.pipeliningNanoseconds = 0
    let entered = LoopFlag()
    let release = LoopFlag()
    let server = try HTTP1Server(address: .loopback(port: 0), bounds: bounds) { request in
      if request.path == "/slow" {
        entered.raise()
        _ = release.wait()
      }
      return HTTP1Response(status: 200)
    }
    let fast = "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n"
    let slow = String(repeating: "GET /slow HTTP/1.1\r\nHost: t\r\n\r\n", count: 3)
    let clients = (0..<3).map { _ in open(server, slow) }
    // One request from each client is being handled, and the fourth handler is free.
    harness.run { clients.allSatisfy { $0.opened == 1 } }
    for _ in 0..<3 { #expect(entered.wait()) }
    #expect(exchange(server, fast).isEmpty)
    for _ in 0..<3 { release.raise() }
    for _ in 0..<3 { #expect(entered.wait()) }
    #expect(exchange(server, fast).hasPrefix("HTTP/1.1 200 "))
    harness.run { clients.contains { $0.closure != nil } }
    #expect(clients.count { $0.closure != nil } == 1)
    for _ in 0..<9 { release.raise() }
    server.stop()
  }

  @Test
  func `a client that pipelines more than the limit waits, and gets every answer in order`() throws
  {
    let entered = LoopFlag()
    let release = LoopFlag()
    let server = try HTTP1Server { request in
      if request.path == "/0" {
        entered.raise()
        _ = release.wait()
      }
      return HTTP1Response(status: 200, contentType: "text/plain", body: Array(request.path.utf8))
    }
    let padding = String(repeating: "x", count: 4_096)
    let count = 250
    let requests = (0..<count).map { number in
      let last = number == count - 1 ? "Connection: close\r\n" : ""
      return "GET /\(number) HTTP/1.1\r\nHost: t\r\nX-Padding: \(padding)\r\n\(last)\r\n"
    }
    let client = open(server, requests.joined())
    harness.run { client.opened == 1 }
    #expect(entered.wait())
    release.raise()
    harness.run { client.closure != nil }
    let bodies = client.text.split(separator: "\r\n").filter { $0.hasPrefix("/") }
      .map { $0.prefix { $0 != "H" } }
    #expect(bodies.map(String.init) == (0..<count).map { "/\($0)" })
    server.stop()
  }

  @Test(arguments: ["GET", "PUT", "PATCH", "DELETE"])
  func `every method arrives`(method: String) throws {
    let server = try HTTP1Server { request in
      HTTP1Response(status: 200, contentType: "text/plain", body: Array(request.method.utf8))
    }
    let answer = exchange(
      server, "\(method) / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    #expect(answer.hasSuffix("\r\n\r\n\(method)"))
    server.stop()
  }

  @Test
  func `a body over the limit is refused, one in chunks is taken`() throws {
    let server = try HTTP1Server(maximumBodyBytes: 10) { request in
      HTTP1Response(status: 200, contentType: "text/plain", body: request.body)
    }
    let large = exchange(
      server,
      "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 11\r\nConnection: close\r\n\r\n01234567890")
    #expect(large.hasPrefix("HTTP/1.1 413 "))
    let chunked = exchange(
      server,
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    #expect(chunked.hasSuffix("abcde"))
    server.stop()
  }

  @Test
  func `a streamed body arrives in pieces, and its writer is notified when the client disconnects`()
    throws
  {
    let closing = LoopFlag()
    let body = HTTP1BodyStream { closing.raise() }
    let server = try HTTP1Server { _ in HTTP1Response(status: 200, body: .stream(body)) }
    let client = open(server, "GET /follow HTTP/1.1\r\nHost: t\r\n\r\n")
    // The header section is sent before any bytes of the body.
    harness.run { client.text.hasSuffix("\r\n\r\n") }
    #expect(body.write(Array("first\n".utf8)))
    harness.run { client.text.contains("first\n") }
    #expect(client.text.lowercased().contains("transfer-encoding: chunked"))
    #expect(body.write(Array("second\n".utf8)))
    harness.run { client.text.contains("second\n") }
    client.stream?.close(afterFlush: false)
    harness.run { client.closure != nil }
    #expect(closing.wait())
    #expect(!body.write([1]))
    server.stop()
  }

  @Test
  func `a long answer that is finished ends in order`() throws {
    let body = HTTP1BodyStream()
    let server = try HTTP1Server { _ in HTTP1Response(status: 200, body: .stream(body)) }
    body.write(Array("all".utf8))
    body.finish()
    let answer = exchange(server, "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    #expect(answer.contains("all"))
    #expect(answer.hasSuffix("0\r\n\r\n"))
    server.stop()
  }

  @Test(arguments: [262_145, 1_048_576, 9_000_000])
  func `a large body is sent whole, with its length`(count: Int) throws {
    let server = try HTTP1Server { _ in
      HTTP1Response(status: 200, body: .bytes([UInt8](repeating: 0x61, count: count)))
    }
    let client = open(server, "GET / HTTP/1.1\r\nHost: t\r\n\r\nGET /2 HTTP/1.1\r\nHost: t\r\n\r\n")
    harness.run { client.received.count > 2 * count && client.received.last == 0x61 }
    let head = String(decoding: client.received.prefix(200), as: UTF8.self)
    #expect(head.contains("content-length: \(count)\r\n"))
    #expect(!head.contains("chunked"))
    #expect(client.received.count < 2 * count + 400)
    server.stop()
  }

  @Test
  func `the start of a streamed body may exceed the buffer limit for slow readers`() throws {
    let body = HTTP1BodyStream()
    body.begin(with: [UInt8](repeating: 0x61, count: 3_000_000))
    let server = try HTTP1Server { _ in HTTP1Response(status: 200, body: .stream(body)) }
    let client = open(server, "GET / HTTP/1.1\r\nHost: t\r\n\r\n")
    #expect(body.write(Array("later\n".utf8)))
    harness.run { client.text.hasSuffix("later\n\r\n") }
    #expect(client.received.count > 3_000_000)
    server.stop()
  }

  @Test
  func `stopping ends long answers`() throws {
    let body = HTTP1BodyStream()
    let server = try HTTP1Server { _ in HTTP1Response(status: 200, body: .stream(body)) }
    let client = open(server, "GET / HTTP/1.1\r\nHost: t\r\n\r\n")
    body.write([0x21])
    harness.run { client.text.hasSuffix("!\r\n") }
    server.stop()
    harness.run { client.closure != nil }
    #expect(!body.write([1]))
  }

  @Test
  func `a client that does not read is given up`() {
    let body = HTTP1BodyStream()
    var count = 0
    while count < 100, body.write([UInt8](repeating: 1, count: 65_536)) { count += 1 }
    #expect(count == 16)
  }

  @Test func `a request that is larger than allowed is refused before it is whole`() throws {
    let server = try HTTP1Server(maximumBodyBytes: 10) { _ in HTTP1Response(status: 200) }
    let client = open(
      server, "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n01234567890")
    harness.run { client.closure != nil }
    #expect(client.text.hasPrefix("HTTP/1.1 413 "))
    server.stop()
  }

  @Test func `a handler that waits does not hold up the others`() throws {
    let gate = LoopFlag()
    let server = try HTTP1Server { request in
      if request.path == "/slow" { #expect(gate.wait()) }
      return HTTP1Response(status: 200, contentType: "text/plain", body: Array(request.path.utf8))
    }
    let slow = open(server, "GET /slow HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    harness.run { slow.opened == 1 }
    for _ in 0..<8 {
      let answer = exchange(server, "GET /quick HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
      #expect(answer.hasSuffix("/quick"))
    }
    #expect(slow.text.isEmpty)
    gate.raise()
    harness.run { slow.text.hasSuffix("/slow") }
    server.stop()
  }

  @Test func `requests follow each other on one connection`() throws {
    let server = try HTTP1Server { request in
      HTTP1Response(status: 200, contentType: "text/plain", body: Array(request.path.utf8))
    }
    let client = open(
      server,
      "GET /a HTTP/1.1\r\nHost: t\r\n\r\nGET /b HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    harness.run { client.closure != nil }
    let first = try #require(client.text.range(of: "/a"))
    #expect(client.text[first.upperBound...].hasSuffix("/b"))
    server.stop()
  }

  @Test(arguments: [
    // The clients send no byte of a request, a partial header section, and a partial body, respectively.
    "", "GET / HTTP/1.1\r\nHost:", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\n1",
  ])
  func `a client that is too slow is closed`(_ text: String) throws {
    let server = try HTTP1Server(
      address: .loopback(port: 0),
      bounds: .init(
        bodyBytes: 10, idleNanoseconds: 20_000_000, requestNanoseconds: 10_000_000)
    ) { _ in HTTP1Response(status: 200) }
    let client = open(server, text)
    harness.run { client.closure != nil }
    #expect(client.text.isEmpty)
    server.stop()
  }

  @Test(arguments: ["", "GET / HTTP/1.1\r\nHost:"])
  func `the connection that has waited longest without a complete request is closed for a new one`(
    _ text: String
  )
    throws
  {
    let server = try HTTP1Server { _ in HTTP1Response(status: 204) }
    let clients = (0..<Limits.httpConnections).map { _ in open(server, text) }
    harness.run { clients.allSatisfy { $0.opened == 1 } }
    let answer = exchange(server, "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 204"))
    harness.run { clients.contains { $0.closure != nil } }
    #expect(clients.count { $0.closure != nil } == 1)
    server.stop()
  }

  @Test func `a request that is being answered makes no room`() throws {
    let gate = LoopFlag()
    let server = try HTTP1Server { _ in
      #expect(gate.wait())
      gate.raise()
      return HTTP1Response(status: 204)
    }
    let clients = (0..<Limits.httpConnections).map { _ in
      open(server, "GET / HTTP/1.1\r\nHost: t\r\n\r\n")
    }
    harness.run { clients.allSatisfy { $0.opened == 1 } }
    let excess = open(server, "GET / HTTP/1.1\r\nHost: t\r\n\r\n")
    harness.run { excess.closure != nil || clients.contains { $0.closure != nil } }
    gate.raise()
    harness.run {
      clients.count { $0.text.hasPrefix("HTTP/1.1 204") } >= Limits.httpConnections - 1
    }
    server.stop()
  }

  @Test func `the head of a response says when and lets no field end it`() throws {
    let server = try HTTP1Server { _ in
      HTTP1Response(
        status: 200, fields: [("x-a", "b\r\n\r\nc"), ("x-d", "e")], body: .bytes([0x66]))
    }
    let answer = exchange(server, "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    #expect(answer.contains("\r\nx-d: e\r\ndate: "))
    #expect(answer.contains(" GMT\r\n"))
    #expect(!answer.contains("x-a"))
    server.stop()
  }

  @Test func `HEAD gets only the header, even of a streamed answer`() throws {
    let closing = LoopFlag()
    let body = HTTP1BodyStream { closing.raise() }
    let server = try HTTP1Server { request in
      request.path == "/long"
        ? HTTP1Response(status: 200, body: .stream(body))
        : HTTP1Response(status: 200, body: .bytes(Array("body".utf8)))
    }
    let short = exchange(server, "HEAD / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    #expect(short.contains("content-length: 4\r\n"))
    #expect(short.hasSuffix("\r\n\r\n"))
    let long = exchange(server, "HEAD /long HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    #expect(long.hasSuffix("\r\n\r\n"))
    #expect(closing.wait())
    server.stop()
  }

  @Test func `a long answer to HTTP 1.0 ends with the connection`() throws {
    let body = HTTP1BodyStream()
    body.write(Array("all".utf8))
    body.finish()
    let server = try HTTP1Server { _ in HTTP1Response(status: 200, body: .stream(body)) }
    let answer = exchange(server, "GET / HTTP/1.0\r\n\r\n")
    #expect(!answer.contains("chunked"))
    #expect(answer.hasSuffix("connection: close\r\n\r\nall"))
    server.stop()
  }

  @Test func `percent escapes of the target are decoded, except slashes and invalid escapes`() {
    let target = HTTP1Target(Array("/a%2fb%zz%4?x=1+2%2B3&y&=z&&w=a=b".utf8))
    #expect(target.path == "/a%2fb%zz%4")
    #expect(HTTP1Target(Array("/%61%2F".utf8)).path == "/a%2F")
    #expect(target.query.map(\.name) == ["x", "y", "", "w"])
    #expect(target.query.map(\.value) == ["1 2+3", "", "z", "a=b"])
    #expect(HTTP1Target(Array("*".utf8)).path == "*")
  }

  /// Returns a client that shuts down its sending side after its last byte.
  private func halfClosed(_ server: HTTP1Server, _ text: String) -> Recorder {
    let client = Recorder()
    client.onOpen = { $0.write(Array(text.utf8)) }
    let stream = ByteStream.connect(
      on: harness.loop, to: .tcp(host: "127.0.0.1", port: server.port), tls: nil,
      timeoutNanoseconds: 5_000_000_000, handler: client)
    harness.run { client.opened == 1 && stream.pendingOutputBytes == 0 }
    Socket.finishWriting(stream.descriptor)
    return client
  }

  @Test
  func `a client that sends nothing more gets its answers, then the end`() throws {
    let gate = LoopFlag()
    let server = try HTTP1Server { request in
      if request.path == "/slow" { _ = gate.wait() }
      return HTTP1Response(status: 200, contentType: "text/plain", body: Array(request.path.utf8))
    }
    let requests = ["/slow", "/2", "/3"].map { "GET \($0) HTTP/1.1\r\nHost: t\r\n\r\n" }.joined()
    let client = halfClosed(server, requests + "GET /cut")
    gate.raise()
    harness.run { client.closure != nil }
    #expect(client.closure == .peer)
    for path in ["/slow", "/2", "/3"] { #expect(client.text.contains(path)) }
    #expect(!client.text.contains(" 400 "))
    server.stop()
  }

  @Test
  func `a followed answer ends with what it has for a client that sends nothing more`() throws {
    let closing = LoopFlag()
    let body = HTTP1BodyStream { closing.raise() }
    body.begin(with: Array("so far".utf8))
    let server = try HTTP1Server { _ in
      HTTP1Response(status: 200, fields: [], body: .stream(body))
    }
    let client = halfClosed(server, "GET / HTTP/1.1\r\nHost: t\r\n\r\n")
    harness.run { client.closure != nil }
    #expect(client.text.contains("so far"))
    #expect(closing.wait())
    server.stop()
  }

  @Test
  func `bytes that are no HTTP do no harm`() throws {
    let server = try HTTP1Server { _ in HTTP1Response(status: 204) }
    for text in ["\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\r\n"] {
      let client = open(server, text)
      harness.run { client.opened == 1 }
      client.stream?.close()
      harness.run { client.closure != nil }
      #expect(!client.text.hasPrefix("HTTP/1.1 204"))
    }
    let answer = exchange(server, "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 204"))
    server.stop()
  }

  @Test
  func `a server that stops while it refuses what is no HTTP stops in order`() throws {
    for _ in 0..<10 {
      let server = try HTTP1Server { _ in HTTP1Response(status: 204) }
      let client = open(server, "GET / HTTP/9.9\r\n\r\n")
      harness.run { client.opened == 1 }
      server.stop()
      harness.run { client.closure != nil }
    }
  }

  @Test
  func `an address that is taken is an error that says so`() throws {
    let listener = try harness.listen { _ in nil }
    #expect(throws: SystemFailure.self) {
      _ = try HTTP1Server(address: .loopback(port: listener.port)) { _ in
        HTTP1Response(status: 200)
      }
    }
  }
}

/// A flag that a test uses to wait for an event on another thread.
final class LoopFlag: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func raise() { semaphore.signal() }

  /// Waits up to ten seconds; returns false on timeout.
  func wait() -> Bool { semaphore.wait(timeout: .now() + .seconds(10)) == .success }
}
