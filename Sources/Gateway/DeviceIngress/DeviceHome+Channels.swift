import PushWire
import Storage
import System

/// A device's request to subscribe to a channel or to unsubscribe.
struct SubscriptionRequest: Equatable, Sendable {
  struct Key: Hashable, Sendable {
    let device: UInt64
    let channel: ChannelID
  }

  let session: SessionID
  let number: UInt16
  let key: Key
  /// True to subscribe; false to unsubscribe.
  let isJoining: Bool
}

/// A home's pending work on channels.
struct ChannelWork {
  /// The subscription changes that are being written.
  var pending = PendingChanges<SubscriptionRequest.Key, ControlChange, SubscriptionRequest>()
  /// The keys of the pending changes, by ticket.
  var changing: [UInt64: SubscriptionRequest.Key] = [:]
  /// The number of channels that each device is subscribed to, including subscriptions that are still being written.
  private var counts: [UInt64: Int] = [:]
  /// The devices' acknowledgments that wait to be written in one batch.
  var marks: [ControlChange] = []
  var isContinuing = false

  /// Returns true if the device can subscribe to one more channel.
  func hasRoom(_ device: UInt64) -> Bool {
    counts[device, default: 0] < Limits.channelsPerDeviceMax
  }

  /// Counts a new subscription if `change` is 1, or a removed one if it is -1.
  mutating func count(_ change: Int, of device: UInt64) {
    let count = counts[device, default: 0] + change
    assert(count >= 0, "the subscription count of device \(device) is not negative: \(count)")
    counts[device] = count > 0 ? count : nil
  }

  /// Adds a mark: a record of the last message that a device acknowledged on a channel.
  ///
  /// Losing a mark is harmless, because the device recognizes a repeated message by its unique ID.
  mutating func mark(_ device: UInt64, _ channel: ChannelID, _ received: NotificationID) {
    marks.append(
      .markSubscription(
        SubscriptionRecord(device: device, channel: channel.bytes, received: received)))
  }
}

/// The subscriptions and channels of a home's devices.
extension DeviceHome {
  /// Restores the channels, messages, and subscriptions that the store contained when the gateway started.
  func restore(_ snapshot: ChannelSnapshot) {
    for channel in snapshot.channels { core.addChannel(channel.id, app: channel.app) }
    for broadcast in snapshot.newest { core.restoreNewest(broadcast) }
    for one in snapshot.subscriptions {
      core.restoreSubscription(of: one.device, to: one.channel, received: one.received)
      if core.standing(of: one.device, to: one.channel) == .subscriber {
        channelWork.count(1, of: one.device)
      }
    }
    metrics.subscriptions.add(Int64(snapshot.subscriptions.count))
  }

  func handle(_ update: ChannelUpdate) {
    switch update {
    case .made(let id, let app): core.addChannel(id, app: app)
    case .removed(let id):
      for device in core.subscribers(of: id) {
        channelWork.count(-1, of: device)
        cluster?.subscriptions[device]?.removeAll { $0 == id }
      }
      metrics.subscriptions.add(-Int64(core.removeChannel(id)))
    case .broadcast(let broadcast): core.broadcast(broadcast, now: now)
    }
  }

  // MARK: Devices

  func subscribe(
    _ connection: DeviceConnection, to channel: [UInt8], of bundleID: String, request: UInt16
  ) {
    guard let app = directory.app(bundleID: Array(bundleID.utf8).span) else {
      let mayBeDamaged = directory.damage.mayHave(.bundle(bundleID))
      return connection.answer(request, with: .refused(mayBeDamaged ? .tryLater : .unknownApp))
    }
    guard let id = ChannelID(channel), let device = connection.device else {
      return connection.answer(request, with: .refused(.unknownChannel))
    }
    if core.standing(of: device, to: id, app: app.number) == .unknownChannel {
      context.ask(.findChannel(connection.session, request: request, id, app: app.number))
    } else {
      subscribe(connection, to: id, app: app.number, request: request)
    }
  }

  /// Subscribes a device to a channel.
  ///
  /// A subscription is confirmed only once it is on disk.
  func subscribe(_ connection: DeviceConnection, to id: ChannelID, app: UInt32, request: UInt16) {
    guard let device = connection.device else {
      assertionFailure("a connection without a device subscribed to a channel")
      return connection.answer(request, with: .refused(.unknownChannel))
    }
    guard core.standing(of: device, to: id, app: app) != .unknownChannel else {
      return connection.answer(request, with: .refused(.unknownChannel))
    }
    handle(
      SubscriptionRequest(
        session: connection.session, number: request, key: .init(device: device, channel: id),
        isJoining: true))
  }

  func unsubscribe(
    _ connection: DeviceConnection, _ device: UInt64, from channel: [UInt8], of bundleID: String,
    request: UInt16
  ) {
    guard let id = ChannelID(channel) else {
      return connection.answer(request, with: .refused(.notRegistered))
    }
    handle(
      SubscriptionRequest(
        session: connection.session, number: request, key: .init(device: device, channel: id),
        isJoining: false))
  }

  /// Answers a request immediately or, if it changes a subscription, once the change is durable.
  private func handle(_ request: SubscriptionRequest) {
    guard !channelWork.pending.waits(request, for: request.key) else { return }
    guard isCurrent(request.key.device) else {
      return answer(request, with: .refused(.tryLater))
    }
    let isSubscriber = core.standing(of: request.key.device, to: request.key.channel) == .subscriber
    switch (request.isJoining, isSubscriber) {
    case (true, true): return answer(request)
    case (false, false): return answer(request, with: .refused(.notRegistered))
    case (true, false):
      guard channelWork.hasRoom(request.key.device) else {
        return answer(request, with: .refused(.tooMany))
      }
      channelWork.count(1, of: request.key.device)
    case (false, true): break
    }
    let record = SubscriptionRecord(device: request.key.device, channel: request.key.channel.bytes)
    let change: ControlChange =
      request.isJoining ? .putSubscription(record) : .removeSubscription(record)
    channelWork.pending.begin(change, of: request.key, for: request)
    channelWork.changing[persist([change])] = request.key
  }

  /// Finishes a subscription change that is on disk or that failed.
  func finishSubscription(_ ticket: UInt64, isDurable: Bool) {
    // A ticket without a key belongs to a batch of marks, and no request waits for marks.
    guard let key = channelWork.changing.removeValue(forKey: ticket) else { return }
    let finished = channelWork.pending.finish(key)
    // If another node has claimed the device in the meantime, the device asks again.
    let isDurable = isDurable && cluster?.table.isHeld(key.device) ?? true
    guard isDurable else {
      if case .putSubscription = finished.change { channelWork.count(-1, of: key.device) }
      // The store might have the change, which this home does not know. The device must repeat every request that waited,
      // and its state must be read again.
      for request in finished.requests { answer(request, with: .refused(.tryLater)) }
      return loseClaim(on: key.device)
    }
    apply(finished.change, key)
    let isJoining = finished.requests.first?.isJoining
    let sharing = finished.requests.prefix { $0.isJoining == isJoining }
    for request in sharing { answer(request) }
    for request in finished.requests.dropFirst(sharing.count) { handle(request) }
  }

  /// Applies a durable change.
  private func apply(_ change: ControlChange, _ key: SubscriptionRequest.Key) {
    switch change {
    case .putSubscription:
      let isNew = core.standing(of: key.device, to: key.channel) == .notSubscribed
      // The result is `nil` if the channel was removed in the meantime.
      let isThere = core.subscribe(key.device, to: key.channel) != nil
      if isThere, isNew {
        metrics.subscriptions.add()
        cluster?.subscriptions[key.device, default: []].append(key.channel)
      } else {
        channelWork.count(-1, of: key.device)
      }
    case .removeSubscription:
      // The result is false if the channel was removed in the meantime.
      if core.unsubscribe(key.device, from: key.channel) {
        channelWork.count(-1, of: key.device)
        metrics.subscriptions.add(-1)
        cluster?.subscriptions[key.device]?.removeAll { $0 == key.channel }
      }
    default:
      preconditionFailure("not a change of a subscription: \(change)")
    }
  }

  /// Answers a request whose change is durable.
  private func answer(_ request: SubscriptionRequest) {
    if request.isJoining {
      // The channel might have been removed during the disk write.
      guard let handle = core.subscribe(request.key.device, to: request.key.channel) else {
        return answer(request, with: .refused(.unknownChannel))
      }
      answer(request, with: .subscribed(handle: handle))
      connections[request.session]?.add(channel: request.key.channel)
    } else {
      connections[request.session]?.remove(channel: request.key.channel)
      answer(request, with: .done)
    }
  }

  /// Sends an answer, unless the session ended during the disk write.
  private func answer(_ request: SubscriptionRequest, with answer: DeviceLinkServer.Answer) {
    connections[request.session]?.answer(request.number, with: answer)
  }

  /// Starts sending the channel's messages to a session.
  func listen(to id: ChannelID, _ device: UInt64, _ session: SessionID) {
    core.listen(to: id, device, session: session, now: now)
    performEffects()
  }

  // MARK: Messages

  /// Schedules the next slice of a broadcast for a later turn.
  func scheduleFanOut() {
    guard !channelWork.isContinuing else { return }
    guard context.post(.continueFanOut, to: context.route) else {
      return assertionFailure("a broadcast arrived before the gateway opened")
    }
    channelWork.isContinuing = true
  }

  /// Sends broadcasts to the next slice of devices.
  func continueFanOut() {
    assert(channelWork.isContinuing, "a broadcast is being sent")
    channelWork.isContinuing = false
    core.continueFanOut(now: now)
  }

  /// Persists the devices' acknowledgments in one batch.
  func persistMarks() {
    guard !channelWork.marks.isEmpty else { return }
    _ = persist(channelWork.marks)
    channelWork.marks.removeAll(keepingCapacity: true)
  }

  /// Records the outcome of one device's copy of a broadcast.
  func record(_ state: DeliveryState, ofCopy entry: DeliveryEntry) {
    metrics.count(copy: state)
    guard entry.isLogged else { return }
    appendToLog(
      DeliveryLog.Entry(state, of: entry.notification, atMilliseconds: loop.unixMilliseconds))
  }

  /// Logs that a broadcast was accepted, in one line without a device.
  func appendToLog(received broadcast: Broadcast) {
    context.shared.payloads?.retain(
      broadcast.payload, id: broadcast.id, uniqueID: broadcast.uniqueID)
    appendToLog(
      DeliveryLog.Entry(
        atMilliseconds: broadcast.acceptedMilliseconds, state: .received,
        key: NotificationKey(
          device: 0, app: broadcast.app, kind: Submission.broadcastKind),
        id: broadcast.id, uniqueID: broadcast.uniqueID, pushType: .liveActivity))
  }
}
