import Testing

@testable import Transport

@Suite struct HTTP1UpgradeHeadTests {
  private let request =
    "GET /CODE?x=1 HTTP/1.1\r\nHost: push.example.org\r\nUpgrade: websocket\r\nX: 1\r\n\r\n"

  /// Reads a text in pieces of a size, and returns the last outcome.
  private func outcome(_ text: String, pieces: Int = .max) -> HTTP1UpgradeReader.Outcome {
    var reader = HTTP1UpgradeReader()
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let piece = rest.prefix(pieces)
      rest = rest.dropFirst(piece.count)
      bytes += piece
      let outcome = reader.read(bytes)
      guard case .incomplete = outcome else { return outcome }
    }
    return .incomplete
  }

  private func head(_ outcome: HTTP1UpgradeReader.Outcome) -> HTTP1UpgradeHead? {
    guard case .upgrade(let head) = outcome else { return nil }
    return head
  }

  private func isOrdinary(_ text: String) -> Bool {
    guard case .ordinary = outcome(text) else { return false }
    return true
  }

  @Test func `a request for another protocol is read, whatever the pieces are`() throws {
    for pieces in [1, 2, 3, 4, 7, 1_000] {
      let found = try #require(head(outcome(request, pieces: pieces)), "\(pieces)")
      #expect(found.method == Array("GET".utf8))
      #expect(found.target == Array("/CODE?x=1".utf8))
      #expect(found.fields.map(\.name) == ["host", "upgrade", "x"].map { Array($0.utf8) })
      #expect(found.byteCount == request.utf8.count)
    }
  }

  @Test func `the bytes after the head belong to the other protocol`() throws {
    let found = try #require(head(outcome(request + "abc")))
    #expect(found.byteCount == request.utf8.count)
  }

  @Test func `every other request is left to an HTTP session`() {
    for text in [
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: a\r\nUpgrade: websocket\r\n\r\n", "GET\n\n",
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nContent-Length: 1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nX: " + String(repeating: "y", count: 9_000),
    ] {
      #expect(isOrdinary(text), "\(text.prefix(80))")
    }
    // Such a head must not wait for more bytes only because it arrived in pieces.
    let crowded = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n\r\r\r\r\n"
    for pieces in [1, 2, 3, 1_000] {
      guard case .ordinary = outcome(crowded, pieces: pieces) else {
        Issue.record("a head in pieces of \(pieces) bytes is incomplete")
        continue
      }
    }
    guard case .incomplete = outcome(String(request.dropLast())) else {
      Issue.record("a head without its end is complete")
      return
    }
  }
}
