import BelfryWire
import Foundation
import Glibc
import Synchronization
import System
import TestSupport
import Testing

@testable import Storage

@Suite struct CrashTests {
  /// Kills a process while it commits.
  ///
  /// After the kill, everything that the process acknowledged must be in the store.
  @Test(arguments: [40, 170, 400])
  func `SIGKILL during commits loses nothing that was acknowledged`(acknowledgements: Int)
    async throws
  {
    let folder = try ScratchFolder()
    let path = folder.file("store.db")
    let acknowledged = folder.file("acknowledged")
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, acknowledged = acknowledged as String, acknowledgements] in
      try CommittingChild.run(
        store: path, acknowledgementsTo: acknowledged, dieAfter: acknowledgements)
    }
    let tickets = try FileSystem.read(acknowledged, limit: 1 << 20).map { $0 }
      .split(separator: UInt8(ascii: "\n"))
      .compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    #expect(tickets.count >= acknowledgements)
    let store = try SQLiteNotificationStore(path: path)
    let kept = Set(
      try store.devices().flatMap { device in try store.load(device: device).map(\.sequence) })
    let isWhole = { (ticket: UInt64) in
      kept.isSuperset(of: CommittingChild.sequences(of: ticket))
    }
    let lost = tickets.filter { !isWhole($0) }
    #expect(lost.isEmpty, "acknowledged but lost")
    // A batch that wasn't acknowledged is stored either completely or not at all.
    let torn = Set(kept.map { $0 / CommittingChild.batchSize }).filter { !isWhole($0) }
    #expect(torn.isEmpty, "partly committed")
    #expect(try store.highestSequence() == kept.max())
  }
}

/// The program that runs in the process that is killed.
enum CommittingChild {
  static let batchSize: UInt64 = 7

  static func sequences(of ticket: UInt64) -> Range<UInt64> {
    ticket * batchSize..<(ticket + 1) * batchSize
  }

  static func run(
    store path: String, acknowledgementsTo file: String, dieAfter limit: Int
  ) throws {
    let loop = try EventLoop()
    let writer = try GroupCommitWriter(
      store: SQLiteNotificationStore(path: path), metrics: MetricRegistry())
    let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let state = ChildState()
    state.mailbox = loop.mailbox(of: StoreReply.self) { replies in
      for reply in replies {
        guard case .committed = reply.outcome else { continue }
        let line = Array("\(reply.ticket)\n".utf8)
        write(descriptor, line, line.count)
        state.acknowledged.add(1, ordering: .relaxed)
        // Submit two batches for each of the first answers, and one batch for each later answer, so that batches are
        // always waiting before and after each commit.
        state.submit(to: writer)
        if reply.ticket < 50 { state.submit(to: writer) }
      }
    }
    // Another thread kills the process, so that the kill can happen at any point in a commit.
    Thread.detachNewThread { [state] in
      while state.acknowledged.load(ordering: .relaxed) < limit { sched_yield() }
      kill(getpid(), SIGKILL)
    }
    for _ in 0..<4 { state.submit(to: writer) }
    loop.run()
  }
}

/// The state of the child process.
///
/// The `@unchecked Sendable` conformance is safe because `acknowledged` is the only property that two threads use.
private final class ChildState: @unchecked Sendable {
  let acknowledged = Atomic<Int>(0)
  var mailbox: Mailbox<StoreReply>?
  private var ticket: UInt64 = 1

  func submit(to writer: GroupCommitWriter) {
    guard let mailbox else { return }
    let batch = CommittingChild.sequences(of: ticket).map { sequence in
      StoreOperation.put(
        .sample(
          sequence, NotificationKey(device: sequence % 5, app: 1, kind: 1),
          payload: [UInt8](repeating: 0x61, count: 200)), keep: .max)
    }
    writer.submit(batch: batch, ticket: ticket, reply: mailbox)
    ticket += 1
  }
}
