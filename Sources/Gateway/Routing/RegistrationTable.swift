public import BelfryWire
public import Storage

/// Which tokens of one loop's devices are alive: the last word on a request (apns-protocol 1.12, 13).
///
/// Confined to its loop; the control plane's changes reach it through the loop's mailbox.
public struct RegistrationTable: Sendable {
  /// What is known of a key.
  public struct Entry: Equatable, Sendable {
    /// The generation of the current token.
    public var generation: UInt16
    /// Whether the app is registered, silenced or gone.
    public var state: State
    /// When the key's last token died, or, before any death, when it was registered.
    ///
    /// In milliseconds since 1970: what `Unregistered` tells.
    public var changedMilliseconds: Int64

    /// An entry.
    public init(generation: UInt16, state: State, changedMilliseconds: Int64) {
      self.generation = generation
      self.state = state
      self.changedMilliseconds = changedMilliseconds
    }

    /// An entry as the control store has it.
    public init(_ record: RegistrationRecord) {
      self.init(
        generation: record.generation, state: record.state,
        changedMilliseconds: record.changedMilliseconds)
    }

    /// What the control store keeps of it.
    public func record(of key: NotificationKey) -> RegistrationRecord {
      RegistrationRecord(
        key: key, generation: generation, state: state, changedMilliseconds: changedMilliseconds)
    }
  }

  /// The life of a registration.
  public typealias State = RegistrationRecord.State

  /// What a device's wish makes of a registration.
  public enum Decision: Equatable, Sendable {
    /// It is so already.
    case unchanged(Entry)
    /// It is so from now on; to be made durable before the device hears of it.
    case changed(Entry)
    /// The device never registered this.
    case notRegistered
  }

  /// What a push to a token meets.
  public enum Verdict: Equatable, Sendable {
    case active
    /// A person turned the app's notifications off: accepted and discarded.
    case disabled
    /// Dead since then, in milliseconds since 1970.
    case unregistered(sinceMilliseconds: Int64)
    /// Sealed by our key and yet never registered here: the data folder was restored from a backup.
    case unknown
  }

  private var entries: [NotificationKey: Entry] = [:]
  private var revokedDevices: [UInt64: Int64] = [:]

  /// An empty table.
  public init() {}

  /// Makes room for that many registrations.
  public mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  /// Notes the present state of a key.
  public mutating func set(_ key: NotificationKey, to entry: Entry) { entries[key] = entry }

  /// The present state of a key.
  public func entry(_ key: NotificationKey) -> Entry? { entries[key] }

  /// Decides on a device's wish and notes the outcome.
  ///
  /// Registering again gives the same token; registering after unregistering begins a new generation
  /// and so a new token.
  public mutating func decide(
    _ verb: LinkFrame.TopicVerb, _ key: NotificationKey, atMilliseconds now: Int64
  ) -> Decision {
    guard var entry = entries[key] else {
      guard verb == .register else { return .notRegistered }
      return change(key, Entry(generation: 0, state: .active, changedMilliseconds: now))
    }
    switch (verb, entry.state) {
    case (.register, .active), (.register, .disabled), (.disable, .disabled), (.enable, .active),
      (.unregister, .unregistered):
      return .unchanged(entry)
    case (.disable, .unregistered), (.enable, .unregistered):
      return .notRegistered
    case (.register, .unregistered):
      entry.generation &+= 1
      entry.state = .active
    case (.unregister, _):
      entry.state = .unregistered
      entry.changedMilliseconds = now
    case (.disable, _):
      entry.state = .disabled
    case (.enable, _):
      entry.state = .active
    }
    return change(key, entry)
  }

  private mutating func change(_ key: NotificationKey, _ entry: Entry) -> Decision {
    entries[key] = entry
    return .changed(entry)
  }

  /// Notes that a device was revoked, at that time in milliseconds since 1970.
  public mutating func revoke(_ device: UInt64, atMilliseconds: Int64) {
    revokedDevices[device] = atMilliseconds
  }

  /// Whether a device was revoked.
  public func isRevoked(_ device: UInt64) -> Bool { revokedDevices[device] != nil }

  /// What a push to this token meets.
  public func verdict(_ key: NotificationKey, generation: UInt16) -> Verdict {
    if !revokedDevices.isEmpty, let since = revokedDevices[key.device] {
      return .unregistered(sinceMilliseconds: since)
    }
    guard let entry = entries[key] else { return .unknown }
    guard entry.generation == generation else {
      return .unregistered(sinceMilliseconds: entry.changedMilliseconds)
    }
    switch entry.state {
    case .active: return .active
    case .disabled: return .disabled
    case .unregistered: return .unregistered(sinceMilliseconds: entry.changedMilliseconds)
    }
  }
}
