import System
import TestSupport
import Testing

@testable import Storage

@Suite struct ControlWriterTests {
  private final class Received { var replies: [ControlReply] = [] }

  private func app(_ number: UInt32, _ bundleID: String) -> ControlChange {
    .putApp(
      AppRecord(number: number, bundleID: bundleID, team: "TEAMAAAAAA", createdMilliseconds: 1))
  }

  @Test
  func `only the bad request fails in a commit that it shares with good ones`() throws {
    let folder = try ScratchFolder()
    let store = try SQLiteControlStore(path: folder.file("control.db"))
    defer { store.close() }
    try store.apply([
      .putTeam(TeamRecord(id: "TEAMAAAAAA", name: "A", createdMilliseconds: 1))
    ])
    let loop = try EventLoop()
    let received = Received()
    let mailbox = loop.mailbox(of: ControlReply.self) { received.replies += $0 }
    let writer = try ControlWriter(store: store, metrics: MetricRegistry())
    // Two apps can't have the same bundle identifier.
    for number: UInt32 in 1...40 {
      let name = number == 20 ? "com.example.app1" : "com.example.app\(number)"
      writer.submit(changes: [app(number, name)], ticket: UInt64(number), reply: mailbox)
    }
    while received.replies.count < 40 { loop.turn(mayBlock: true) }
    writer.checkInvariants()
    writer.close()
    writer.checkInvariants()
    let failed = received.replies.filter { $0.failure != nil }.map(\.ticket)
    #expect(failed == [20])
    #expect(try store.apps().count == 39)
  }
}
