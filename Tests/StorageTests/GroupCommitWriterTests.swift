import BelfryWire
import Glibc
import Synchronization
import System
import TestSupport
import Testing

@testable import Storage

@Suite struct GroupCommitWriterTests {
  @Test
  func `every batch is answered under its ticket, after it is in the store`() throws {
    let store = MemoryNotificationStore()
    let harness = try Harness(store)
    for ticket in UInt64(1)...100 {
      harness.writer.submit(batch: [put(ticket)], ticket: ticket, reply: harness.mailbox)
    }
    let replies = harness.replies(100)
    #expect(replies.map(\.ticket) == Array(1...100))
    #expect(replies.filter(\.isCommitted).count == 100)
    #expect(try store.count() == 1)
    harness.writer.close()
  }

  @Test
  func `batches that arrive while a commit runs share the next one`() throws {
    let store = GatedStore()
    let harness = try Harness(store)
    harness.writer.submit(batch: [put(1)], ticket: 1, reply: harness.mailbox)
    store.waitUntilEntered()
    for ticket in UInt64(2)...50 {
      harness.writer.submit(batch: [put(ticket)], ticket: ticket, reply: harness.mailbox)
    }
    store.open()
    #expect(harness.replies(50).count == 50)
    #expect(store.sizes == [1, 49])
    harness.writer.close()
  }

  @Test
  func `a commit is bounded, however much has arrived`() throws {
    let store = GatedStore()
    let harness = try Harness(store)
    harness.writer.submit(batch: [put(1)], ticket: 1, reply: harness.mailbox)
    store.waitUntilEntered()
    let batch = (0..<1_500).map { put(UInt64($0 + 2)) }
    for ticket in UInt64(2)...6 {
      harness.writer.submit(batch: batch, ticket: ticket, reply: harness.mailbox)
    }
    store.open()
    _ = harness.replies(6)
    #expect(store.sizes == [1, 3_000, 3_000, 1_500])
    harness.writer.close()
  }

  @Test
  func `a failed commit is reported to each of its tickets, and later commits succeed`() throws {
    let store = GatedStore()
    store.failNext()
    let harness = try Harness(store)
    harness.writer.submit(batch: [put(1)], ticket: 1, reply: harness.mailbox)
    store.waitUntilEntered()
    store.open()
    guard case .failed(.diskFull) = harness.replies(1).first?.outcome else {
      Issue.record("no failure was reported")
      return
    }
    harness.writer.submit(batch: [put(2)], ticket: 2, reply: harness.mailbox)
    #expect(harness.replies(1).first?.isCommitted == true)
    harness.writer.close()
  }

  @Test
  func `a load sees every batch before it`() throws {
    let harness = try Harness(MemoryNotificationStore())
    harness.writer.submit(batch: [put(1)], ticket: 1, reply: harness.mailbox)
    harness.writer.load(device: 1, ticket: 2, reply: harness.mailbox)
    let replies = harness.replies(2)
    guard case .loaded(let loaded, _) = replies.first(where: { $0.ticket == 2 })?.outcome else {
      Issue.record("nothing was loaded")
      return
    }
    #expect(loaded.map(\.sequence) == [1])
    harness.writer.close()
  }

  @Test
  func `a long load lets commits go in between, and has nothing that they took out`() throws {
    let store = GatedStore()
    let rows = Limits.rowsPerPage * 2 + 500
    store.fill((1...rows).map { put(UInt64($0), keep: .max) })
    let harness = try Harness(store)
    harness.writer.load(device: 1, ticket: 1, reply: harness.mailbox)
    store.waitUntilEntered()
    harness.writer.submit(
      batch: [
        .remove(NotificationKey(device: 1, app: 1, kind: 1), sequence: 7), put(9_000, keep: .max),
      ], ticket: 2, reply: harness.mailbox)
    store.open()
    let replies = harness.replies(2)
    #expect(replies.map(\.ticket) == [2, 1], "the commit did not wait for the load")
    guard case .loaded(let loaded, _)? = replies.last?.outcome else {
      Issue.record("nothing was loaded")
      return
    }
    #expect(loaded.map(\.sequence) == (1...UInt64(rows)).filter { $0 != 7 } + [9_000])
    #expect(store.pages.allSatisfy { $0 <= Limits.rowsPerPage })
    harness.writer.close()
  }

  @Test
  func `closing reads a long load to its end`() throws {
    let store = GatedStore()
    store.open()
    store.fill((1...5_000).map { put($0, keep: .max) })
    let harness = try Harness(store)
    harness.writer.load(device: 1, ticket: 1, reply: harness.mailbox)
    harness.writer.load(device: 1, limit: 1_700, ticket: 2, reply: harness.mailbox)
    harness.writer.close()
    let counts = harness.replies(2).map { reply in
      if case .loaded(let rows, _) = reply.outcome { rows.count } else { 0 }
    }
    #expect(counts == [5_000, 1_700])
  }

  @Test
  func `each batch gets only the notifications that its own operations dropped`() throws {
    let store = GatedStore()
    let harness = try Harness(store)
    harness.writer.submit(batch: [put(1)], ticket: 1, reply: harness.mailbox)
    store.waitUntilEntered()
    harness.writer.submit(batch: [put(2)], ticket: 2, reply: harness.mailbox)
    harness.writer.submit(
      batch: [put(9, device: 2), put(3)], ticket: 3, reply: harness.mailbox)
    store.open()
    let dropped = harness.replies(3).map { reply -> [DroppedNotification] in
      if case .committed(let dropped) = reply.outcome { dropped } else { [] }
    }
    #expect(dropped.map { $0.map(\.sequence) } == [[], [1], [2]])
    #expect(dropped.map { $0.map(\.operation) } == [[], [0], [1]])
    harness.writer.close()
  }

  @Test
  func `closing commits everything submitted before and refuses later batches`() throws {
    let store = MemoryNotificationStore()
    let harness = try Harness(store)
    for ticket in UInt64(1)...1_000 {
      harness.writer.submit(
        batch: [put(ticket, device: ticket)], ticket: ticket, reply: harness.mailbox)
    }
    harness.writer.close()
    harness.writer.submit(batch: [put(1_001)], ticket: 1_001, reply: harness.mailbox)
    let replies = harness.replies(1_001)
    #expect(
      replies.filter(\.isCommitted).count == 1_000)
    guard case .failed(.closed) = replies.last?.outcome else {
      Issue.record("the batch was not refused")
      return
    }
    store.reopen()
    #expect(try store.count() == 1_000)
  }

  @Test
  func `commits are counted and timed`() throws {
    let harness = try Harness(MemoryNotificationStore())
    harness.writer.submit(batch: [put(1), put(2)], ticket: 1, reply: harness.mailbox)
    _ = harness.replies(1)
    harness.writer.close()
    let text = harness.metrics.exposition()
    #expect(text.contains("belfry_store_operations_total{store=\"notifications\"} 2"))
    #expect(text.contains("belfry_store_commit_seconds_count{store=\"notifications\"} 1"))
  }

  private func put(
    _ sequence: UInt64, device: UInt64 = 1, keep: UInt32 = 1
  ) -> StoreOperation {
    .put(.sample(sequence, NotificationKey(device: device, app: 1, kind: 1)), keep: keep)
  }
}

extension StoreReply {
  fileprivate var isCommitted: Bool { if case .committed = outcome { true } else { false } }
}

/// A writer, and a loop that the test runs and that receives the writer's answers.
private final class Harness {
  let loop: EventLoop
  let mailbox: Mailbox<StoreReply>
  let writer: GroupCommitWriter
  let metrics = MetricRegistry()
  private let received: Received

  private final class Received { var replies: [StoreReply] = [] }

  init(_ store: any NotificationStore) throws {
    loop = try EventLoop()
    let received = Received()
    self.received = received
    mailbox = loop.mailbox(of: StoreReply.self) { received.replies += $0 }
    writer = try GroupCommitWriter(store: store, metrics: metrics)
  }

  /// Waits for the next `count` answers and returns them.
  func replies(_ count: Int) -> [StoreReply] {
    while received.replies.count < count { loop.turn(mayBlock: true) }
    writer.checkInvariants()
    let answers = received.replies
    received.replies.removeAll()
    return answers
  }
}

/// A memory store whose first commit or load waits until the test releases it.
private final class GatedStore: NotificationStore {
  private struct State {
    var sizes: [Int] = []
    var pages: [Int] = []
    var isOpen = false
    var entered = false
    var failsNext = false
  }

  private let inner = MemoryNotificationStore()
  private let state = Mutex(State())

  var sizes: [Int] { state.withLock(\.sizes) }
  var pages: [Int] { state.withLock(\.pages) }

  func fill(_ operations: [StoreOperation]) { _ = try? inner.commit(operations) }

  func failNext() { state.withLock { $0.failsNext = true } }
  func open() { state.withLock { $0.isOpen = true } }
  func waitUntilEntered() { while !state.withLock(\.entered) { sched_yield() } }

  func commit(
    _ operations: [StoreOperation]
  ) throws(StorageFailure) -> [DroppedNotification] {
    state.withLock {
      $0.entered = true
      $0.sizes.append(operations.count)
    }
    while !state.withLock(\.isOpen) { sched_yield() }
    let fails = state.withLock { state in
      defer { state.failsNext = false }
      return state.failsNext
    }
    if fails { throw .diskFull(path: "here") }
    return try inner.commit(operations)
  }

  func load(
    device: UInt64, after: UInt64, limit: Int
  ) throws(StorageFailure) -> [StoredNotification] {
    state.withLock {
      $0.entered = true
      $0.pages.append(limit)
    }
    while !state.withLock(\.isOpen) { sched_yield() }
    return try inner.load(device: device, after: after, limit: limit)
  }

  func highestSequence() throws(StorageFailure) -> UInt64 { try inner.highestSequence() }
  func count() throws(StorageFailure) -> Int { try inner.count() }
  func devices() throws(StorageFailure) -> [UInt64] { try inner.devices() }
  func close() { inner.close() }
}
