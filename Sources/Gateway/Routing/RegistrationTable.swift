public import BelfryWire
public import Storage

/// The registrations of one loop's devices: decides last whether a push's token is active (apns-protocol 1.12,
/// 13).
///
/// Confined to its loop; the control plane's changes reach it through the loop's mailbox.
public struct RegistrationTable: Sendable {
  /// What is known of a key.
  public struct Entry: Equatable, Sendable {
    /// The generation of the current token.
    public var generation: UInt16
    /// Whether the app is registered, disabled or unregistered.
    public var state: State
    /// When the key's last token became inactive, or, before that, when it was registered.
    ///
    /// In milliseconds since 1970, for the timestamp of `Unregistered`.
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

    /// The control store's record of it.
    public func record(of key: NotificationKey) -> RegistrationRecord {
      RegistrationRecord(
        key: key, generation: generation, state: state, changedMilliseconds: changedMilliseconds)
    }
  }

  /// The life of a registration.
  public typealias State = RegistrationRecord.State

  /// What a device asks for a topic.
  public struct Request: Equatable, Sendable {
    /// Where the answer goes.
    public let session: SessionID
    /// The request's number on that session.
    public let number: UInt16
    /// What is asked.
    public let verb: LinkFrame.TopicVerb
    /// For which of the device's topics.
    public let key: NotificationKey

    /// A request from its parts.
    public init(
      session: SessionID, number: UInt16, verb: LinkFrame.TopicVerb, key: NotificationKey
    ) {
      self.session = session
      self.number = number
      self.verb = verb
      self.key = key
    }
  }

  /// How a request is answered.
  public enum Reply: Equatable, Sendable {
    /// The token of this entry.
    case token(Entry)
    case done
    /// The device never registered this.
    case notRegistered
    /// The store failed.
    case tryLater
    /// The device has as many topics on disk as one may have.
    case tooMany
  }

  /// What the loop has to do, in this order.
  public enum Action: Equatable, Sendable {
    /// Make this durable, then call ``finish(_:isDurable:atMilliseconds:)`` with its key.
    case persist(RegistrationRecord)
    /// The topic accepts nothing any more: discard what waits for it.
    case discardWaiting(NotificationKey, State)
    case reply(Request, Reply)
  }

  private enum Decision {
    case unchanged(Entry)
    case changed(Entry)
    case notRegistered
    case tooMany
  }

  /// What happens to a push to a token.
  public enum Verdict: Equatable, Sendable {
    case active
    /// A person turned the app's notifications off: accepted and discarded.
    case disabled
    /// Inactive since then, in milliseconds since 1970.
    case unregistered(sinceMilliseconds: Int64)
    /// Sealed with our key but never registered here: the data folder was restored from a backup.
    case unknown
  }

  /// The entries that are on disk; only these decide about pushes.
  private var entries: [NotificationKey: Entry] = [:]
  private var pending = PendingChanges<NotificationKey, Entry, Request>()
  private var revokedDevices: [UInt64: Int64] = [:]
  /// How many topics each device has, on disk or on their way to it, in any state: a row stays for its timestamp.
  private var topicCounts: [UInt64: UInt32] = [:]
  private let topicsMax: Int
  /// Rows of the store that could not be read.
  private let damage: StoreDamage

  /// An empty table; a registration that it lacks may be a row of `damage`.
  public init(damage: StoreDamage = .none) {
    self.init(topicsMax: Limits.topicsPerDeviceMax, damage: damage)
  }

  /// An empty table in which a device may have that many topics.
  init(topicsMax: Int, damage: StoreDamage = .none) {
    self.topicsMax = topicsMax
    self.damage = damage
  }

  /// Makes room for that many registrations.
  public mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  /// Restores the entry of a key at the start.
  public mutating func set(_ key: NotificationKey, to entry: Entry) {
    if entries.updateValue(entry, forKey: key) == nil { topicCounts[key.device, default: 0] += 1 }
  }

  /// Whether the device may register a topic that it has not had before.
  public func hasRoom(_ device: UInt64) -> Bool { topicCounts[device, default: 0] < topicsMax }

  /// The state of a key, as it is on disk.
  public func entry(_ key: NotificationKey) -> Entry? { entries[key] }

  // MARK: Requests

  /// Handles a device's request; one that changes something is answered once the change is on disk.
  ///
  /// Registering again gives the same token; registering after unregistering begins a new generation
  /// and so a new token.
  public mutating func handle(_ request: Request, atMilliseconds now: Int64) -> [Action] {
    guard !pending.waits(request, for: request.key) else { return [] }
    switch decide(request.verb, request.key, atMilliseconds: now) {
    case .unchanged(let entry): return [.reply(request, reply(to: request, entry))]
    case .notRegistered: return [.reply(request, .notRegistered)]
    case .tooMany: return [.reply(request, .tooMany)]
    case .changed(let entry):
      if entries[request.key] == nil { topicCounts[request.key.device, default: 0] += 1 }
      pending.begin(entry, of: request.key, for: request)
      return [.persist(entry.record(of: request.key))]
    }
  }

  /// What ``Action/persist(_:)`` asked for is on disk, or the store failed and nothing has changed.
  ///
  /// Requests for the same change get the same answer; different requests made after it are decided anew.
  public mutating func finish(
    _ key: NotificationKey, isDurable: Bool, atMilliseconds now: Int64
  ) -> [Action] {
    let finished = pending.finish(key)
    let entry = finished.change
    var actions: [Action] = []
    if isDurable {
      assert(
        isSuccessor(entry, of: entries[key]), "\(entry) follows \(String(describing: entries[key]))"
      )
      entries[key] = entry
      if entry.state != .active { actions.append(.discardWaiting(key, entry.state)) }
    } else if entries[key] == nil {
      let left = topicCounts[key.device, default: 0] - 1
      topicCounts[key.device] = left > 0 ? left : nil
    }
    let sharing = finished.requests.prefix { $0.verb == finished.requests[0].verb }
    for request in sharing {
      actions.append(.reply(request, isDurable ? reply(to: request, entry) : .tryLater))
    }
    for request in finished.requests.dropFirst(sharing.count) {
      actions += handle(request, atMilliseconds: now)
    }
    return actions
  }

  private func reply(to request: Request, _ entry: Entry) -> Reply {
    request.verb == .register ? .token(entry) : .done
  }

  private func decide(
    _ verb: LinkFrame.TopicVerb, _ key: NotificationKey, atMilliseconds now: Int64
  ) -> Decision {
    guard var entry = entries[key] else {
      guard verb == .register else { return .notRegistered }
      guard hasRoom(key.device) else { return .tooMany }
      return .changed(
        Entry(generation: firstGeneration(of: key), state: .active, changedMilliseconds: now))
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
    case (.unregister, .active), (.unregister, .disabled):
      entry.state = .unregistered
      entry.changedMilliseconds = now
    case (.disable, .active):
      entry.state = .disabled
    case (.enable, .disabled):
      entry.state = .active
    }
    return .changed(entry)
  }

  /// The generation of a key that has no entry.
  ///
  /// Where its row may be damaged, former tokens of the key must not become good again: few devices have come to half
  /// of all generations.
  private func firstGeneration(of key: NotificationKey) -> UInt16 {
    damage.mayHave(.registration(key)) ? Self.generationAfterDamage : 0
  }

  private static let generationAfterDamage: UInt16 = 1 << 15

  /// Whether `next` may come after `old`: a new generation begins with a registration alone.
  private func isSuccessor(_ next: Entry, of old: Entry?) -> Bool {
    guard let old else {
      return next.state == .active
        && (next.generation == 0 || next.generation == Self.generationAfterDamage)
    }
    if next.generation == old.generation { return next.state != old.state }
    return next.generation == old.generation &+ 1 && next.state == .active
      && old.state == .unregistered
  }

  /// Asserts what holds between calls.
  public func checkInvariants() { pending.checkInvariants() }

  /// Notes that a device was revoked, at that time in milliseconds since 1970.
  public mutating func revoke(_ device: UInt64, atMilliseconds: Int64) {
    revokedDevices[device] = atMilliseconds
  }

  /// Whether a device was revoked.
  public func isRevoked(_ device: UInt64) -> Bool { revokedDevices[device] != nil }

  /// Returns what happens to a push to this token.
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
