import BelfryWire
import PushWire

// Messages, and the calls to apps.
extension UnifiedPush {
  // MARK: - Arrival

  mutating func onMessage(_ message: ReceivedWebPush) {
    keep(message)
    emit(.acknowledge(message.id))
  }

  private mutating func keep(_ message: ReceivedWebPush) {
    // The registration might have ended while the message was on its way.
    guard let one = subscriptions[message.subject.number], one.subject == message.subject,
      one.owner == .app, !message.isExpired(atUnixMilliseconds: now)
    else { return }
    // Connectors ignore a message without bytes (webpush 2.4).
    guard !message.payload.isEmpty else { return emit(.note(.emptyMessage(one.service))) }
    if message.isForNow, case .notServed = service { return }
    let number = nextMessage
    nextMessage += 1
    let stored = StoredWebPush(token: one.token, message: message)
    messages[number] = stored
    if !message.isForNow {
      emit(.persist(.put(.messages, key: StoredWebPush.key(number), stored.record)))
    }
    enqueue(.message(number), for: one.service)
    dropExcess(of: one.service)
    startRound(of: one.service)
  }

  /// Drops the oldest messages of an app that exceed its limits.
  private mutating func dropExcess(of service: UTF8Text) {
    guard let channel = channels[service] else { return }
    var waiting: [UInt64] = channel.entries.compactMap { entry in
      guard case .message(let number) = entry.content else { return nil }
      return number
    }
    var bytes = waiting.reduce(0) { $0 + (messages[$1]?.message.payload.count ?? 0) }
    let current: UInt64? =
      if case .message(let number)? = channel.current?.entry.content { number } else { nil }
    waiting.removeAll { $0 == current }
    var count = waiting.count + (current == nil ? 0 : 1)
    var dropped = 0
    for number in waiting
    where count > Limits.webPushMessagesPerApp || bytes > Limits.webPushBytesPerApp {
      bytes -= messages[number]?.message.payload.count ?? 0
      count -= 1
      dropped += 1
      dropMessage(number, of: service)
    }
    if dropped > 0 { emit(.note(.messagesDropped(service, count: dropped))) }
  }

  mutating func restoreMessages(_ records: [(key: String, value: [UInt8])]) {
    var known: [(UInt64, StoredWebPush)] = []
    for (key, value) in records {
      guard let number = UInt64(key), number < .max, let stored = StoredWebPush(record: value)
      else {
        emit(.note(.damagedRecord(.messages, key: key)))
        continue
      }
      nextMessage = max(nextMessage, number + 1)
      guard tokens[stored.token] != nil, !stored.message.isExpired(atUnixMilliseconds: now) else {
        emit(.persist(.remove(.messages, key: key)))
        continue
      }
      known.append((number, stored))
    }
    for one in subscriptions.values.sorted(by: { $0.number < $1.number })
    where one.endpoint != nil && !one.isAnnounced {
      enqueue(.endpoint(token: one.token), for: one.service)
    }
    for (number, stored) in known.sorted(by: { $0.0 < $1.0 }) {
      messages[number] = stored
      if let service = service(of: stored.token) { enqueue(.message(number), for: service) }
    }
  }

  // MARK: - Channels

  mutating func enqueue(_ content: AppChannel.Content, for service: UTF8Text) {
    // A newer announcement replaces one that has not been sent.
    if case .endpoint = content { channels[service]?.remove(content) }
    channels[service, default: AppChannel()].append(
      AppChannel.Entry(number: nextCall, content: content))
    nextCall += 1
  }

  mutating func startRound(of service: UTF8Text) {
    channels[service]?.startRound()
    advance(service)
  }

  /// Sends the next call to an app, unless the app has not answered the previous one.
  private mutating func advance(_ service: UTF8Text) {
    guard case .served = self.service else {
      // The round starts once the distributor has its name.
      channels[service]?.stop()
      if channels[service]?.isEmpty == true { channels[service] = nil }
      return
    }
    while let entry = channels[service]?.next() {
      guard let (content, version, mayStart) = call(entry.content) else {
        remove(entry, of: service)
        continue
      }
      let number = nextCall
      nextCall += 1
      channels[service]?.begin(entry, call: number)
      emit(
        .call(
          ConnectorCall(
            number: number, service: service, version: version, mayStart: mayStart,
            content: content)))
    }
    if channels[service]?.isEmpty == true { channels[service] = nil }
  }

  /// Returns the call for an entry; nil if it is no longer needed.
  private func call(
    _ content: AppChannel.Content
  ) -> (ConnectorCall.Content, UnifiedPushVersion, mayStart: Bool)? {
    switch content {
    case .endpoint(let token):
      guard let one = subscription(of: token), let endpoint = one.endpoint else { return nil }
      return (.newEndpoint(token: token, endpoint: endpoint), one.version, true)
    case .message(let number):
      guard let stored = messages[number], let one = subscription(of: stored.token),
        !stored.message.isExpired(atUnixMilliseconds: now)
      else { return nil }
      return (
        .message(
          token: stored.token, payload: stored.message.payload,
          id: stored.message.id.text.lowercased()), one.version, true
      )
    case .farewell(let token, let version, let mayStart):
      return (.unregistered(token: token), version, mayStart)
    }
  }

  /// Removes an entry that is done.
  private mutating func remove(_ entry: AppChannel.Entry, of service: UTF8Text) {
    channels[service]?.remove(number: entry.number)
    guard case .message(let number) = entry.content else { return }
    // The registration might have moved to another name during the call.
    let owner = messages[number].flatMap { self.service(of: $0.token) }
    dropMessage(number, of: owner ?? service)
  }

  private mutating func dropMessage(_ number: UInt64, of service: UTF8Text) {
    channels[service]?.remove(.message(number))
    guard let stored = messages.removeValue(forKey: number), !stored.message.isForNow else {
      return
    }
    emit(.persist(.remove(.messages, key: StoredWebPush.key(number))))
  }

  /// Drops everything that waits for a registration that ended.
  mutating func dropEntries(of token: UTF8Text, service: UTF8Text) {
    for number in messages.filter({ $0.value.token == token }).keys.sorted() {
      dropMessage(number, of: service)
    }
    channels[service]?.remove(.endpoint(token: token))
    if channels[service]?.isEmpty == true { channels[service] = nil }
  }

  /// Moves everything that waits for a registration to the new name of its app.
  mutating func moveEntries(of token: UTF8Text, from former: UTF8Text, to service: UTF8Text) {
    let messages = messages
    let moved = channels[former]?.take { content in
      switch content {
      case .endpoint(let other): other == token
      case .message(let number): messages[number]?.token == token
      case .farewell: false
      }
    }
    for entry in moved ?? [] { enqueue(entry.content, for: service) }
    if channels[former]?.isEmpty == true { channels[former] = nil }
  }

  // MARK: - Results

  mutating func onDelivered(_ service: UTF8Text, _ call: UInt64) {
    guard let entry = channels[service]?.finish(call: call) else { return }
    remove(entry, of: service)
    if case .endpoint(let token) = entry.content, let number = tokens[token]?.current,
      subscriptions[number]?.endpoint != nil,
      channels[service]?.entries.contains(where: { $0.content == entry.content }) != true
    {
      update(number) { $0.isAnnounced = true }
    }
    advance(service)
  }

  mutating func onFailed(_ service: UTF8Text, _ call: UInt64, _ failure: UnifiedPushFailure) {
    guard let entry = channels[service]?.finish(call: call) else { return }
    if isOnlyForNow(entry.content) { remove(entry, of: service) }
    if case .farewell = entry.content {} else { emit(.note(.notDelivered(service, failure))) }
    if case .unreachable = failure {
      channels[service]?.closeRound()
      for entry in channels[service]?.entries ?? [] where isOnlyForNow(entry.content) {
        remove(entry, of: service)
      }
    }
    advance(service)
  }

  /// Returns true if a call that fails is not repeated.
  private func isOnlyForNow(_ content: AppChannel.Content) -> Bool {
    switch content {
    case .endpoint: false
    case .message(let number): messages[number]?.message.isForNow == true
    case .farewell: true
    }
  }

  /// Asserts the invariants of the channels.
  func checkChannels() {
    for (service, channel) in channels {
      channel.checkInvariants()
      assert(!channel.isEmpty, "a channel without calls is removed: \(service)")
    }
    let waiting = Set(channels.values.flatMap(\.entries).map(\.content))
    for (number, stored) in messages {
      assert(waiting.contains(.message(number)), "a message waits for its app")
      assert(tokens[stored.token] != nil, "a message belongs to a registration")
      assert(number < nextMessage, "the number of a message is never used again")
    }
  }
}
