import BelfryWire
import Dispatch
import Storage
import Synchronization
import System

/// Takes `receive`'s lines as they come.
struct DeliveryLogFollower: Sendable {
  let receive: @Sendable ([DeliveryLogLine]) -> Bool
}

/// Gathers what the loops answer to one question; any thread may wait for it.
final class DeliveryLogCollector: Sendable {
  private let lines = Mutex<[DeliveryLogLine]>([])
  private let answered = DispatchSemaphore(value: 0)

  /// A loop's part.
  func take(_ part: [DeliveryLogLine]) {
    lines.withLock { $0.append(contentsOf: part) }
    answered.signal()
  }

  /// All parts of `loops` loops, oldest first; those of a loop that does not answer are left out.
  func wait(for loops: Int) -> [DeliveryLogLine] {
    let deadline = DispatchTime.now() + .milliseconds(Limits.logAnswerMilliseconds)
    for _ in 0..<loops where answered.wait(timeout: deadline) == .timedOut { break }
    return lines.withLock { $0 }.sorted { $0.atMilliseconds < $1.atMilliseconds }
  }
}

/// The delivery log of all loops, as the administration reads it.
final class DeliveryLogReader: DeliveryLogSource {
  private let peers = Mutex<LoopPeers>([])

  func use(_ peers: LoopPeers) { self.peers.withLock { $0 = peers } }

  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] {
    let peers = peers.withLock { $0 }
    let collector = DeliveryLogCollector()
    for peer in peers { peer.post(.readLog(query, collector)) }
    return collector.wait(for: peers.count)
  }

  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) {
    for peer in peers.withLock({ $0 }) {
      peer.post(.followLog(query, DeliveryLogFollower(receive: receive)))
    }
  }
}

/// A loop's end of the questions.
extension GatewayLoop {
  func answer(_ query: DeliveryLogQuery, to collector: DeliveryLogCollector) {
    let matches = matcher(of: query)
    collector.take(deliveryLog.lines(where: matches).map(line))
  }

  /// Whether an entry is one that `query` asks for.
  func matcher(of query: DeliveryLogQuery) -> (DeliveryLog.Entry) -> Bool {
    switch query {
    case .everything:
      return { _ in true }
    case .notification(let id):
      return { $0.id == id || $0.uniqueID == id }
    case .token(let token):
      guard let contents = tokens.open(token.span) else { return { _ in false } }
      let key = NotificationKey(
        device: contents.device, app: contents.app, kind: contents.kind.rawValue)
      return { $0.key == key }
    }
  }

  /// An entry as people read it.
  func line(_ entry: DeliveryLog.Entry) -> DeliveryLogLine {
    let app = directory.app(number: entry.key.app)
    let kind = TokenKind(rawValue: entry.key.kind) ?? .alert
    let bundleID = app.map { String(decoding: $0.bundleID, as: UTF8.self) } ?? "(removed)"
    return DeliveryLogLine(
      atMilliseconds: entry.atMilliseconds, state: entry.state.label, id: entry.id,
      uniqueID: entry.uniqueID, device: entry.key.device, topic: "\(bundleID)\(kind.topicSuffix)")
  }
}
