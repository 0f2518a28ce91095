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
  }

  /// What the shell has to do, in this order.
  public enum Action: Equatable, Sendable {
    /// Make this durable, then call ``finish(_:isDurable:atMilliseconds:)`` with its key.
    case persist(RegistrationRecord)
    /// The topic takes nothing any more: what waits for it is to be discarded.
    case discardWaiting(NotificationKey, State)
    case reply(Request, Reply)
  }

  private enum Decision {
    case unchanged(Entry)
    case changed(Entry)
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

  /// What is on disk: pushes are judged by this alone.
  private var entries: [NotificationKey: Entry] = [:]
  private var pending = PendingChanges<NotificationKey, Entry, Request>()
  private var revokedDevices: [UInt64: Int64] = [:]

  /// An empty table.
  public init() {}

  /// Makes room for that many registrations.
  public mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  /// Takes in the state of a key that the store had when the gateway started.
  public mutating func set(_ key: NotificationKey, to entry: Entry) { entries[key] = entry }

  /// The state of a key, as it is on disk.
  public func entry(_ key: NotificationKey) -> Entry? { entries[key] }

  // MARK: Requests

  /// Handles what a device asks; what changes something is answered once it is on disk.
  ///
  /// Registering again gives the same token; registering after unregistering begins a new generation
  /// and so a new token.
  public mutating func handle(_ request: Request, atMilliseconds now: Int64) -> [Action] {
    guard !pending.waits(request, for: request.key) else { return [] }
    switch decide(request.verb, request.key, atMilliseconds: now) {
    case .unchanged(let entry): return [.reply(request, reply(to: request, entry))]
    case .notRegistered: return [.reply(request, .notRegistered)]
    case .changed(let entry):
      pending.begin(entry, of: request.key, for: request)
      return [.persist(entry.record(of: request.key))]
    }
  }

  /// What ``Action/persist(_:)`` asked for is on disk, or the store failed and nothing has changed.
  ///
  /// Those who asked for the same hear the same; who asked for something else after that is decided on
  /// anew.
  public mutating func finish(
    _ key: NotificationKey, isDurable: Bool, atMilliseconds now: Int64
  ) -> [Action] {
    let finished = pending.finish(key)
    let entry = finished.change
    var actions: [Action] = []
    if isDurable {
      assert(isSuccessor(entry, of: entries[key]), "\(entry) follows \(String(describing: entries[key]))")
      entries[key] = entry
      if entry.state != .active { actions.append(.discardWaiting(key, entry.state)) }
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
      return .changed(Entry(generation: 0, state: .active, changedMilliseconds: now))
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

  /// Whether `next` may come after `old`: a new generation begins with a registration alone.
  private func isSuccessor(_ next: Entry, of old: Entry?) -> Bool {
    guard let old else { return next.state == .active && next.generation == 0 }
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
