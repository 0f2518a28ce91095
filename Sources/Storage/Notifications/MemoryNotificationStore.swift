internal import PushWire
internal import Synchronization

/// An in-memory store for simulations and tests, which survives restarts of its gateway.
public final class MemoryNotificationStore: NotificationStore {
  private let contents = Mutex(KeptNotifications())

  /// Creates an empty store.
  public init() {}

  /// Applies `operations`.
  ///
  /// Fails only if the store is closed.
  @discardableResult
  public func commit(
    _ operations: [StoreOperation]
  ) throws(StorageFailure) -> [DroppedNotification] {
    try contents.withLock { contents throws(StorageFailure) in
      guard !contents.isClosed else { throw .closed }
      var dropped: [DroppedNotification] = []
      for operation in operations.indices {
        contents.current = operation
        contents.apply(operations[operation], &dropped)
      }
      return dropped
    }
  }

  /// Returns at most `limit` of a device's notifications with a sequence number above `after`, sorted by sequence.
  public func load(
    device: UInt64, after: UInt64, limit: Int
  ) throws(StorageFailure) -> [StoredNotification] {
    try read { contents in
      let all = contents.kept[device, default: [:]].values.joined()
      let due = all.filter { $0.sequence > after }.sorted { $0.sequence < $1.sequence }
      return Array(due.prefix(limit))
    }
  }

  /// Returns the highest sequence number ever stored.
  public func highestSequence() throws(StorageFailure) -> UInt64 { try read(\.highestSequence) }

  /// Returns the number of stored notifications.
  public func count() throws(StorageFailure) -> Int { try read(\.count) }

  /// Returns every device with a stored notification.
  public func devices() throws(StorageFailure) -> [UInt64] { try read { $0.kept.keys.sorted() } }

  /// Closes the store, so that later calls fail.
  public func close() { contents.withLock { $0.isClosed = true } }

  /// Reopens a closed store, as a restarted gateway does with its files.
  public func reopen() { contents.withLock { $0.isClosed = false } }

  private func read<Answer: Sendable>(
    _ body: (KeptNotifications) -> Answer
  ) throws(StorageFailure) -> Answer {
    try contents.withLock { contents throws(StorageFailure) in
      guard !contents.isClosed else { throw .closed }
      return body(contents)
    }
  }
}

private struct KeptNotifications {
  /// Each device's notifications by key, sorted by sequence.
  ///
  /// No list is empty.
  var kept: [UInt64: [NotificationKey: [StoredNotification]]] = [:]
  var highestSequence: UInt64 = 0
  var count = 0
  var isClosed = false
  /// The index of the current operation.
  var current = 0

  mutating func apply(
    _ operation: StoreOperation, _ dropped: inout [DroppedNotification]
  ) {
    switch operation {
    case .put(let notification, let keep):
      put(notification, keep, &dropped)
    case .remove(let key, let sequence):
      filter(key) { $0.sequence == sequence ? .forget : .keep }
    case .withdraw(let key, let uniqueID):
      filter(key, &dropped) { $0.uniqueID == uniqueID ? .drop(.withdrawn) : .keep }
    case .removeKey(let key):
      filter(key, &dropped) { _ in .drop(.unregistered) }
    case .removeDevice(let device):
      let all = kept.removeValue(forKey: device).map { Array($0.values.joined()) } ?? []
      dropped += all.sorted { $0.sequence < $1.sequence }.map { drop($0, .unregistered) }
      count -= all.count
    case .removeExpired(let second, let limit):
      let expired = kept.values.flatMap(\.values).joined().filter { $0.expiration < second }
        .sorted { ($0.expiration, $0.sequence) < ($1.expiration, $1.sequence) }.prefix(limit)
      for notification in expired {
        filter(notification.key) { $0.sequence == notification.sequence ? .forget : .keep }
      }
      dropped += expired.sorted { $0.sequence < $1.sequence }.map { drop($0, .expired) }
    }
  }

  private mutating func put(
    _ notification: StoredNotification, _ keep: UInt32, _ dropped: inout [DroppedNotification]
  ) {
    let key = notification.key
    assert(notification.sequence > 0, "sequences count from 1")
    assert(keep > 0, "an app keeps at least one notification")
    highestSequence = max(highestSequence, notification.sequence)
    var list = kept[key.device, default: [:]][key, default: []]
    count -= list.count
    if !list.contains(where: { $0.sequence == notification.sequence }) {
      let place = list.firstIndex { $0.sequence > notification.sequence } ?? list.endIndex
      list.insert(notification, at: place)
    }
    var replaced: [StoredNotification] = []
    if !notification.collapseID.isEmpty {
      let newest = list.last { $0.collapseID == notification.collapseID }
      let isOlder = { (one: StoredNotification) in
        one.collapseID == notification.collapseID && one.sequence != newest?.sequence
      }
      replaced += list.filter(isOlder)
      list.removeAll(where: isOlder)
    }
    let excess = max(0, list.count - Int(keep))
    replaced += list.prefix(excess)
    list.removeFirst(excess)
    count += list.count
    kept[key.device, default: [:]][key] = list
    assert(!list.isEmpty, "a stored list is not empty")
    replaced.sort { $0.sequence < $1.sequence }
    dropped += replaced.map { drop($0, .replaced) }
  }

  private func drop(
    _ notification: StoredNotification, _ reason: DroppedNotification.Reason
  ) -> DroppedNotification {
    DroppedNotification(
      key: notification.key, sequence: notification.sequence, id: notification.id,
      uniqueID: notification.uniqueID, reason: reason, operation: current)
  }

  private enum Verdict { case keep, forget, drop(DroppedNotification.Reason) }

  private mutating func filter(_ key: NotificationKey, _ verdict: (StoredNotification) -> Verdict) {
    var ignored: [DroppedNotification] = []
    filter(key, &ignored, verdict)
  }

  private mutating func filter(
    _ key: NotificationKey, _ dropped: inout [DroppedNotification],
    _ verdict: (StoredNotification) -> Verdict
  ) {
    guard let list = kept[key.device]?[key] else { return }
    let left = list.filter { notification in
      switch verdict(notification) {
      case .keep: return true
      case .forget: return false
      case .drop(let reason):
        dropped.append(drop(notification, reason))
        return false
      }
    }
    count -= list.count - left.count
    assert(count >= 0, "the number of notifications is not negative")
    kept[key.device]?[key] = left.isEmpty ? nil : left
    if kept[key.device]?.isEmpty == true { kept[key.device] = nil }
  }
}
