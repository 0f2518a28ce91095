import BelfryWire
import Dispatch
import Storage
import Synchronization
import System

/// Receives lines as they come; returns false when it wants no more.
struct DeliveryLogFollower: Sendable {
  let receive: @Sendable ([DeliveryLogLine]) -> Bool
}

/// Collects the loops' answers to one query; any thread may wait for them.
final class DeliveryLogCollector: Sendable {
  private let lines = Mutex<[DeliveryLogLine]>([])
  private let answered = DispatchSemaphore(value: 0)

  /// Adds a loop's part.
  func add(_ part: [DeliveryLogLine]) {
    lines.withLock { $0.append(contentsOf: part) }
    answered.signal()
  }

  /// Waits for the answers of `loops` loops and returns their lines; a loop that does not answer is left out.
  func wait(for loops: Int) -> [DeliveryLogLine] {
    let deadline = DispatchTime.now() + .milliseconds(Limits.logAnswerMilliseconds)
    for _ in 0..<loops where answered.wait(timeout: deadline) == .timedOut { break }
    return lines.withLock { $0 }
  }
}

/// The delivery log of all loops, as the administration reads it.
final class DeliveryLogReader: DeliveryLogSource {
  private let peers = Mutex<LoopPeers>([])
  private let kept: KeptDeliveryLog

  /// Creates a reader of the running loops' logs, and of the files in `kept` that earlier loops left.
  init(kept: KeptDeliveryLog) { self.kept = kept }

  func use(_ peers: LoopPeers) { self.peers.withLock { $0 = peers } }

  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] {
    collect(query) { [.readLog(query, $0)] }
  }

  /// Which devices are connected, and when the others went away.
  func presences() -> [UInt64: DevicePresence] {
    let peers = peers.withLock { $0 }
    let collector = PresenceCollector()
    for peer in peers { peer.post(.readPresence(collector)) }
    return collector.wait(for: peers.count)
  }

  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) -> [DeliveryLogLine] {
    // In one batch, which a loop handles at a stretch: no line comes between the last of these and the first new one.
    collect(query) {
      [.readLog(query, $0), .followLog(query, DeliveryLogFollower(receive: receive))]
    }
  }

  /// Calls `receive` with every new line, without waiting for the loops.
  func followNewLines(_ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool) {
    for peer in peers.withLock({ $0 }) {
      peer.post(.followLog(.everything, DeliveryLogFollower(receive: receive)))
    }
  }

  /// The lines with which the loops answer `messages`, and those that earlier loops left, oldest first.
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

/// A loop's answers to queries of the delivery log.
extension GatewayLoop {
  func answer(_ query: DeliveryLogQuery, to collector: DeliveryLogCollector) {
    let matches = query.matcher(tokens)
    collector.add(
      deliveryLog.lines(where: matches).map(line)
        + refusedPushes.lines(where: query.matches).map(line))
  }

  /// An entry as people read it.
  func line(_ entry: DeliveryLog.Entry) -> DeliveryLogLine {
    let app = directory.app(number: entry.key.app)
    return DeliveryLogLine(
      entry, bundleID: app.map { String(decoding: $0.bundleID, as: UTF8.self) })
  }
}

extension DeliveryLogQuery {
  /// Returns a predicate for the entries that the query asks for.
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
  /// An entry as people read it; `bundleID` is nil when the app was removed.
  init(_ entry: DeliveryLog.Entry, bundleID: String?) {
    let kind = TokenKind(rawValue: entry.key.kind) ?? .alert
    self.init(
      atMilliseconds: entry.atMilliseconds, state: entry.state.label, id: entry.id,
      uniqueID: entry.uniqueID, device: entry.key.device,
      topic: "\(bundleID ?? "(removed)")\(kind.topicSuffix)")
  }
}
