public import BelfryWire
public import Storage

/// A notification on its way to one device: what was accepted, and how far it has come.
///
/// Confined to the device's home loop. `DeviceQueue` alone changes its place, `DeliveryCore` and
/// `CommitStage` its state.
public final class DeliveryEntry {
  /// What has become of a notification and of its row in the store.
  ///
  /// ```
  /// transient ─ staged ─┬─ committing ─┬─ stored ─┬─ rowLost
  ///             │       └─ withdrawn   │          └─ ended
  ///             └─ superseded ─────────┴─ endedCommitting ─ ended
  /// ```
  enum State: Equatable {
    /// Has no row and will have none: it is tried once, or its commit failed.
    case transient(isAnswered: Bool)
    /// Stored once by its channel for all devices.
    case keptByChannel
    /// Waits for a commit, which starts no later than this monotonic time.
    case staged(deadlineNanoseconds: Int64)
    /// A newer one replaced it while it was staged. It is committed all the same: the store replaces
    /// it, and the answer waits for that.
    case superseded(deadlineNanoseconds: Int64)
    /// Ended before its commit started, so it has no row.
    case withdrawn
    /// Part of the commit that runs.
    case committing
    /// Ended while its commit is running.
    case endedCommitting(Ending)
    /// On disk, and still to be delivered.
    case stored
    /// On its way to the device, though the store dropped its row.
    case rowLost(DroppedNotification.Reason)
    /// Delivered, replaced, expired, discarded or left to the store.
    case ended
  }

  /// How a notification ended while its commit was running.
  enum Ending: Equatable {
    /// The device has it; the provider is answered after the commit.
    case acknowledged
    /// Something else made it unnecessary; the provider is answered after the commit.
    case dropped
    /// As `dropped`, but the provider has been answered already.
    case droppedAnswered
  }

  /// The list of its device's queue that it is in.
  enum Place: UInt8 {
    /// In none: new, ended, or in the stage of commits alone.
    case none
    /// Sent and not yet acknowledged.
    case inFlight
    /// To be sent when the window or the load allows.
    case waiting
    /// Kept back for the device's power or the app's background rate.
    case held
    /// Accepted while the device was away or loading, and not known to be on disk.
    case uncommitted
  }

  /// Whether the app may have one more background push on the device.
  enum Throttle: Equatable {
    case unchecked
    /// Not before this monotonic time.
    case until(nanoseconds: Int64)
    /// It has been counted against the rate.
    case passed
  }

  /// What was accepted.
  public let notification: AcceptedNotification
  /// The order of acceptance on this device's loop.
  public let sequence: UInt64
  /// The broadcast of which this is one device's copy.
  public let broadcast: Broadcast?
  /// The number by which a broadcast's frame names its channel.
  public let channelHandle: UInt32
  /// Whether the delivery log records it; of a broadcast's thousands of copies it records some.
  let isLogged: Bool
  /// Whether it was read from the store.
  public private(set) var isFromStore: Bool
  private(set) var state: State
  private(set) var place = Place.none
  /// Whether its device may have received it already; decided when it is queued.
  var isRepetition = false
  /// Whether the app's `keep` ignores it: its device was connected when it arrived and its power state
  /// allows sending.
  ///
  /// `keep` limits what waits for a device that is away, so this one neither replaces another in memory nor
  /// is replaced.
  var isExemptFromKeep = false
  var throttle = Throttle.unchecked
  /// Whether ``UnansweredPushes`` has counted it by its token.
  var isCountedByToken = false
  /// Monotonic time since which it is held, or waits to be tried once.
  var heldSinceNanoseconds: Int64 = 0
  /// Its number among its device's deliveries; set when it is sent.
  var delivery: UInt64 = 0
  /// Rows of the entries that it replaced, and of those that they had replaced before their own commits
  /// ended; they are removed together with its own.
  var replacedRows: [UInt64] = []
  /// The newer one that took its place before its own commit ended.
  private var replacement: DeliveryEntry?

  private init(
    _ notification: AcceptedNotification, sequence: UInt64, state: State, isFromStore: Bool,
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
  convenience init(_ notification: AcceptedNotification, sequence: UInt64) {
    self.init(
      notification, sequence: sequence, state: .transient(isAnswered: false), isFromStore: false)
  }

  /// Creates the entry of a notification that was read from the store.
  convenience init(_ stored: StoredNotification) {
    self.init(
      AcceptedNotification(stored), sequence: stored.sequence, state: .stored, isFromStore: true)
  }

  /// Creates one device's copy of a broadcast, whose provider has been answered.
  convenience init(
    _ broadcast: Broadcast, to device: UInt64, handle: UInt32, isLogged: Bool, isFromStore: Bool,
    sequence: UInt64
  ) {
    self.init(
      AcceptedNotification(broadcast, to: device), sequence: sequence,
      state: broadcast.isKept ? .keptByChannel : .transient(isAnswered: true),
      isFromStore: isFromStore, broadcast: broadcast, channelHandle: handle, isLogged: isLogged)
  }

  /// The device, app and kind of token.
  public var key: NotificationKey { notification.key }
  /// `apns-id`.
  public var id: NotificationID { notification.id }
  /// `apns-unique-id`.
  public var uniqueID: NotificationID { notification.uniqueID }
  /// Seconds since 1970 until which it is stored; 0 when it is tried once.
  public var expiration: Int64 { notification.expiration }
  /// 10, 5 or 1.
  public var priority: UInt8 { notification.priority }
  /// The push type.
  public var pushType: PushType { notification.pushType }
  /// `apns-collapse-id`, empty for none.
  public var collapseID: [UInt8] { notification.collapseID }
  /// The payload, byte for byte.
  public var payload: [UInt8] { notification.payload }
  /// When it was accepted, in milliseconds since 1970.
  public var acceptedMilliseconds: Int64 { notification.acceptedMilliseconds }

  /// Takes over the row that an older entry will have, and those that it replaced in turn.
  func replaceRow(of older: DeliveryEntry) {
    assert(older.sequence < sequence, "#\(sequence) replaces the newer #\(older.sequence)")
    if replacedRows.isEmpty {
      // Moved: a burst of entries that replace each other costs each the same.
      swap(&replacedRows, &older.replacedRows)
    } else {
      replacedRows += older.replacedRows
    }
    replacedRows.append(older.sequence)
    older.replacement = self
  }

  /// Whether its row stays until the newer one's takes its place; forgets the newer one.
  ///
  /// Where that one is refused and its device throws it away, this one was accepted and is still there.
  func leaveRowToReplacement() -> Bool {
    defer { replacement = nil }
    switch replacement?.state {
    case .transient, .staged, .superseded, .committing, .endedCommitting, .stored, .rowLost:
      return true
    case nil, .keptByChannel, .withdrawn, .ended: return false
    }
  }

  /// What the store keeps of it.
  var row: StoredNotification {
    StoredNotification(
      key: key, sequence: sequence, id: id, uniqueID: uniqueID, expiration: expiration,
      priority: priority, pushType: pushType.rawValue, collapseID: collapseID, payload: payload,
      acceptedMilliseconds: acceptedMilliseconds)
  }
}

// MARK: State

extension DeliveryEntry {
  /// Whether its provider was answered.
  var isAnswered: Bool {
    switch state {
    case .transient(let isAnswered): isAnswered
    case .staged, .superseded, .committing: false
    case .endedCommitting(let ending): ending == .droppedAnswered
    case .keptByChannel, .withdrawn, .stored, .rowLost, .ended: true
    }
  }

  /// Whether its delivery is over.
  var isEnded: Bool {
    switch state {
    case .superseded, .withdrawn, .endedCommitting, .ended: true
    case .transient, .keptByChannel, .staged, .committing, .stored, .rowLost: false
    }
  }

  /// Whether it has no row and will have none.
  var isTransient: Bool {
    if case .transient = state { true } else { false }
  }

  /// Whether it counts towards the undelivered notifications that the app keeps per token.
  var countsAgainstKeep: Bool {
    switch state {
    case .staged, .committing, .stored, .rowLost: !isExemptFromKeep
    case .transient, .keptByChannel, .superseded, .withdrawn, .endedCommitting, .ended: false
    }
  }

  /// When its commit is due; `nil` when it is not staged.
  var commitDeadline: Int64? {
    switch state {
    case .staged(let deadline), .superseded(let deadline): deadline
    default: nil
    }
  }

  /// Its rank in the queue: repetitions come first, then the order of acceptance.
  var order: UInt64 { isRepetition ? sequence : sequence | 1 << 63 }

  /// Changes the state to `next`, which the present state has to allow.
  func advance(to next: State) {
    assert(state.mayBecome(next), "#\(sequence) goes from \(state) to \(next)")
    state = next
  }

  /// Notes that it is sent after a wait, so that the log calls it delivered from storage.
  func markAsWaited() {
    switch state {
    case .stored, .rowLost, .keptByChannel: isFromStore = true
    default: break
    }
  }

  /// Changes its place; only for ``DeviceQueue``.
  func move(from old: Place, to new: Place) {
    assert(place == old, "#\(sequence) is \(place), not \(old)")
    assert(old != new, "#\(sequence) moves to where it is")
    place = new
  }
}

extension DeliveryEntry.State {
  /// Whether the state may change to `next`.
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
