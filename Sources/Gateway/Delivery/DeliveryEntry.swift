public import PushWire
public import Storage

/// A notification on its way to one device, and its progress.
///
/// The entry is confined to the device's home loop. Only `DeviceQueue` changes its position; only `DeliveryCore` and
/// `CommitStage` change its state.
public final class DeliveryEntry {
  /// The state of a notification and of its row in the store.
  ///
  /// ```
  /// transient ─ staged ─┬─ committing ─┬─ stored ─┬─ rowLost
  ///             │       └─ withdrawn   │          └─ ended
  ///             └─ superseded ─────────┴─ endedCommitting ─ ended
  /// ```
  enum State: Equatable {
    /// Has no row and won't get one: delivery is attempted only once, or its commit failed.
    case transient(isAnswered: Bool)
    /// Stored by its channel, in a single copy for all devices.
    case keptByChannel
    /// Waits for a commit that starts no later than this monotonic time.
    case staged(deadlineNanoseconds: Int64)
    /// Replaced by a newer entry while it was staged.
    ///
    /// The entry is still committed, and its provider is answered afterward. The newer entry's row then replaces the
    /// entry's row in the store.
    case superseded(deadlineNanoseconds: Int64)
    /// Ended before its commit started, so it has no row.
    case withdrawn
    /// Part of the running commit.
    case committing
    /// Ended while its commit is running.
    case endedCommitting(Ending)
    /// On disk, but not yet delivered.
    case stored
    /// On its way to the device, although the store dropped its row.
    case rowLost(DroppedNotification.Reason)
    /// Delivered, replaced, expired, discarded, or left to the store.
    case ended
  }

  /// The way in which a notification ended while its commit was running.
  enum Ending: Equatable {
    /// The device has the notification; the provider is answered after the commit.
    case acknowledged
    /// The entry became unnecessary for another reason; the provider is answered after the commit.
    case dropped
    /// Like `dropped`, but the provider has already been answered.
    case droppedAnswered
  }

  /// The list of the device's queue that the entry is in.
  enum QueuePosition: UInt8 {
    /// In no list: it is new, ended, or only in the commit stage.
    case none
    /// Sent and not yet acknowledged.
    case inFlight
    /// Waiting until the window has room and no load is in progress.
    case waiting
    /// Held because of the device's power state or the app's background rate.
    case held
    /// Accepted while the device was offline or loading, and not known to be on disk.
    case uncommitted
  }

  /// The result of checking the app's rate of background pushes on the device.
  enum Throttle: Equatable {
    case unchecked
    /// Throttled until this monotonic time.
    case until(nanoseconds: Int64)
    /// Counted against the rate.
    case passed
  }

  /// The notification as it was accepted.
  public let notification: Submission
  /// The order of acceptance on this device's loop.
  public let sequence: UInt64
  /// The broadcast, if this entry is one device's copy of a broadcast; otherwise, nil.
  public let broadcast: Broadcast?
  /// The number that identifies the channel in a broadcast's frame.
  public let channelHandle: UInt32
  /// True if the delivery log records this entry; a broadcast can have thousands of copies, and the log records only
  /// some.
  let isLogged: Bool
  /// True if the entry was read from the store or waited before it was sent.
  public private(set) var isFromStore: Bool
  private(set) var state: State
  private(set) var position = QueuePosition.none
  /// True if the device might already have received the entry; the value is set when the entry is queued.
  var isRepetition = false
  /// True if the entry doesn't count against the app's `keep`, because it arrived while the device was connected and
  /// able to receive it.
  ///
  /// `keep` limits only the queue of an offline device. For this reason, it never makes an exempt entry replace another
  /// waiting entry, or a newer entry replace an exempt one.
  var isExemptFromKeep = false
  var throttle = Throttle.unchecked
  /// True if ``UnansweredPushes`` has counted the entry for its token.
  var isCountedByToken = false
  /// The monotonic time since which the entry has been held or, for an attempt-once entry, has waited to be sent.
  var heldSinceNanoseconds: Int64 = 0
  /// The number of this delivery among all deliveries to the device, set when the entry is sent.
  var delivery: UInt64 = 0
  /// The rows that this entry replaced, including the rows that a replaced entry had itself replaced before its commit
  /// finished; all of them are removed together with this entry's row.
  var replacedRows: [UInt64] = []
  /// The newer entry that replaced this one before its commit finished.
  private var replacement: DeliveryEntry?

  private init(
    _ notification: Submission, sequence: UInt64, state: State, isFromStore: Bool,
    broadcast: Broadcast? = nil, channelHandle: UInt32 = 0, isLogged: Bool = true
  ) {
    self.notification = notification
    self.sequence = sequence
    self.state = state
    self.isFromStore = isFromStore
    self.broadcast = broadcast
    self.channelHandle = channelHandle
    self.isLogged = isLogged
  }

  /// Creates the entry of a notification that was just accepted.
  convenience init(_ notification: Submission, sequence: UInt64) {
    self.init(
      notification, sequence: sequence, state: .transient(isAnswered: false), isFromStore: false)
  }

  /// Creates the entry of a notification that was read from the store.
  convenience init(_ stored: StoredNotification) {
    self.init(
      Submission(stored), sequence: stored.sequence, state: .stored, isFromStore: true)
  }

  /// Creates one device's copy of a broadcast, whose provider has already been answered.
  convenience init(
    _ broadcast: Broadcast, to device: UInt64, handle: UInt32, isLogged: Bool, isFromStore: Bool,
    sequence: UInt64
  ) {
    self.init(
      Submission(broadcast, to: device), sequence: sequence,
      state: broadcast.isKept ? .keptByChannel : .transient(isAnswered: true),
      isFromStore: isFromStore, broadcast: broadcast, channelHandle: handle, isLogged: isLogged)
  }

  /// The device, the app, and the kind of token.
  public var key: NotificationKey { notification.key }
  /// The notification's `apns-id`, chosen by its provider or generated by the gateway.
  public var id: NotificationID { notification.id }
  /// The notification's `apns-unique-id`, which the gateway generated.
  public var uniqueID: NotificationID { notification.uniqueID }
  /// The time until which the gateway stores the notification, in seconds since 1970; 0 if it attempts delivery only
  /// once.
  public var expiration: Int64 { notification.expiration }
  /// The priority: 10, 5, or 1.
  public var priority: UInt8 { notification.priority }
  /// The push type of the notification.
  public var pushType: PushType { notification.pushType }
  /// The notification's `apns-collapse-id`; empty if absent.
  public var collapseID: [UInt8] { notification.collapseID }
  /// The payload, byte for byte.
  public var payload: [UInt8] { notification.payload }
  /// The time of acceptance, in milliseconds since 1970.
  public var acceptedMilliseconds: Int64 { notification.acceptedMilliseconds }

  /// Replaces an older entry that isn't stored yet: takes over its future row and the rows that it had replaced.
  func replaceRow(of older: DeliveryEntry) {
    assert(
      older.sequence < sequence, "#\(sequence) is newer than #\(older.sequence), which it replaces")
    if replacedRows.isEmpty {
      // Move the array instead of copying it, so that the cost of a replacement doesn't grow with each entry in a
      // burst.
      swap(&replacedRows, &older.replacedRows)
    } else {
      replacedRows += older.replacedRows
    }
    replacedRows.append(older.sequence)
    older.replacement = self
  }

  /// Returns true if this entry's row must stay in the store until the newer entry's row replaces it.
  ///
  /// This entry was accepted, so its row must still exist if the newer entry is refused and the device discards it. The
  /// method also clears the reference to the newer entry.
  func leaveRowToReplacement() -> Bool {
    defer { replacement = nil }
    switch replacement?.state {
    case .transient, .staged, .superseded, .committing, .endedCommitting, .stored, .rowLost:
      return true
    case nil, .keptByChannel, .withdrawn, .ended: return false
    }
  }

  /// The entry as a row of the store.
  var row: StoredNotification {
    StoredNotification(
      key: key, sequence: sequence, id: id, uniqueID: uniqueID, expiration: expiration,
      priority: priority, pushType: pushType.rawValue, collapseID: collapseID, payload: payload,
      acceptedMilliseconds: acceptedMilliseconds)
  }
}

// MARK: State

extension DeliveryEntry {
  /// True if the entry's provider has been answered.
  var isAnswered: Bool {
    switch state {
    case .transient(let isAnswered): isAnswered
    case .staged, .superseded, .committing: false
    case .endedCommitting(let ending): ending == .droppedAnswered
    case .keptByChannel, .withdrawn, .stored, .rowLost, .ended: true
    }
  }

  /// True if the entry's delivery is over.
  var isEnded: Bool {
    switch state {
    case .superseded, .withdrawn, .endedCommitting, .ended: true
    case .transient, .keptByChannel, .staged, .committing, .stored, .rowLost: false
    }
  }

  /// True if the entry has no row and won't get one.
  var isTransient: Bool {
    if case .transient = state { true } else { false }
  }

  /// True if the entry counts against the app's `keep`, the maximum number of undelivered notifications per token.
  var countsAgainstKeep: Bool {
    switch state {
    case .staged, .committing, .stored, .rowLost: !isExemptFromKeep
    case .transient, .keptByChannel, .superseded, .withdrawn, .endedCommitting, .ended: false
    }
  }

  /// The time at which the entry's commit is due; `nil` if the entry isn't staged.
  var commitDeadline: Int64? {
    switch state {
    case .staged(let deadline), .superseded(let deadline): deadline
    default: nil
    }
  }

  /// The entry's rank in the queue: repetitions come first, and entries of the same kind are in order of acceptance.
  var order: UInt64 { isRepetition ? sequence : sequence | 1 << 63 }

  /// Changes the state to `next`, which the current state must allow.
  func advance(to next: State) {
    assert(state.mayBecome(next), "#\(sequence) may change from \(state) to \(next)")
    state = next
  }

  /// Records that the entry had to wait, so that the log reports the entry as delivered from storage.
  func markAsWaited() {
    switch state {
    case .stored, .rowLost, .keptByChannel: isFromStore = true
    default: break
    }
  }

  /// Moves the entry to another list of its queue; only ``DeviceQueue`` uses this method.
  func move(from old: QueuePosition, to new: QueuePosition) {
    assert(position == old, "#\(sequence) is expected to be \(old), but is \(position)")
    assert(old != new, "#\(sequence) moves to a different position")
    position = new
  }
}

extension DeliveryEntry.State {
  /// Returns true if the state can change to `next`.
  func mayBecome(_ next: Self) -> Bool {
    switch (self, next) {
    case (.transient(false), .transient(true)), (.transient(false), .staged): true
    case (.transient, .ended), (.keptByChannel, .ended): true
    case (.staged(let old), .staged(let new)): new <= old
    case (.superseded(let old), .superseded(let new)): new <= old
    case (.staged, .superseded), (.staged, .withdrawn), (.staged, .committing): true
    case (.superseded, .endedCommitting(.dropped)): true
    case (.committing, .endedCommitting), (.committing, .stored): true
    case (.committing, .transient(isAnswered: true)): true
    case (.endedCommitting, .ended): true
    case (.stored, .rowLost), (.stored, .ended), (.rowLost, .ended): true
    default: false
    }
  }
}
