import System

/// A loop's messages to other loops, collected during a turn and posted in one batch per loop at the end of the turn.
struct LoopOutbox {
  /// The mailboxes of all loops, including this one; empty until the gateway opens.
  private(set) var peers: LoopPeers = []
  private var waiting: [[LoopMessage]] = []

  var loopCount: Int { peers.count }
  var isEmpty: Bool { waiting.allSatisfy(\.isEmpty) }

  /// Sets the mailboxes of all loops, once the gateway opens.
  mutating func open(_ peers: LoopPeers) {
    precondition(
      self.peers.isEmpty && !peers.isEmpty, "the loops' mailboxes are set only once")
    self.peers = peers
    waiting = Array(repeating: [], count: peers.count)
  }

  /// Adds a message for a loop; returns false if no loop has this number.
  mutating func add(_ message: LoopMessage, to loop: Int) -> Bool {
    guard waiting.indices.contains(loop) else { return false }
    waiting[loop].append(message)
    return true
  }

  /// Posts all collected messages.
  mutating func flush() {
    for index in waiting.indices where !waiting[index].isEmpty {
      peers[index].post(contentsOf: waiting[index])
      waiting[index].removeAll(keepingCapacity: true)
    }
  }
}
