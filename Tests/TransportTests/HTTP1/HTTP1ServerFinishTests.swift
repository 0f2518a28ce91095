import Dispatch
import Synchronization
import System
import Testing

@testable import Transport

/// The end of a server that answers the requests that have arrived.
@Suite struct HTTP1ServerFinishTests {
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
