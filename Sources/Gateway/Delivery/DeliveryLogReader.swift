import BelfryWire
import Dispatch
import Storage
import Synchronization
import System

/// A receiver of new lines; its callback returns false to unsubscribe.
struct DeliveryLogFollower: Sendable {
  let receive: @Sendable ([DeliveryLogLine]) -> Bool
}

/// A collector of the loops' answers to one query; any thread may wait for them.
final class DeliveryLogCollector: Sendable {
  private let lines = Mutex<[DeliveryLogLine]>([])
  private let answered = DispatchSemaphore(value: 0)

  /// Adds a loop's lines.
  func add(_ part: [DeliveryLogLine]) {
    lines.withLock { $0.append(contentsOf: part) }
    answered.signal()
  }

  /// Waits for the answers of `loops` loops and returns their lines; a loop that doesn't answer in time is omitted.
  func wait(for loops: Int) -> [DeliveryLogLine] {
    let deadline = DispatchTime.now() + .milliseconds(Limits.logAnswerMilliseconds)
    for _ in 0..<loops where answered.wait(timeout: deadline) == .timedOut { break }
    return lines.withLock { $0 }
  }
}

/// A reader of the delivery log of all loops, for the administration.
final class DeliveryLogReader: DeliveryLogSource {
  private let peers = Mutex<LoopPeers>([])
  private let kept: StoredDeliveryLog

  /// Creates a reader of the running loops' logs, and of the files in `kept` that earlier loops left behind.
  init(kept: StoredDeliveryLog) { self.kept = kept }

  func use(_ peers: LoopPeers) { self.peers.withLock { $0 = peers } }

  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] {
    collect(query) { [.readLog(query, $0)] }
  }

  /// Returns which devices are connected, and when the others disconnected.
  func presences() -> [UInt64: DevicePresence] {
    let peers = peers.withLock { $0 }
    let collector = PresenceCollector()
    for peer in peers { peer.post(.readPresence(collector)) }
    return collector.wait(for: peers.count)
  }

  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) -> [DeliveryLogLine] {
    // Post both messages in one batch, which a loop handles without interruption, so that no line is lost between the
    // last existing line and the first new one.
    collect(query) {
      [.readLog(query, $0), .followLog(query, DeliveryLogFollower(receive: receive))]
    }
  }

  /// Calls `receive` with each new line, without waiting for the loops.
  func followNewLines(_ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool) {
    for peer in peers.withLock({ $0 }) {
      peer.post(.followLog(.everything, DeliveryLogFollower(receive: receive)))
    }
  }

  /// Returns the lines that the loops send in reply to `messages` and those that earlier loops left behind, oldest
  /// first.
  private func collect(
    _ query: DeliveryLogQuery, _ messages: (DeliveryLogCollector) -> [LoopMessage]
  ) -> [DeliveryLogLine] {
    let peers = peers.withLock { $0 }
    let collector = DeliveryLogCollector()
    for peer in peers { peer.post(contentsOf: messages(collector)) }
    let lines = kept.lines(of: query, fromLoop: peers.count) + collector.wait(for: peers.count)
    return lines.sorted { $0.atMilliseconds < $1.atMilliseconds }
  }
}

extension DeliveryLogQuery {
  /// Returns a predicate that is true for the entries that the query matches.
  func matcher(_ tokens: DeviceTokenCodec) -> (DeliveryLog.Entry) -> Bool {
    switch self {
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
}

extension DeliveryLogLine {
  /// Creates the readable form of an entry; `bundleID` is nil if the app was removed.
  init(_ entry: DeliveryLog.Entry, bundleID: String?) {
    let kind = TokenKind(rawValue: entry.key.kind) ?? .alert
    self.init(
      atMilliseconds: entry.atMilliseconds, state: entry.state.label, id: entry.id,
      uniqueID: entry.uniqueID, device: entry.key.device,
      topic: "\(bundleID ?? "(removed)")\(kind.topicSuffix)", pushType: entry.pushType)
  }
}
