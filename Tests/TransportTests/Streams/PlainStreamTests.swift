import System
import Testing

@testable import Transport

@Suite struct PlainStreamTests {
  private let harness: StreamHarness

  init() throws { harness = try StreamHarness() }

  @Test
  func `bytes go both ways over TCP`() throws {
    let server = Recorder()
    server.onReceive = { stream, bytes in stream.write(bytes) }
    let listener = try harness.listen { _ in server }
    let client = Recorder()
    client.onOpen = { $0.write(Array("hello".utf8)) }
    let stream = harness.connect(listener, handler: client)
    harness.run { client.text == "hello" }
    #expect(server.opened == 1)
    #expect(client.opened == 1)
    #expect(stream.bytesOut == 5)
    #expect(stream.bytesIn == 5)
    #expect(stream.peerDescription == "127.0.0.1:\(listener.port)")
    #expect(stream.negotiatedProtocol == nil)
    listener.close()
  }

  @Test
  func `data written in one turn is sent in one piece`() throws {
    let server = Recorder()
    let listener = try harness.listen { _ in server }
    let client = Recorder()
    client.onOpen = { stream in
      for _ in 0..<100 { stream.write(Array("0123456789".utf8)) }
    }
    _ = harness.connect(listener, handler: client)
    harness.run { server.received.count == 1_000 }
    #expect(server.deliveries == 1)
  }

  @Test
  func `close sends the queued data, then each side is notified of the end exactly once`() throws {
    let server = Recorder()
    let listener = try harness.listen { _ in server }
    let client = Recorder()
    client.onOpen = { stream in
      stream.write(Array("last words".utf8))
      stream.close()
      stream.write(Array("dropped".utf8))
      #expect(!stream.isOpen)
    }
    _ = harness.connect(listener, handler: client)
    harness.run { client.closure != nil && server.closure != nil }
    #expect(server.text == "last words")
    #expect(client.closures == [.local])
    #expect(server.closures == [.peer])
  }

  @Test
  func `a close without flush drops what is queued`() throws {
    let server = Recorder()
    let listener = try harness.listen { _ in server }
    let client = Recorder()
    client.onOpen = { stream in
      stream.write([1, 2, 3])
      stream.close(afterFlush: false)
    }
    _ = harness.connect(listener, handler: client)
    harness.run { client.closure != nil && server.closure != nil }
    #expect(server.received.isEmpty)
    #expect(client.closures == [.local])
  }

  @Test
  func `the last output arrives even if the rest of the input is not read`() throws {
    let server = Recorder()
    server.onReceive = { stream, _ in
      stream.write(Array("go away".utf8))
      stream.close()
    }
    let listener = try harness.listen { _ in server }
    let client = Recorder()
    client.onOpen = { $0.write([UInt8](repeating: 7, count: 200_000)) }
    _ = harness.connect(listener, handler: client)
    harness.run { client.closure != nil }
    #expect(client.text == "go away")
    #expect(client.closure == .peer)
  }

  @Test
  func `a refused connection is reported once, not within connect`() throws {
    let listener = try harness.listen { _ in nil }
    let port = listener.port
    listener.close()
    let client = Recorder()
    _ = ByteStream.connect(
      on: harness.loop, to: .tcp(host: "127.0.0.1", port: port), tls: nil,
      timeoutNanoseconds: 1_000_000_000, handler: client)
    #expect(client.closures.isEmpty)
    harness.run { client.closure != nil }
    guard case .connectFailed(let reason)? = client.closure else {
      Issue.record("\(client.closures)")
      return
    }
    #expect(reason.contains("connection refused"))
    #expect(client.opened == 0)
  }

  @Test
  func `a host name is resolved, and an invalid one is reported`() throws {
    let server = Recorder()
    let listener = try harness.listen { _ in server }
    let client = Recorder()
    _ = ByteStream.connect(
      on: harness.loop, to: .tcp(host: "localhost", port: listener.port), tls: nil,
      timeoutNanoseconds: 5_000_000_000, handler: client)
    let lost = Recorder()
    _ = ByteStream.connect(
      on: harness.loop, to: .tcp(host: String(repeating: "a", count: 70), port: 1), tls: nil,
      timeoutNanoseconds: 9_000_000_000, handler: lost)
    harness.run { client.opened == 1 && lost.closure != nil }
    guard case .connectFailed? = lost.closure else {
      Issue.record("\(lost.closures)")
      return
    }
  }

  @Test
  func `a reader that pauses makes the writer wait, and loses nothing`() throws {
    let total = 6_000_000
    let server = Recorder()
    server.onOpen = { $0.pauseReading() }
    let listener = try harness.listen { _ in server }
    let client = Recorder()
    client.onOpen = { stream in
      stream.write([UInt8](repeating: 1, count: total - 1))
      stream.write([2])
    }
    let stream = harness.connect(listener, handler: client)
    harness.run("the sockets being full") {
      client.opened == 1 && server.opened == 1 && stream.bytesOut > 0
    }
    for _ in 0..<20 { harness.loop.turn(mayBlock: false) }
    #expect(server.received.isEmpty)
    #expect(stream.pendingOutputBytes > 0)
    #expect(client.drained == 0)
    server.stream?.resumeReading()
    harness.run { server.received.count == total }
    #expect(server.received.last == 2)
    #expect(client.drained == 1)
    #expect(stream.pendingOutputBytes == 0)
  }

  @Test
  func `a peer that takes nothing is given up`() throws {
    let server = Recorder()
    server.onOpen = { $0.pauseReading() }
    let listener = try harness.listen { _ in server }
    let client = Recorder()
    client.onOpen = { stream in
      for _ in 0..<20 { stream.write([UInt8](repeating: 1, count: 1_000_000)) }
      #expect(client.closures.isEmpty)
    }
    _ = harness.connect(listener, handler: client)
    harness.run { client.closure != nil }
    #expect(client.closures == [.outputOverflow])
  }

  @Test
  func `a paused stream detects that its peer is gone once it reads again`() throws {
    let server = Recorder()
    server.onOpen = { $0.pauseReading() }
    let listener = try harness.listen { _ in server }
    let client = Recorder()
    client.onOpen = { stream in
      stream.write(Array("bye".utf8))
      stream.close()
    }
    _ = harness.connect(listener, handler: client)
    harness.run { client.closure != nil && server.opened == 1 }
    for _ in 0..<10 { harness.loop.turn(mayBlock: false) }
    #expect(server.closure == nil)
    server.stream?.resumeReading()
    harness.run { server.closure != nil }
    #expect(server.text == "bye")
    #expect(server.closures == [.peer])
  }

  @Test
  func `UNIX sockets tell who is at the other end`() throws {
    let path = "/tmp/belfry-stream-\(SystemRandom.bytes(6).map { String($0, radix: 16) }.joined())"
    let server = Recorder()
    var credentials: Socket.PeerCredentials?
    server.onOpen = { credentials = $0.peerCredentials }
    let listener = try StreamListener(loop: harness.loop, unixPath: path) { _ in server }
    #expect(try FileSystem.mode(of: path) == 0o600)
    let client = Recorder()
    client.onOpen = { $0.write([9]) }
    let stream = ByteStream.connect(
      on: harness.loop, to: .unix(path: path), tls: nil, timeoutNanoseconds: 1_000_000_000,
      handler: client)
    harness.run { server.received == [9] }
    #expect(credentials?.pid != nil)
    #expect(credentials?.uid == stream.peerCredentials?.uid)
    #expect(stream.peerDescription == "unix")
    listener.close()
    #expect(!FileSystem.exists(path))
  }

  @Test
  func `a UNIX path without listener is reported`() throws {
    let client = Recorder()
    _ = ByteStream.connect(
      on: harness.loop, to: .unix(path: "/tmp/belfry-none"), tls: nil,
      timeoutNanoseconds: 1_000_000_000, handler: client)
    harness.run { client.closure != nil }
    guard case .connectFailed? = client.closure else {
      Issue.record("\(client.closures)")
      return
    }
  }

  @Test
  func `a listener may turn a connection away`() throws {
    let listener = try harness.listen { _ in nil }
    let client = Recorder()
    _ = harness.connect(listener, handler: client)
    harness.run { client.closure != nil }
    #expect(client.closure != .local)
  }

  @Test
  func `a handler may close its stream while its loop's thread ends`() throws {
    let server = Recorder()
    let listener = try harness.listen { _ in server }
    let port = listener.port
    let thread = try LoopThread.start(name: "short-lived") { loop in
      _ = ByteStream.connect(
        on: loop, to: .tcp(host: "127.0.0.1", port: port), tls: nil,
        timeoutNanoseconds: 5_000_000_000, handler: ClosingAtEnd())
    }
    harness.run { server.text == "here" }
    thread.stop()
    thread.join()
    harness.run { server.closure != nil }
  }

  @Test
  func `a stream moves to another loop with its unread input`() throws {
    let first = Recorder()
    var parcel: DetachedStream?
    first.onReceive = { stream, bytes in
      parcel = stream.detach(unread: Array(bytes.dropFirst(2)))
    }
    let listener = try harness.listen { _ in first }
    let client = Recorder()
    client.onOpen = { $0.write(Array("id:rest".utf8)) }
    _ = harness.connect(listener, handler: client)
    harness.run { parcel != nil }
    let moved = try #require(parcel)
    let answered = client
    let thread = try LoopThread.start(name: "second") { loop in
      let second = Echo()
      _ = moved.attach(to: loop, handler: second)
    }
    harness.run { answered.text == ":rest" }
    client.stream?.write(Array("!".utf8))
    harness.run { answered.text == ":rest!" }
    #expect(first.closures.isEmpty)
    thread.stop()
    thread.join()
  }
}

/// A handler that closes its stream when it is deinitialized.
final class ClosingAtEnd: StreamHandler {
  /// The stream, referenced weakly, because the stream retains its handler and a cycle would keep both alive forever.
  private weak var stream: ByteStream?
  func streamOpened(_ stream: ByteStream) {
    self.stream = stream
    stream.write(Array("here".utf8))
  }
  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {}
  func streamDrained(_ stream: ByteStream) {}
  func stream(_ stream: ByteStream, closed reason: StreamClosure) { self.stream = nil }
  deinit { stream?.close() }
}

/// A handler that sends back the bytes that it receives.
final class Echo: StreamHandler {
  func streamOpened(_ stream: ByteStream) {}
  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) { stream.write(bytes) }
  func streamDrained(_ stream: ByteStream) {}
  func stream(_ stream: ByteStream, closed reason: StreamClosure) {}
}
