import System
import Testing

@testable import Transport

/// Tests of how a loop divides its time between many handshakes and its open connections.
@Suite struct HandshakeQueueTests {
  private let harness: StreamHarness

  init() throws { harness = try StreamHarness() }

  private final class Counter {
    var accepted = 0
    var opened = 0
    var closures: [StreamClosure] = []
  }

  @Test func `many steps that wait keep listeners from accepting`() throws {
    harness.loop.boundHandshakes(to: 1)
    let counter = Counter()
    let listener = try listen(counter)
    let clients = try connect(200, to: listener, speaks: true)
    let handshakes = StreamLoop.of(harness.loop).handshakes
    var most = 0
    harness.run {
      most = max(most, handshakes.waitingCount)
      return counter.opened == clients.count
    }
    #expect(most < Limits.handshakeStepsWaitingMax + 2 * Limits.acceptedPerTurn, "\(most) waited")
    #expect(counter.closures.isEmpty)
    listener.close()
  }

  private func listen(_ counter: Counter) throws -> StreamListener {
    let context = try TestIdentities.serverContext(minimum: .tls13)
    return try harness.listen(.tls(context)) { _ in
      counter.accepted += 1
      let server = Recorder()
      server.onOpen = { _ in counter.opened += 1 }
      server.onClose = { [unowned server] in counter.closures += server.closures }
      return server
    }
  }

  private func connect(_ count: Int, to listener: StreamListener, speaks: Bool) throws -> [Recorder]
  {
    let context = speaks ? try TestIdentities.clientContext() : nil
    return (0..<count).map { _ in
      let client = Recorder()
      _ = harness.connect(listener, tls: context, handler: client)
      return client
    }
  }

  @Test func `a turn makes few steps, so that what is open waits for no more than those`() throws {
    let counter = Counter()
    let listener = try listen(counter)
    let clients = try connect(60, to: listener, speaks: true)
    var most = 0
    var before = 0
    harness.run {
      most = max(most, counter.opened - before)
      before = counter.opened
      return counter.opened == clients.count
    }
    #expect(most <= Limits.handshakeStepsPerTurn)
    #expect(counter.closures.isEmpty)
    listener.close()
  }

  @Test func `handshakes beyond the limit wait, and none that makes progress is closed`() throws {
    harness.loop.boundHandshakes(to: 3)
    let counter = Counter()
    let listener = try listen(counter)
    let clients = try connect(40, to: listener, speaks: true)
    let handshakes = StreamLoop.of(harness.loop).handshakes
    var most = 0
    harness.run {
      most = max(most, handshakes.count)
      return clients.allSatisfy { $0.opened == 1 } && counter.opened == clients.count
    }
    #expect(most <= 3)
    #expect(counter.closures.isEmpty && clients.allSatisfy { $0.closures.isEmpty })
    #expect(handshakes.count == 0)
    listener.close()
  }

  @Test func `a stalled handshake is closed to make room, but one that makes progress is not`()
    throws
  {
    harness.loop.boundHandshakes(to: 4)
    let counter = Counter()
    let listener = try listen(counter)
    let handshakes = StreamLoop.of(harness.loop).handshakes
    let silent = try connect(10, to: listener, speaks: false)
    harness.run { counter.accepted == 10 }
    #expect(handshakes.count == 0, "a client that has sent nothing has not begun a handshake")
    // These are the first bytes of a record that is never completed.
    for one in silent { one.stream?.write([22, 3, 1, 2, 0]) }
    harness.run { handshakes.count == 4 && handshakes.waitingCount == 6 }
    #expect(counter.closures.isEmpty, "no waiting client is closed yet")
    let client = try connect(1, to: listener, speaks: true)
    harness.run { client[0].opened == 1 }
    #expect(counter.closures.count >= 6)
    #expect(counter.closures.allSatisfy { $0 == .timedOut(.handshake) }, "\(counter.closures)")
    withExtendedLifetime(silent) {}
    listener.close()
  }
}
