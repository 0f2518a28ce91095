import BelfryWire
import PushWire
import Storage
import System

/// The state of a Web Push message, as its sender can read it at the message's address (docs/web-push.md).
///
/// The status contains no content, no topic, and no device.
struct WebPushMessageStatus: Equatable, Sendable {
  /// The state of a message, whose raw value is its name in the answer.
  enum State: String, CaseIterable, Sendable {
    /// The message is stored until its device acknowledges it.
    case stored
    /// The message was sent to its device, and is not stored.
    case sent
    /// The device acknowledged the message.
    case delivered
    case expired
    case replaced
    case withdrawn
    /// The message was dropped, because its subscription ended.
    case discarded
    /// The message is no longer stored, and this node does not know why.
    case ended
  }

  let state: State
  /// The time at which the gateway accepted the message, in milliseconds since 1970; nil if it is no longer known.
  let acceptedMilliseconds: Int64?
  /// The time of the last change, in milliseconds since 1970.
  let changedMilliseconds: Int64

  /// Creates the status of a message from its lines in the delivery log, oldest first; returns nil unless the last line
  /// is about the end of the message.
  init?(ended lines: [DeliveryLog.Entry]) {
    guard let last = lines.last, let state = last.state.end else { return nil }
    self.init(state, lines, changedMilliseconds: last.atMilliseconds)
  }

  /// Creates the status of a message whose end is not in the delivery log; returns nil if nothing is known about it.
  ///
  /// `stored` contains the times of the message if the store has it, and `sent` describes the message if it was sent on
  /// the device's current connection and is not acknowledged.
  init?(
    _ lines: [DeliveryLog.Entry], stored: StoredTimes?, sent: UnacknowledgedRow?,
    atUnixSeconds now: Int64
  ) {
    assert(lines.last?.state.end == nil, "the message has not ended, as far as the log knows")
    if let stored {
      let accepted = stored.acceptedMilliseconds
      // The row of an expired message can remain until the device connects. A message that was sent in time can still
      // be acknowledged.
      if sent == nil, stored.expiration <= now {
        self.init(
          .expired, lines, acceptedMilliseconds: accepted,
          changedMilliseconds: stored.expiration * 1_000)
      } else {
        self.init(
          .stored, lines, acceptedMilliseconds: accepted,
          changedMilliseconds: lines.last?.atMilliseconds ?? accepted)
      }
    } else {
      guard let last = lines.last else { return nil }
      let state: State
      if case .lost(let reason)? = sent {
        state = reason.end
      } else {
        // In a cluster, another node can have delivered the message or recorded its end.
        state = last.state == .sent ? .sent : .ended
      }
      self.init(state, lines, changedMilliseconds: last.atMilliseconds)
    }
  }

  private init(
    _ state: State, _ lines: [DeliveryLog.Entry], acceptedMilliseconds: Int64? = nil,
    changedMilliseconds: Int64
  ) {
    let received = lines.first { $0.state == .received }?.atMilliseconds
    self.state = state
    self.acceptedMilliseconds = acceptedMilliseconds ?? received
    self.changedMilliseconds = changedMilliseconds
  }

  /// The body of the answer, with times as in `belfry log --json`.
  var json: JSONObject {
    var object = JSONObject([("state", .string(state.rawValue))])
    if let acceptedMilliseconds {
      object["accepted"] = .string(Timestamp.rfc3339(unixMilliseconds: acceptedMilliseconds))
    }
    object["changed"] = .string(Timestamp.rfc3339(unixMilliseconds: changedMilliseconds))
    return object
  }
}

extension DeliveryState {
  /// The state of a Web Push message that has ended in this way; nil if the message has not ended.
  fileprivate var end: WebPushMessageStatus.State? {
    switch self {
    case .received, .sent, .storedOffline, .storedPower, .storedNoRoom: nil
    case .delivered, .deliveredFromStorage: .delivered
    case .replaced: .replaced
    case .discardedExpired: .expired
    case .withdrawn: .withdrawn
    case .discardedUnregistered, .discardedUnregisteredFromStorage, .discardedDisabled,
      .discardedDisabledFromStorage:
      .discarded
    }
  }
}

extension DroppedNotification.Reason {
  /// The state of a Web Push message whose row was dropped for this reason.
  fileprivate var end: WebPushMessageStatus.State {
    switch self {
    case .replaced: .replaced
    case .expired: .expired
    case .unregistered: .discarded
    case .claimLost: .ended
    case .withdrawn: .withdrawn
    }
  }
}
