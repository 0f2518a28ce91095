internal import BelfryWire

/// A broadcast channel of an app.
public struct LinkChannel: Hashable, Sendable {
  /// The app's bundle identifier.
  public let bundleID: String
  /// The channel's identifier, decoded: 1 to 64 bytes.
  public let identifier: [UInt8]

  /// Creates a channel from its app and its identifier.
  public init(bundleID: String, identifier: [UInt8]) {
    self.bundleID = bundleID
    self.identifier = identifier
  }
}

/// The source of notifications: an app's tokens of one kind, or a channel.
public enum LinkSubject: Hashable, Sendable {
  case topic(LinkTopic)
  case channel(LinkChannel)

  /// The app's bundle identifier.
  public var bundleID: String {
    switch self {
    case .topic(let topic): topic.bundleID
    case .channel(let channel): channel.bundleID
    }
  }
}

/// The subjects for which a device requests notifications, and their state on the current connection.
///
/// Subscriptions survive the loss of a connection. The device sends all of them on each new connection, and repeats a
/// cancellation until the gateway answers it.
struct LinkSubjects {
  /// The change that a request makes to its subject.
  enum Wish: Hashable {
    case register
    case cancel
    case disable
    case enable
  }

  struct Entry {
    let subject: LinkSubject
    var isWanted: Bool
    /// True while an answer to UNREGISTER or UNSUBSCRIBE is outstanding.
    var owesCancel = false
    var isDisabled = false
    /// True while an answer to ENABLE is outstanding.
    var owesEnable = false
    /// The handle that identifies the subject in notifications on this connection.
    var handle: UInt32?
  }

  private(set) var entries: [Entry] = []
  /// True once the gateway of this connection has announced that it has a Web Push service.
  ///
  /// Older gateways close the link if a device registers a Web Push subscription.
  private var allowsWebPush = false
  private var open: [(number: UInt16, wish: Wish, subject: LinkSubject)] = []
  private var lastNumber: UInt16 = 0
  /// The subjects whose requests were temporarily refused on this connection.
  private var postponed: Set<LinkSubject> = []
  private var refusalsInARow = 0
  /// The time at which temporarily refused requests are retried, in nanoseconds on the loop clock; `.max` for never.
  private(set) var retryAt: Int64 = .max

  /// The subjects of the requests that the gateway has not answered on this connection.
  var unanswered: Set<LinkSubject> { Set(open.map(\.subject)) }

  /// Returns the entry to which `handle` refers on this connection.
  func entry(handle: UInt32, isBroadcast: Bool) -> Entry? {
    for entry in entries where entry.handle == handle {
      if case .channel = entry.subject, isBroadcast { return entry }
      if case .topic = entry.subject, !isBroadcast { return entry }
    }
    return nil
  }

  /// Changes the state of a subject, and sends the change to the gateway immediately if a connection is open.
  mutating func wish(
    _ wish: Wish, _ subject: LinkSubject, isConnected: Bool, to output: inout [UInt8]
  ) {
    let index: Int
    if let known = entries.firstIndex(where: { $0.subject == subject }) {
      index = known
    } else {
      entries.append(Entry(subject: subject, isWanted: false))
      index = entries.count - 1
    }
    switch wish {
    case .register: entries[index].isWanted = true
    case .cancel:
      entries[index].isWanted = false
      entries[index].owesCancel = true
    case .disable:
      entries[index].isDisabled = true
      entries[index].owesEnable = false
    case .enable:
      entries[index].isDisabled = false
      entries[index].owesEnable = true
    }
    guard isConnected, isAllowed(subject) else { return }
    ask(wish, subject, to: &output)
    // The gateway enables each new registration, so repeat the user's choice to disable the notifications.
    if wish == .register, entries[index].isDisabled { ask(.disable, subject, to: &output) }
  }

  /// Sends all requests on a new connection: outstanding cancellations first, then registrations for the wanted
  /// subjects.
  mutating func askAll(to output: inout [UInt8]) {
    for entry in entries where isAllowed(entry.subject) { ask(entry, to: &output) }
  }

  /// Sends all requests about Web Push subscriptions, because the gateway has a Web Push service.
  mutating func askForWebPush(to output: inout [UInt8]) {
    guard !allowsWebPush else { return }
    allowsWebPush = true
    assert(
      entries.allSatisfy { $0.handle == nil || !Self.isWebPush($0.subject) },
      "no subscription has a handle before the gateway has announced its service")
    for entry in entries where Self.isWebPush(entry.subject) { ask(entry, to: &output) }
  }

  private func isAllowed(_ subject: LinkSubject) -> Bool {
    allowsWebPush || !Self.isWebPush(subject)
  }

  private static func isWebPush(_ subject: LinkSubject) -> Bool {
    guard case .topic(let topic) = subject else { return false }
    return topic.kind == .webPush
  }

  /// Sends the unanswered requests for a subject: the outstanding cancellation first, then the wanted state.
  private mutating func ask(_ entry: Entry, to output: inout [UInt8]) {
    if entry.owesCancel { ask(.cancel, entry.subject, to: &output) }
    guard entry.isWanted else { return }
    // Register even if the subject has a handle, because the handle might belong to a registration that has since been
    // cancelled.
    ask(.register, entry.subject, to: &output)
    if entry.isDisabled { ask(.disable, entry.subject, to: &output) }
    if entry.owesEnable { ask(.enable, entry.subject, to: &output) }
  }

  private mutating func ask(_ wish: Wish, _ subject: LinkSubject, to output: inout [UInt8]) {
    lastNumber &+= 1
    switch (subject, wish) {
    case (.topic(let topic), let wish):
      let verb: LinkFrame.TopicVerb =
        switch wish {
        case .register: .register
        case .cancel: .unregister
        case .disable: .disable
        case .enable: .enable
        }
      LinkFrame.topic(verb, request: lastNumber, topic).encode(to: &output)
    case (.channel(let channel), .register):
      LinkFrame.subscribe(
        request: lastNumber, bundleID: channel.bundleID, channel: channel.identifier
      ).encode(to: &output)
    case (.channel(let channel), .cancel):
      LinkFrame.unsubscribe(
        request: lastNumber, bundleID: channel.bundleID, channel: channel.identifier
      ).encode(to: &output)
    case (.channel, .disable), (.channel, .enable):
      return assertionFailure("channels cannot be enabled or disabled")
    }
    open.append((lastNumber, wish, subject))
  }

  /// Handles an answer, and returns the request's subject, or `nil` if no request has this `number`.
  mutating func answered(
    _ number: UInt16, _ handle: UInt32?, _ refusal: LinkRefusal?, at now: Int64
  ) -> (wish: Wish, subject: LinkSubject)? {
    guard let position = open.firstIndex(where: { $0.number == number }) else { return nil }
    let (_, wish, subject) = open.remove(at: position)
    guard (handle != nil) == (wish == .register) || refusal != nil else { return nil }
    if refusal == .tryLater {
      postpone(subject, at: now)
      return (wish, subject)
    }
    if refusal == nil { refusalsInARow = 0 }
    guard let index = entries.firstIndex(where: { $0.subject == subject }) else {
      return (wish, subject)
    }
    switch wish {
    case .register: entries[index].handle = handle
    case .cancel:
      // Keep waiting if another cancellation of the same subject is still unanswered.
      if !open.contains(where: { $0.wish == .cancel && $0.subject == subject }) {
        entries[index].owesCancel = false
      }
      if !entries[index].isWanted, !entries[index].owesCancel, !entries[index].isDisabled {
        entries.remove(at: index)
      }
    case .enable:
      entries[index].owesEnable = false
      // If the topic is no longer wanted, its entry was kept only until this answer arrived.
      if !entries[index].isWanted, !entries[index].owesCancel, !entries[index].isDisabled {
        entries.remove(at: index)
      }
    case .disable: break
    }
    return (wish, subject)
  }

  /// Schedules a retry on this connection; a new connection sends all requests anyway.
  private mutating func postpone(_ subject: LinkSubject, at now: Int64) {
    postponed.insert(subject)
    // Requests that were refused at the same time are retried at the same time.
    guard retryAt == .max else { return }
    refusalsInARow += 1
    let pause = Backoff(
      firstNanoseconds: LinkLimits.retryNanoseconds,
      longestNanoseconds: LinkLimits.retryNanosecondsMax)
    // Vary the pause by the clock, so that devices whose requests were refused together do not all retry at the same
    // time.
    retryAt =
      now + pause.nanoseconds(afterFailures: refusalsInARow, random: UInt64(clamping: now))
  }

  /// Retries temporarily refused requests that are still wanted.
  ///
  /// Returns false if no retry is due yet.
  mutating func retry(at now: Int64, to output: inout [UInt8]) -> Bool {
    guard now >= retryAt else { return false }
    retryAt = .max
    let again = postponed
    postponed = []
    for entry in entries where again.contains(entry.subject) { ask(entry, to: &output) }
    return true
  }

  /// Asserts the invariants that hold between calls.
  func checkInvariants(isConnected: Bool) {
    assert(Set(entries.map(\.subject)).count == entries.count, "every subject has only one entry")
    for entry in entries {
      assert(
        entry.isWanted || entry.owesCancel || entry.isDisabled || entry.owesEnable,
        "an entry that is no longer needed is removed: \(entry.subject)")
      assert(isConnected || entry.handle == nil, "handles exist only while connected")
      assert(
        !entry.owesEnable || !entry.isDisabled,
        "a subject that awaits the answer to ENABLE is not disabled: \(entry.subject)")
      if case .channel = entry.subject {
        assert(!entry.isDisabled, "channels cannot be enabled or disabled")
      }
    }
    assert(isConnected || open.isEmpty, "requests are open only while connected")
    assert(isConnected || retryAt == .max, "retries are scheduled only while connected")
    assert(
      (retryAt == .max) == postponed.isEmpty,
      "a retry is scheduled exactly while subjects are postponed")
  }

  /// Discards the handles and open requests of the lost connection.
  mutating func disconnected() {
    open = []
    postponed = []
    retryAt = .max
    allowsWebPush = false
    for index in entries.indices { entries[index].handle = nil }
  }
}
