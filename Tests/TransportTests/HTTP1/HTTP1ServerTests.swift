import Synchronization
import System
import Testing

@testable import Transport

@Suite struct HTTP1ServerTests {
  private let harness: StreamHarness

  init() throws { harness = try StreamHarness() }

  /// Sends `text` as it stands; everything that comes back until the server closes.
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

  @Test("method, path, query, fields and body reach the handler, its answer the client")
  func roundTrip() throws {
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

  @Test("every method arrives", arguments: ["GET", "PUT", "PATCH", "DELETE"])
  func methods(method: String) throws {
    let server = try HTTP1Server { request in
      HTTP1Response(status: 200, contentType: "text/plain", body: Array(request.method.utf8))
    }
    let answer = exchange(
      server, "\(method) / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    #expect(answer.hasSuffix("\r\n\r\n\(method)"))
    server.stop()
  }

  @Test("a body over the limit is refused, one in chunks is taken")
  func bodies() throws {
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

  @Test("a long answer comes piece by piece, and tells its writer when the client goes")
  func streaming() throws {
    let closing = LoopFlag()
    let body = HTTP1BodyStream { closing.raise() }
    let server = try HTTP1Server { _ in HTTP1Response(status: 200, body: .stream(body)) }
    let client = open(server, "GET /follow HTTP/1.1\r\nHost: t\r\n\r\n")
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

  @Test("a long answer that is finished ends in order")
  func finishedStream() throws {
    let body = HTTP1BodyStream()
    let server = try HTTP1Server { _ in HTTP1Response(status: 200, body: .stream(body)) }
    body.write(Array("all".utf8))
    body.finish()
    let answer = exchange(server, "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    #expect(answer.contains("all"))
    #expect(answer.hasSuffix("0\r\n\r\n"))
    server.stop()
  }

  @Test("stopping ends long answers")
  func stopping() throws {
    let body = HTTP1BodyStream()
    let server = try HTTP1Server { _ in HTTP1Response(status: 200, body: .stream(body)) }
    let client = open(server, "GET / HTTP/1.1\r\nHost: t\r\n\r\n")
    body.write([0x21])
    harness.run { client.text.hasSuffix("!\r\n") }
    server.stop()
    harness.run { client.closure != nil }
    #expect(!body.write([1]))
  }

  @Test("a client that does not read is given up")
  func slowReader() {
    let body = HTTP1BodyStream()
    var count = 0
    while count < 100, body.write([UInt8](repeating: 1, count: 65_536)) { count += 1 }
    #expect(count == 16)
  }

  @Test("a handler may be async")
  func asyncHandler() async throws {
    let server = try HTTP1Server(asyncHandler: { request in
      await Task.yield()
      return HTTP1Response(status: 200, contentType: "text/plain", body: Array(request.path.utf8))
    })
    let port = server.port
    // The test's own thread must stay free for the handler's task.
    let answer = await withCheckedContinuation { continuation in
      let thread = try? LoopThread.start(name: "client") { loop in
        _ = ByteStream.connect(
          on: loop, to: .tcp(host: "127.0.0.1", port: port), tls: nil,
          timeoutNanoseconds: 5_000_000_000,
          handler: Collector("GET /later HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n") {
            loop.stop()
            continuation.resume(returning: $0)
          })
      }
      #expect(thread != nil)
    }
    #expect(answer.hasSuffix("/later"))
    server.stop()
  }

  @Test("bytes that are no HTTP do no harm")
  func noise() throws {
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

  @Test("a server that stops while it refuses what is no HTTP stops in order")
  func stoppingAmidNoise() throws {
    for _ in 0..<10 {
      let server = try HTTP1Server { _ in HTTP1Response(status: 204) }
      let client = open(server, "GET / HTTP/9.9\r\n\r\n")
      harness.run { client.opened == 1 }
      server.stop()
      harness.run { client.closure != nil }
    }
  }

  @Test("an address that is taken is an error that says so")
  func taken() throws {
    let listener = try harness.listen { _ in nil }
    #expect(throws: SystemFailure.self) {
      _ = try HTTP1Server(address: .loopback(port: listener.port)) { _ in
        HTTP1Response(status: 200)
      }
    }
  }
}

/// Lets a test wait for what happens on another thread.
final class LoopFlag: Sendable {
  private let stream = HTTP1BodyStream()

  func raise() { stream.finish() }

  /// Waits up to ten seconds; false when nobody raised it.
  func wait() -> Bool {
    for _ in 0..<10 {
      if case .end = stream.next(limit: 1) { return true }
    }
    return false
  }
}

/// Sends a text and hands over what came back when the stream ends.
final class Collector: StreamHandler {
  private let text: String
  private var received: [UInt8] = []
  private let done: (String) -> Void

  init(_ text: String, _ done: @escaping (String) -> Void) {
    self.text = text
    self.done = done
  }

  func streamOpened(_ stream: ByteStream) { stream.write(Array(text.utf8)) }
  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) { received += bytes }
  func streamDrained(_ stream: ByteStream) {}
  func stream(_ stream: ByteStream, closed reason: StreamClosure) {
    done(String(decoding: received, as: UTF8.self))
  }
}
