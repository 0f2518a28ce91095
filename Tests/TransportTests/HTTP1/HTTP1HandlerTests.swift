import Dispatch
import Synchronization
import System
import Testing

@testable import Transport

/// Tests of a server's handler threads, and of a shutdown in which the server first answers the requests that have
/// arrived.
@Suite struct HTTP1HandlerTests {
  private let harness: StreamHarness

  init() throws { harness = try StreamHarness() }

  private func open(_ server: HTTP1Server, _ text: String) -> Recorder {
    let client = Recorder()
    client.onOpen = { $0.write(Array(text.utf8)) }
    _ = ByteStream.connect(
      on: harness.loop, to: .tcp(host: "127.0.0.1", port: server.port), tls: nil,
      timeoutNanoseconds: 5_000_000_000, handler: client)
    return client
  }

  @Test func `A request waits for no slow one while a handler is free`() throws {
    let entered = LoopFlag()
    let (slow, others) = (LoopFlag(), LoopFlag())
    let server = try HTTP1Server { request in
      switch request.path {
      case "/slow":
        entered.raise()
        #expect(slow.wait())
      case "/other":
        entered.raise()
        #expect(others.wait())
      default: break
      }
      return HTTP1Response(status: 204)
    }
    func request(_ path: String) -> Recorder {
      open(server, "GET \(path) HTTP/1.1\r\nHost: t\r\n\r\n")
    }
    var clients = [request("/slow")]
    for _ in 1..<Limits.httpHandlerThreads { clients.append(request("/other")) }
    harness.run { clients.allSatisfy { $0.opened == 1 } }
    for _ in clients { #expect(entered.wait()) }
    let fast = (0..<Limits.httpHandlerThreads).map { _ in request("/fast") }
    harness.run { fast.allSatisfy { $0.opened == 1 } }
    for _ in 1..<Limits.httpHandlerThreads { others.raise() }
    harness.run { fast.allSatisfy { $0.text.hasPrefix("HTTP/1.1 204") } }
    slow.raise()
    server.stop()
  }

  @Test(arguments: ["/healthz", "/readyz", "/metrics"])
  func `A probe is answered while all handlers are busy`(path: String) throws {
    let entered = LoopFlag()
    let release = LoopFlag()
    let server = try HTTP1Server { request in
      guard request.path == "/slow" else { return HTTP1Response(status: 204) }
      entered.raise()
      #expect(release.wait())
      return HTTP1Response(status: 204)
    }
    let slow = (0...Limits.httpHandlerThreads).map { _ in
      open(server, "GET /slow HTTP/1.1\r\nHost: t\r\n\r\n")
    }
    harness.run { slow.allSatisfy { $0.opened == 1 } }
    for _ in 0..<Limits.httpHandlerThreads { #expect(entered.wait()) }
    let probe = open(server, "GET \(path) HTTP/1.1\r\nHost: t\r\n\r\n")
    harness.run { probe.text.hasPrefix("HTTP/1.1 204") }
    for _ in slow { release.raise() }
    harness.run { slow.allSatisfy { $0.text.hasPrefix("HTTP/1.1 204") } }
    server.stop()
  }

  @Test(arguments: [4, Limits.highWaterBytes * 4])
  func `A request in progress gets its whole answer, and every other connection ends`(
    length: Int
  ) throws {
    let entered = LoopFlag()
    let release = LoopFlag()
    let hasEnded = LoopFlag()
    let server = try HTTP1Server { request in
      guard request.path == "/slow" else {
        let events = HTTP1BodyStream()
        events.begin(with: [0x62])
        return HTTP1Response(status: 200, body: .stream(events))
      }
      entered.raise()
      #expect(release.wait())
      return HTTP1Response(
        status: 200, contentType: "text/plain", body: [UInt8](repeating: 0x61, count: length))
    }
    let idle = open(server, "")
    let partial = open(server, "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\n1")
    let endless = open(server, "GET /events HTTP/1.1\r\nHost: t\r\n\r\n")
    harness.run { endless.text.contains("\r\n\r\n") && partial.opened == 1 && idle.opened == 1 }
    let slow = open(server, "GET /slow HTTP/1.1\r\nHost: t\r\n\r\n")
    harness.run { slow.opened == 1 }
    #expect(entered.wait())
    DispatchQueue.global().async {
      server.finish()
      hasEnded.raise()
    }
    harness.run { [idle, partial, endless].allSatisfy { $0.closure != nil } }
    #expect(slow.closure == nil)
    release.raise()
    harness.run { slow.closure != nil }
    #expect(slow.text.hasPrefix("HTTP/1.1 200 "))
    #expect(slow.text.utf8.reversed().prefix { $0 == 0x61 }.count == length)
    #expect(hasEnded.wait())
  }
}
