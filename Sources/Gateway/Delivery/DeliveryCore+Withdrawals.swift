import PushWire
import Storage

/// The state of the row of a notification that was sent and is not acknowledged.
enum UnacknowledgedRow: Hashable, Sendable {
  /// The row is stored or about to be stored, or the notification never has a row.
  case unchanged
  /// The store dropped the row.
  case lost(DroppedNotification.Reason)
}

/// The withdrawal of notifications by their senders.
extension DeliveryCore {
  /// Withdraws the notification that has the request's key and unique ID, if it is stored or waits for its device.
  ///
  /// The request is answered once the store no longer has the notification, even if it never had it. A notification that
  /// was already sent to its device can still be delivered, but is not sent again.
  public mutating func withdraw(_ request: Submission, now: Moment) {
    let (key, uniqueID) = (request.key, request.uniqueID)
    if let device = devices[key.device] {
      let unsent = device.queue.discard {
        $0.position != .inFlight && !$0.isTransient && $0.key == key && $0.uniqueID == uniqueID
      }
      for entry in unsent { expire(entry, as: .withdrawn, now: now) }
      if device.queue.heldCount == 0 { holding.remove(key.device) }
      sendWaiting(on: device, now: now)
      forgetIfIdle(device)
    }
    // The commit reports a row that only the store has, or that is in flight, as dropped.
    stage.stageRemoval(.withdraw(key, uniqueID: uniqueID), now: now)
    stage.makeRemovalsDue(now: now)
    withdrawals.waiting.append(DeliveryEntry(request, sequence: 0))
  }

  /// Returns the state of the row of a notification that was sent to its connected device and is not acknowledged; nil
  /// if there is no such notification.
  func unacknowledged(_ key: NotificationKey, uniqueID: NotificationID) -> UnacknowledgedRow? {
    guard let entry = devices[key.device]?.queue.sentEntry(key, uniqueID: uniqueID) else {
      return nil
    }
    if case .rowLost(let reason) = entry.state { return .lost(reason) }
    return .unchanged
  }

  /// Records the start of a commit that performs all waiting withdrawals.
  mutating func beginWithdrawals() {
    assert(withdrawals.committing.isEmpty, "no other withdrawals are being committed")
    swap(&withdrawals.waiting, &withdrawals.committing)
  }

  /// Answers the withdrawals of the finished commit; `refused` contains the operations that had no effect, because
  /// another node has claimed the device.
  mutating func endWithdrawals(isDurable: Bool, refusing refused: [DroppedNotification]) {
    guard !withdrawals.committing.isEmpty else { return }
    let elsewhere = Set(refused.lazy.filter { $0.sequence == 0 }.map(\.uniqueID))
    for request in withdrawals.committing {
      if elsewhere.contains(request.uniqueID) {
        effects.append(.submitAgain(request))
      } else {
        effects.append(isDurable ? .answer(request) : .fail(request))
      }
    }
    withdrawals.committing.removeAll(keepingCapacity: true)
  }

  /// Asserts the invariants that hold between events.
  func checkWithdrawals() {
    assert(
      withdrawals.waiting.isEmpty || stage.hasRemovals,
      "a commit is scheduled while withdrawals wait")
    assert(
      withdrawals.committing.isEmpty || stage.isCommitting,
      "a commit is running while its withdrawals wait")
  }
}
