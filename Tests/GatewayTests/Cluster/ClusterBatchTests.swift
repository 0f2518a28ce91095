import Storage
import Synchronization
import System
import Testing

@testable import Gateway

@Suite struct ClusterBatchTests {
  @Test func `a batch is decoded as it was encoded, in order, with its sender`() throws {
    var batch = ClusterBatch(from: 300)
    #expect(!batch.hasMessages)
    for device in 1...1_000 as ClosedRange<UInt64> { batch.append(.claimed(device: device)) }
    #expect(batch.hasMessages)
    let decoded = try #require(ClusterBatch.decode(batch.bytes))
    #expect(decoded.sender == 300 && decoded.malformed == 0)
    #expect(claimed(decoded.messages) == Array(1...1_000))
  }

  @Test func `a malformed message does not affect the others of its batch`() throws {
    var batch = ClusterBatch(from: 1)
    for device in 1...3 as ClosedRange<UInt64> { batch.append(.claimed(device: device)) }
    var bytes = batch.bytes
    // The kind of the second message: a header of 3 bytes, a message of 13, and a length of 4.
    bytes[3 + 13 + 4] = 99
    let decoded = try #require(ClusterBatch.decode(bytes))
    #expect(claimed(decoded.messages) == [1, 3] && decoded.malformed == 1)
  }

  @Test func `a truncated batch contains the messages before the end`() throws {
    let whole = ClusterBatch(.changed(number: 7), from: 1).bytes
    for count in 4..<whole.count {
      let decoded = try #require(ClusterBatch.decode(Array(whole.prefix(count))))
      #expect(decoded.messages.isEmpty && decoded.malformed == 1)
    }
    let huge = try #require(ClusterBatch.decode(whole.prefix(3) + [255, 255, 255, 255, 4]))
    #expect(huge.messages.isEmpty && huge.malformed == 1)
  }

  @Test func `a batch of another version, or without a sender, is ignored`() {
    let whole = ClusterBatch(.drain, from: 1).bytes
    #expect(ClusterBatch.decode(whole) != nil)
    #expect(ClusterBatch.decode([ClusterBatch.version &+ 1] + whole.dropFirst()) == nil)
    // Node 0 would mean the receiver itself, so its answer would go to one of its own providers.
    #expect(ClusterBatch.decode([ClusterBatch.version, 0, 0] + whole.dropFirst(3)) == nil)
    #expect(ClusterBatch.decode([]) == nil)
  }

  @Test func `the messages of a turn are one batch for each node`() throws {
    let bus = RecordingBus()
    let loop = try EventLoop()
    let outbox = ClusterOutbox(from: 1, on: loop, bus.sender)
    for device in 1...3 as ClosedRange<UInt64> {
      #expect(outbox.add(.claimed(device: device), to: 2))
      #expect(outbox.add(.claimed(device: device + 10), to: 3))
    }
    #expect(bus.sent.isEmpty)
    loop.turn(mayBlock: false)
    #expect(bus.sent.map(\.node).sorted() == [2, 3])
    #expect(bus.devices(sentTo: 2) == [1, 2, 3] && bus.devices(sentTo: 3) == [11, 12, 13])
    loop.turn(mayBlock: false)
    #expect(bus.sent.count == 2)
    outbox.add(.claimed(device: 4), to: 2)
    loop.turn(mayBlock: false)
    #expect(bus.devices(sentTo: 2) == [1, 2, 3, 4])
  }

  @Test func `a full batch is sent before the end of the turn`() throws {
    let bus = RecordingBus()
    let loop = try EventLoop()
    let outbox = ClusterOutbox(from: 1, on: loop, bus.sender)
    let count = UInt64(Limits.clusterBatchBytes / 13 + 2)
    for device in 1...count { outbox.add(.claimed(device: device), to: 2) }
    #expect(bus.sent.count == 1)
    loop.turn(mayBlock: false)
    #expect(bus.sent.count == 2 && bus.devices(sentTo: 2) == Array(1...count))
  }

  @Test func `forwarded pushes that cannot be sent are reported`() throws {
    let bus = RecordingBus()
    let loop = try EventLoop()
    let outbox = ClusterOutbox(from: 1, on: loop, bus.sender)
    var failed: [UInt64] = []
    outbox.onFailed = { failed += $0 }
    outbox.add(.claimed(device: 1), to: 2, forward: 70)
    outbox.add(.claimed(device: 2), to: 2)
    outbox.add(.claimed(device: 3), to: 2, forward: 71)
    bus.isAbsent.store(true, ordering: .relaxed)
    loop.turn(mayBlock: false)
    #expect(failed == [70, 71])
    #expect(!outbox.add(.claimed(device: 4), to: 2, forward: 72))
    loop.turn(mayBlock: false)
    #expect(failed == [70, 71] && bus.sent.isEmpty)
  }

  private func claimed(_ messages: [ClusterMessage]) -> [UInt64] {
    messages.compactMap { if case .claimed(let device) = $0 { device } else { nil } }
  }

  /// A bus that records batches instead of sending them.
  private final class RecordingBus: Sendable {
    let isAbsent = Atomic<Bool>(false)
    private let batches = Mutex<[(node: NodeNumber, bytes: [UInt8])]>([])

    var sent: [(node: NodeNumber, bytes: [UInt8])] { batches.withLock { $0 } }

    var sender: ClusterSender {
      ClusterSender(
        isConnected: { !self.isAbsent.load(ordering: .relaxed) },
        send: { batch, node in
          guard !self.isAbsent.load(ordering: .relaxed) else { return false }
          self.batches.withLock { $0.append((node, batch.bytes)) }
          return true
        })
    }

    func devices(sentTo node: NodeNumber) -> [UInt64] {
      sent.filter { $0.node == node }.flatMap { sent in
        (ClusterBatch.decode(sent.bytes)?.messages ?? []).compactMap {
          if case .claimed(let device) = $0 { device } else { nil }
        }
      }
    }
  }
}
