import BelfryWire
import Storage
import System

/// What a loop has under way about channels.
struct ChannelWork {
  struct Subscribing {
    let session: SessionID
    let request: UInt16
    let channel: ChannelID
    let device: UInt64
    /// Requests to leave the channel that came meanwhile.
    var departures: [UInt16] = []
  }

  /// Subscriptions on their way to disk, by ticket.
  var subscribing: [UInt64: Subscribing] = [:]
  /// What devices acknowledged, to be noted with the next ones.
  var marks: [ControlChange] = []
  var isContinuing = false

  /// Whether a device leaves a channel that it is about to join: it does once it has.
  mutating func leavesLater(_ id: ChannelID, _ session: SessionID, request: UInt16) -> Bool {
    let joining = subscribing.filter { $0.value.channel == id && $0.value.session == session }
    guard let ticket = joining.keys.max() else { return false }
    subscribing[ticket]?.departures.append(request)
    return true
  }

  /// A mark may wait: without it a device is only told again what it knows by its unique id.
  mutating func mark(_ device: UInt64, _ channel: ChannelID, _ received: NotificationID) {
    marks.append(
      .markSubscription(
        SubscriptionRecord(device: device, channel: channel.bytes, received: received)))
  }
}

/// A loop's devices and their channels.
extension GatewayLoop {
  /// Restores what the store had when the gateway started.
  func restore(_ snapshot: ChannelSnapshot) {
    for channel in snapshot.channels { core.addChannel(channel.id, app: channel.app) }
    for broadcast in snapshot.newest { core.restoreNewest(broadcast) }
    for one in snapshot.subscriptions {
      core.restoreSubscription(of: one.device, to: one.channel, received: one.received)
    }
    metrics.subscriptions.add(Int64(snapshot.subscriptions.count))
  }

  func handle(_ update: ChannelUpdate) {
    switch update {
    case .made(let id, let app): core.addChannel(id, app: app)
    case .removed(let id):
      metrics.subscriptions.add(-Int64(core.removeChannel(id)))
    case .broadcast(let broadcast): core.broadcast(broadcast, now: now)
    }
  }

  // MARK: Devices

  func subscribe(
    _ connection: DeviceConnection, to channel: [UInt8], of bundleID: String, request: UInt16
  ) {
    guard let app = directory.app(bundleID: Array(bundleID.utf8).span) else {
      return connection.answer(request, with: .refused(.unknownApp))
    }
    guard let id = ChannelID(channel), let device = connection.device else {
      return connection.answer(request, with: .refused(.unknownChannel))
    }
    if core.standing(of: device, to: id, app: app.number) == .unknownChannel {
      ask(.findChannel(connection.session, request: request, id, app: app.number))
    } else {
      subscribe(connection, to: id, app: app.number, request: request)
    }
  }

  /// A subscription is confirmed only once it is on disk.
  func subscribe(_ connection: DeviceConnection, to id: ChannelID, app: UInt32, request: UInt16) {
    guard let device = connection.device else {
      assertionFailure("a connection without device subscribes to a channel")
      return connection.answer(request, with: .refused(.unknownChannel))
    }
    guard connection.hasRoom(for: id) else {
      return connection.answer(request, with: .refused(.tooMany))
    }
    switch core.standing(of: device, to: id, app: app) {
    case .unknownChannel:
      connection.answer(request, with: .refused(.unknownChannel))
    case .subscriber:
      confirm(request, of: connection, device, to: id)
    case .stranger:
      let change = ControlChange.putSubscription(
        SubscriptionRecord(device: device, channel: id.bytes))
      let ticket = persist([change])
      channelWork.subscribing[ticket] = ChannelWork.Subscribing(
        session: connection.session, request: request, channel: id, device: device)
    }
  }

  /// Takes in that a subscription is on disk, or that it cannot be.
  func finishSubscription(_ reply: ControlReply) {
    assert(reply.ticket <= commitTicket, "an answer came to a ticket of the future")
    guard let done = channelWork.subscribing.removeValue(forKey: reply.ticket) else { return }
    let connection = connections.device(done.session)
    if let failure = reply.failure {
      log.error("cannot keep a subscription", ["why": "\(failure)"])
      connection?.answer(done.request, with: .refused(.tryLater))
      for request in done.departures {
        connection?.answer(request, with: .refused(.notRegistered))
      }
    } else if let connection {
      confirm(done.request, of: connection, done.device, to: done.channel)
      for request in done.departures {
        unsubscribe(connection, done.device, from: done.channel, request: request)
      }
    } else if core.standing(of: done.device, to: done.channel) == .stranger {
      _ = core.subscribe(done.device, to: done.channel)
      metrics.subscriptions.add()
    }
  }

  private func confirm(
    _ request: UInt16, of connection: DeviceConnection, _ device: UInt64, to id: ChannelID
  ) {
    let isNew = core.standing(of: device, to: id) == .stranger
    guard let handle = core.subscribe(device, to: id) else {
      return connection.answer(request, with: .refused(.unknownChannel))
    }
    if isNew { metrics.subscriptions.add() }
    connection.answer(request, with: .subscribed(handle: handle))
    connection.add(channel: id)
  }

  func unsubscribe(
    _ connection: DeviceConnection, _ device: UInt64, from channel: [UInt8], of bundleID: String,
    request: UInt16
  ) {
    guard let id = ChannelID(channel) else {
      return connection.answer(request, with: .refused(.notRegistered))
    }
    guard !channelWork.leavesLater(id, connection.session, request: request) else { return }
    unsubscribe(connection, device, from: id, request: request)
  }

  private func unsubscribe(
    _ connection: DeviceConnection, _ device: UInt64, from id: ChannelID, request: UInt16
  ) {
    guard core.unsubscribe(device, from: id) else {
      return connection.answer(request, with: .refused(.notRegistered))
    }
    connection.remove(channel: id)
    metrics.subscriptions.add(-1)
    _ = persist([.removeSubscription(SubscriptionRecord(device: device, channel: id.bytes))])
    connection.answer(request, with: .done)
    performEffects()
  }

  /// A session takes the channel's messages from now on.
  func listen(to id: ChannelID, _ device: UInt64, _ session: SessionID) {
    core.listen(to: id, device, session: session, now: now)
    performEffects()
  }

  // MARK: Messages

  /// The rest of a broadcast's devices get it in later turns.
  func scheduleFanOut() {
    guard !channelWork.isContinuing else { return }
    guard outbox.peers.indices.contains(index) else {
      return assertionFailure("a broadcast came before the gateway was open")
    }
    channelWork.isContinuing = true
    outbox.peers[index].post(.continueFanOut)
  }

  /// Persists what devices acknowledged, in one batch.
  func persistMarks() {
    guard !channelWork.marks.isEmpty else { return }
    _ = persist(channelWork.marks)
    channelWork.marks.removeAll(keepingCapacity: true)
  }

  /// What became of one device's copy of a broadcast.
  func record(_ state: DeliveryState, ofCopy notification: AcceptedNotification) {
    metrics.count(copy: state)
    guard notification.isLogged else { return }
    appendToLog(
      DeliveryLog.Entry(state, of: notification, atMilliseconds: loop.unixMilliseconds))
  }

  /// A broadcast was accepted: one line, for no device.
  func appendToLog(received broadcast: Broadcast) {
    appendToLog(
      DeliveryLog.Entry(
        atMilliseconds: broadcast.acceptedMilliseconds, state: .received,
        key: NotificationKey(
          device: 0, app: broadcast.app, kind: AcceptedNotification.broadcastKind),
        id: broadcast.id, uniqueID: broadcast.uniqueID))
  }
}
