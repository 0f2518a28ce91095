import PushWire
import BelfryWire
import Storage
import Synchronization
import System

/// A receiver of new lines; its callback returns false to unsubscribe.
struct DeliveryLogFollower: Sendable {
  let receive: @Sendable ([DeliveryLogLine]) -> Bool
}

/// A reader of the delivery log of all loops, for the administration.
final class DeliveryLogReader: DeliveryLogSource {
  private let peers = Mutex<LoopPeers>([])
  private let kept: StoredDeliveryLog

  /// Creates a reader of the running loops' logs, and of the files in `kept` that earlier loops left behind.
  init(kept: StoredDeliveryLog) { self.kept = kept }

  func use(_ peers: LoopPeers) { self.peers.withLock { $0 = peers } }

  func lines(of query: DeliveryLogQuery) throws(AdministrationFailure) -> [DeliveryLogLine] {
    try collect(query) { [.readLog(query, $0)] }
  }

  /// Returns which devices are connected, and when the others disconnected.
  func presences() throws(AdministrationFailure) -> [UInt64: DevicePresence] {
    let peers = peers.withLock { $0 }
    let answers = LoopAnswers<DevicePresence>()
    for peer in peers { peer.post(.readPresence(answers)) }
    // A device can appear twice; a current connection takes precedence over an earlier disconnection.
    return Dictionary(try answers.wait(for: peers.count).map { ($0.device, $0) }) {
      $0.isUp ? $0 : $1.isUp ? $1 : $0
    }
  }

  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) throws(AdministrationFailure) -> [DeliveryLogLine] {
    // Post both messages in one batch, because a loop handles a batch without interruption; no line can then be lost
    // between the last existing line and the first new one.
    try collect(query) {
      [.readLog(query, $0), .followLog(query, DeliveryLogFollower(receive: receive))]
    }
  }

  /// Calls `receive` with each new line, without waiting for the loops.
  func followNewLines(_ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool) {
    for peer in peers.withLock({ $0 }) {
      peer.post(.followLog(.everything, DeliveryLogFollower(receive: receive)))
    }
  }

  /// Returns the lines that the loops send in reply to `messages`, together with the lines that earlier loops left
  /// behind, oldest first.
  private func collect(
    _ query: DeliveryLogQuery, _ messages: (LoopAnswers<DeliveryLogLine>) -> [LoopMessage]
  ) throws(AdministrationFailure) -> [DeliveryLogLine] {
    let peers = peers.withLock { $0 }
    let answers = LoopAnswers<DeliveryLogLine>()
    for peer in peers { peer.post(contentsOf: messages(answers)) }
    let lines = try kept.lines(of: query, fromLoop: peers.count) + answers.wait(for: peers.count)
    return DeliveryLogLine.chronological(lines)
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
      let key = NotificationKey(contents)
      return { $0.key == key }
    }
  }
}

extension DeliveryLogLine {
  /// Creates the line of an entry; `bundleID` is nil if the app was removed.
  init(_ entry: DeliveryLog.Entry, bundleID: String?) {
    let kind = TokenKind(rawValue: entry.key.kind) ?? .alert
    let topic = kind == .webPush ? "(web push)" : "\(bundleID ?? "(removed)")\(kind.topicSuffix)"
    self.init(
      atMilliseconds: entry.atMilliseconds, state: entry.state.label, id: entry.id,
      uniqueID: entry.uniqueID, device: entry.key.device, topic: topic, pushType: entry.pushType)
  }
}
