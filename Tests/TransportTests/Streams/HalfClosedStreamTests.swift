import System
import TestSupport
import Testing

@testable import Transport

/// Tests of a peer that has shut down its sending side and continues to read.
@Suite struct HalfClosedStreamTests {
  private final class StepClock: LoopClock {
    var monotonicNanoseconds: Int64 = 1_000
    var unixMilliseconds: Int64 = 1_800_000_000_000
  }

  private let harness: StreamHarness
  private let server = Recorder()
  private let client = Recorder()

  init() throws { harness = try StreamHarness() }

  /// Returns an open connection on which the client has sent something and shut down its sending side.
  private func halfClose(
    _ harness: StreamHarness, tls: (server: TLSServerContext, client: TLSClientContext)? = nil,
    closeNotify: Bool = false
  ) throws -> ByteStream {
    let listener = try harness.listen(tls.map { .tls($0.server) } ?? .plain) { _ in server }
    let stream = harness.connect(listener, tls: tls?.client, handler: client)
    harness.run { server.opened == 1 && client.opened == 1 }
    stream.write(Array("ask".utf8))
    harness.run { server.text == "ask" }
    listener.close()
    if closeNotify, let layer = stream.tls {
      stream.shared.clearOutput()
      layer.end()
      _ = Socket.write(stream.descriptor, stream.shared.output)
    }
    Socket.finishWriting(stream.descriptor)
    return stream
  }

  @Test
  func `it gets the answer that its owner still has, then the end`() throws {
    var asked = false
    server.awaitsAnswers = { _ in
      asked = true
      return true
    }
    _ = try halfClose(harness)
    harness.run { asked }
    #expect(server.closure == nil)
    let stream = try #require(server.stream)
    stream.write(Array("answer".utf8))
    harness.run { client.text == "answer" }
    #expect(stream.isOpen && client.closure == nil)
    stream.write(Array(" and more".utf8))
    stream.close()
    harness.run { client.closure != nil && server.closure != nil }
    #expect(client.text == "answer and more")
    #expect(server.closures == [.local] && client.closures == [.peer])
  }

  @Test(arguments: [false, true])
  func `it gets the answer over TLS, with close_notify and without`(takeOver: Bool) throws {
    for closeNotify in [true, false] {
      let pair = try HalfClosedStreamTests()
      var asked = false
      pair.server.awaitsAnswers = { _ in
        asked = true
        return true
      }
      _ = try pair.halfClose(
        pair.harness,
        tls: (
          TestIdentities.serverContext(takeOver: takeOver),
          TestIdentities.clientContext()
        ), closeNotify: closeNotify)
      pair.harness.run { asked }
      pair.server.stream?.write(Array("answer".utf8))
      pair.server.stream?.close()
      pair.harness.run { pair.client.closure != nil && pair.server.closure != nil }
      #expect(pair.client.text == "answer" && pair.client.closure == .peer)
      #expect(pair.server.closures == [.local])
    }
  }

  @Test
  func `without an answer to wait for it ends at once`() throws {
    server.awaitsAnswers = { stream in
      stream.write(Array("bye".utf8))
      return false
    }
    _ = try halfClose(harness)
    harness.run { client.closure != nil && server.closure != nil }
    #expect(client.text == "bye" && server.closures == [.peer])
  }

  @Test
  func `it does not wait for ever`() throws {
    let clock = StepClock()
    let harness = try StreamHarness(clock: clock)
    var asked = false
    server.awaitsAnswers = { _ in
      asked = true
      return true
    }
    _ = try halfClose(harness)
    harness.run { asked }
    clock.monotonicNanoseconds += Limits.answersNanoseconds - 1_000_000
    harness.loop.turn(mayBlock: false)
    #expect(server.closure == nil)
    clock.monotonicNanoseconds += 2_000_000
    harness.run { server.closure != nil }
    #expect(server.closures == [.timedOut(.answers)])
  }

  @Test
  func `a peer that is completely gone is detected when the answer is written`() throws {
    var asked = false
    server.awaitsAnswers = { _ in
      asked = true
      return true
    }
    let stream = try halfClose(harness)
    harness.run { asked }
    stream.close(afterFlush: false)
    harness.run { client.closure != nil }
    server.stream?.write(Array("answer".utf8))
    harness.run { server.closure != nil }
    #expect(server.closures.count == 1)
  }
}
