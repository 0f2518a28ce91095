internal import BelfryWire
public import PushWire
public import Storage

/// The registrations of one loop's devices, which determine whether a push's token is active (apns-protocol 1.12, 13).
///
/// The table is confined to its loop; changes by the control plane arrive through the loop's mailbox.
public struct RegistrationTable: Sendable {
  /// The registration of a key.
  public struct Entry: Equatable, Sendable {
    /// The generation of the current token.
    public var generation: UInt16
    /// The state: registered, disabled, or unregistered.
    public var state: State
    /// The time, in milliseconds since 1970, at which the key's last token became inactive, or at which the key was
    /// registered if no token has become inactive.
    ///
    /// An `Unregistered` response contains this time as its timestamp.
    public var changedMilliseconds: Int64

    /// Creates an entry from its parts.
    public init(generation: UInt16, state: State, changedMilliseconds: Int64) {
      self.generation = generation
      self.state = state
      self.changedMilliseconds = changedMilliseconds
    }

    /// Creates an entry from a record of the control store.
    public init(_ record: RegistrationRecord) {
      self.init(
        generation: record.generation, state: record.state,
        changedMilliseconds: record.changedMilliseconds)
    }

    /// Returns the entry as a record of the control store.
    public func record(of key: NotificationKey) -> RegistrationRecord {
      RegistrationRecord(
        key: key, generation: generation, state: state, changedMilliseconds: changedMilliseconds)
    }
  }

  /// The state of a registration.
  public typealias State = RegistrationRecord.State

  /// A device's request about a topic.
  public struct Request: Equatable, Sendable {
    /// The session to answer.
    public let session: SessionID
    /// The request's number on that session.
    public let number: UInt16
    /// The operation that the device requests.
    public let verb: LinkFrame.TopicVerb
    /// The topic, with its device.
    public let key: NotificationKey
    /// The hash of the VAPID key of a Web Push subscription; empty for other topics, and for unrestricted subscriptions.
    public let keyHash: [UInt8]

    /// Creates a request from its parts.
    public init(
      session: SessionID, number: UInt16, verb: LinkFrame.TopicVerb, key: NotificationKey,
      keyHash: [UInt8] = []
    ) {
      self.keyHash = keyHash
      self.session = session
      self.number = number
      self.verb = verb
      self.key = key
    }
  }

  /// The answer to a request.
  public enum Reply: Equatable, Sendable {
    /// The token of this entry.
    case token(Entry)
    case done
    /// The device never registered this topic.
    case notRegistered
    /// The store failed; the device should retry later.
    case tryLater
    /// The device has reached its maximum number of stored topics.
    case tooMany
  }

  /// An action for the loop; actions must be performed in order.
  public enum Action: Equatable, Sendable {
    /// Make this durable, then call ``finish(_:isDurable:atMilliseconds:)`` with its key.
    case persist(RegistrationRecord)
    /// The topic no longer accepts notifications; discard its queued ones.
    case discardWaiting(NotificationKey, State)
    case reply(Request, Reply)
  }

  private enum Decision {
    case unchanged(Entry)
    case changed(Entry)
    case notRegistered
    case tooMany
  }

  /// The decision about a push to a token.
  public enum Verdict: Equatable, Sendable {
    case active
    /// The user turned off the app's notifications; the push is accepted and then discarded.
    case disabled
    /// The token has been inactive since the given time, in milliseconds since 1970.
    case unregistered(sinceMilliseconds: Int64)
    /// The gateway's key sealed the token, but there is no registration for it, because the data folder was restored
    /// from a backup.
    case unknown
  }

  /// The entries that are on disk; only these entries determine verdicts.
  private var entries: [NotificationKey: Entry] = [:]
  private var pending = PendingChanges<NotificationKey, Entry, Request>()
  private var revokedDevices: [UInt64: Int64] = [:]
  /// The number of each device's topics, including inactive topics and topics that are being written.
  ///
  /// Inactive topics count because the store retains their rows for the timestamps.
  private var topicCounts: [UInt64: UInt32] = [:]
  /// The keys of each device's entries, in a cluster, where a device can be forgotten.
  private var keys: [UInt64: [NotificationKey]] = [:]
  /// The numbers of each device's Web Push subscriptions, which a browser does not register again when it connects;
  /// empty in a cluster.
  private var webPushNumbers: [UInt64: Set<UInt32>] = [:]
  /// True in a cluster.
  var tracksKeys = false
  private let topicsMax: Int
  /// The rows of the store that couldn't be read.
  private let damage: StoreDamage

  /// Creates an empty table; a registration that isn't in the table might be in one of the rows in `damage`.
  public init(damage: StoreDamage = .none) {
    self.init(topicsMax: Limits.topicsPerDeviceMax, damage: damage)
  }

  /// Creates an empty table in which a device can have at most `topicsMax` topics.
  init(topicsMax: Int, damage: StoreDamage = .none) {
    self.topicsMax = topicsMax
    self.damage = damage
  }

  /// Reserves capacity for `count` registrations.
  public mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  /// Restores the entry of a key at startup.
  public mutating func set(_ key: NotificationKey, to entry: Entry) {
    if entries.updateValue(entry, forKey: key) == nil { topicCounts[key.device, default: 0] += 1 }
    noteWebPush(key)
  }

  private mutating func noteWebPush(_ key: NotificationKey) {
    guard key.kind == TokenKind.webPush.rawValue, !tracksKeys else { return }
    webPushNumbers[key.device, default: []].insert(key.app)
  }

  /// Returns the active Web Push subscriptions of a device.
  func webPushSubscriptions(of device: UInt64) -> Set<NotificationKey> {
    guard !tracksKeys else {
      return Set(
        (keys[device] ?? []).filter { key in
          key.kind == TokenKind.webPush.rawValue && entries[key]?.state == .active
        })
    }
    let keys = (webPushNumbers[device] ?? []).map { number in
      NotificationKey(device: device, app: number, kind: TokenKind.webPush.rawValue)
    }
    return Set(keys.filter { key in entries[key]?.state == .active })
  }

  /// Returns true if the device can register a topic that it hasn't had before.
  public func hasRoom(_ device: UInt64) -> Bool { topicCounts[device, default: 0] < topicsMax }

  /// Returns a key's entry as it is on disk.
  public func entry(_ key: NotificationKey) -> Entry? { entries[key] }

  /// Returns true if a change of a key's entry is being written; further requests for the key wait for it.
  func isWriting(_ key: NotificationKey) -> Bool { pending.contains(key) }

  // MARK: Clusters

  /// Replaces the entries of a device of a cluster, whose state was read from the store again.
  mutating func replace(device: UInt64, with records: [RegistrationRecord]) {
    assert(records.allSatisfy { $0.key.device == device }, "the registrations are the device's")
    forget(device: device)
    for record in records {
      if entries.updateValue(Entry(record), forKey: record.key) == nil,
        !pending.contains(record.key)
      {
        topicCounts[device, default: 0] += 1
      }
      keys[device, default: []].append(record.key)
    }
  }

  /// Forgets the entries of a device of a cluster, which stay in the store.
  mutating func forget(device: UInt64) {
    for key in keys.removeValue(forKey: device) ?? [] { entries[key] = nil }
    let waiting = pending.count(where: { $0.device == device })
    topicCounts[device] = waiting > 0 ? UInt32(waiting) : nil
  }

  // MARK: Requests

  /// Handles a device's request.
  ///
  /// If the request changes something, it is answered once the change is on disk. Registering a second time returns the
  /// same token. Registering after unregistering begins a new generation and therefore returns a new token.
  public mutating func handle(_ request: Request, atMilliseconds now: Int64) -> [Action] {
    guard pending.waitingCount(for: request.key) < Limits.requestsWaitingMax else {
      return [.reply(request, .tryLater)]
    }
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

  /// Handles the completion of an ``Action/persist(_:)``: the change is on disk, or the store failed.
  ///
  /// Requests for the same change receive the same answer. Other requests that waited for the change are evaluated now,
  /// unless the store failed: a database might have the change, so the device must repeat these requests, too.
  public mutating func finish(
    _ key: NotificationKey, isDurable: Bool, atMilliseconds now: Int64
  ) -> [Action] {
    let finished = pending.finish(key)
    let entry = finished.change
    var actions: [Action] = []
    if isDurable {
      // In a cluster, the device's state might have been read after this change was written, or after an earlier change
      // whose result was unknown.
      assert(
        tracksKeys || isSuccessor(entry, of: entries[key]),
        "\(entry) may follow \(String(describing: entries[key]))"
      )
      if tracksKeys, entries[key] == nil { keys[key.device, default: []].append(key) }
      entries[key] = entry
      noteWebPush(key)
      if entry.state != .active { actions.append(.discardWaiting(key, entry.state)) }
    } else if entries[key] == nil {
      let count = topicCounts[key.device, default: 0]
      topicCounts[key.device] = count > 1 ? count - 1 : nil
    }
    guard isDurable else { return actions + finished.requests.map { .reply($0, .tryLater) } }
    let sharing = finished.requests.prefix { $0.verb == finished.requests[0].verb }
    for request in sharing { actions.append(.reply(request, reply(to: request, entry))) }
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

  /// Returns the first generation of a key that has no entry.
  ///
  /// If the key's row might be damaged, the generation starts at half the range, which few devices ever reach; the
  /// key's previous tokens must not become valid again.
  private func firstGeneration(of key: NotificationKey) -> UInt16 {
    damage.mayHave(.registration(key)) ? Self.generationAfterDamage : 0
  }

  private static let generationAfterDamage: UInt16 = 1 << 15

  /// Returns true if `next` is a valid successor of `old`; only a registration begins a new generation.
  private func isSuccessor(_ next: Entry, of old: Entry?) -> Bool {
    guard let old else {
      return next.state == .active
        && (next.generation == 0 || next.generation == Self.generationAfterDamage)
    }
    if next.generation == old.generation { return next.state != old.state }
    return next.generation == old.generation &+ 1 && next.state == .active
      && old.state == .unregistered
  }

  /// Asserts the invariants that hold between calls.
  public func checkInvariants() { pending.checkInvariants() }

  /// Records that a device was revoked at the given time, in milliseconds since 1970.
  public mutating func revoke(_ device: UInt64, atMilliseconds: Int64) {
    revokedDevices[device] = atMilliseconds
  }

  /// Returns true if a device was revoked.
  public func isRevoked(_ device: UInt64) -> Bool { revokedDevices[device] != nil }

  /// Returns the decision about a push to this token.
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
