import Storage
import System

/// The messages of a loop to other nodes, collected during a turn and sent in one batch per node at the end of the turn.
final class ClusterOutbox: TurnEndTarget {
  private struct Waiting {
    var batch: ClusterBatch
    /// The numbers of the forwarded pushes in the batch.
    var forwards: [UInt64] = []
  }

  private let own: NodeNumber
  private let loop: EventLoop
  private let bus: ClusterSender
  private var waiting: [NodeNumber: Waiting] = [:]
  /// A function that is called with the numbers of forwarded pushes that could not be sent.
  var onFailed: (([UInt64]) -> Void)?

  init(from own: NodeNumber, on loop: EventLoop, _ bus: ClusterSender) {
    self.own = own
    self.loop = loop
    self.bus = bus
  }

  /// Adds a message for a node; `forward` is the number of the forwarded push that it contains.
  ///
  /// Returns false if the bus is absent.
  @discardableResult
  func add(_ message: ClusterMessage, to node: NodeNumber, forward: UInt64? = nil) -> Bool {
    assert(node != own && node != 0, "the receiver is another node")
    guard bus.isConnected() else { return false }
    if waiting.isEmpty { loop.atTurnEnd(self) }
    waiting[node, default: Waiting(batch: ClusterBatch(from: own))].batch.append(message)
    if let forward { waiting[node]?.forwards.append(forward) }
    if let full = waiting[node], full.batch.bytes.count >= Limits.clusterBatchBytes {
      // The entry remains, so that this object is called only once at the end of the turn.
      waiting[node] = Waiting(batch: ClusterBatch(from: own))
      send(full, to: node)
    }
    return true
  }

  /// Sends everything that was collected.
  func turnEnded() {
    let batches = exchange(&waiting, with: [:])
    for (node, batch) in batches { send(batch, to: node) }
  }

  private func send(_ waiting: Waiting, to node: NodeNumber) {
    guard waiting.batch.hasMessages, !bus.send(waiting.batch, node) else { return }
    if !waiting.forwards.isEmpty { onFailed?(waiting.forwards) }
  }
}

/// The functions with which a loop uses the bus.
struct ClusterSender: Sendable {
  /// Returns true if messages can be sent.
  let isConnected: @Sendable () -> Bool
  /// Sends a batch to a node; returns false if the bus is absent.
  let send: @Sendable (ClusterBatch, NodeNumber) -> Bool
}
