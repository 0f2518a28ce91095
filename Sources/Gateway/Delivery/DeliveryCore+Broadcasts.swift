public import BelfryWire
import Storage

/// Broadcasts: one message comes in, one goes out to each device that listens, some at a time.
///
/// ```
/// broadcast ── kept? it is the channel's newest, on disk already ──┐
///           └─ for each listener: send, hold for power, or give up ┴─ acknowledged ── mark
/// listen ── the newest that this device has not acknowledged
/// ```
/// A message needs no row for a device: what a device acknowledged is marked, and without the mark it
/// gets the newest again, which it tells by its unique id.
extension DeliveryCore {
  // MARK: Channels

  /// A channel exists; nothing where it did.
  public mutating func addChannel(_ id: ChannelID, app: UInt32) {
    guard channels[id] == nil else { return }
    nextChannelHandle &+= 1
    channels[id] = ChannelState(id: id, app: app, handle: nextChannelHandle)
  }

  /// A channel is gone, and what waited for its devices with it; how many subscriptions went.
  @discardableResult
  public mutating func removeChannel(_ id: ChannelID) -> Int {
    guard let channel = channels.removeValue(forKey: id) else { return 0 }
    for number in channel.listeners.devices {
      guard let device = devices[number] else { continue }
      device.channels.removeAll { $0 === channel }
      dropUnsent(of: id, on: device, as: .discardedUnregistered)
    }
    fanOuts.removeAll { $0.broadcast.channel == id }
    return channel.subscribers.count
  }

  /// What the store had when the gateway started: a device's subscription, with the last message that it
  /// acknowledged; the channel's newest message has to be restored before.
  public mutating func restoreSubscription(
    of device: UInt64, to id: ChannelID, received: NotificationID?
  ) {
    guard let channel = channels[id] else { return }
    channel.subscribers.insert(device)
    if let received, channel.newest?.uniqueID == received { channel.served.insert(device) }
  }

  /// What the store had when the gateway started: a channel's newest message.
  public mutating func restoreNewest(_ broadcast: Broadcast) {
    channels[broadcast.channel]?.newest = broadcast
  }

  /// What a device is to a channel.
  public enum Standing: Equatable, Sendable {
    /// There is no such channel of this app here.
    case unknownChannel
    /// To be made durable, then ``subscribe(_:to:)``.
    case stranger
    case subscriber
  }

  /// What a device is to a channel, of `app` where that is given.
  public func standing(of device: UInt64, to id: ChannelID, app: UInt32? = nil) -> Standing {
    guard let channel = channels[id], app == nil || channel.app == app else {
      return .unknownChannel
    }
    return channel.subscribers.contains(device) ? .subscriber : .stranger
  }

  /// Notes a durable subscription; the channel's handle, or `nil` where it is gone.
  public mutating func subscribe(_ device: UInt64, to id: ChannelID) -> UInt32? {
    guard let channel = channels[id] else { return nil }
    channel.subscribers.insert(device)
    return channel.handle
  }

  /// Ends a subscription; whether there was one.
  public mutating func unsubscribe(_ number: UInt64, from id: ChannelID) -> Bool {
    guard let channel = channels[id], channel.subscribers.remove(number) != nil else {
      return false
    }
    channel.served.remove(number)
    channel.listeners.remove(number)
    if let device = devices[number] {
      device.channels.removeAll { $0 === channel }
      dropUnsent(of: id, on: device, as: .discardedUnregistered)
    }
    return true
  }

  /// A session takes a channel's messages from now on, and the newest that waits for its device.
  public mutating func listen(
    to id: ChannelID, _ number: UInt64, session: SessionID, now: Moment
  ) {
    guard let channel = channels[id], let device = devices[number], device.session == session,
      channel.subscribers.contains(number), channel.listeners.add(number)
    else { return }
    device.channels.append(channel)
    guard let newest = channel.newest, newest.expiration > now.unixSeconds,
      !channel.served.contains(number), !device.queue.isOnItsWay(newest)
    else { return }
    send(newest, of: channel, to: device, isLogged: true, isFromStore: true, now: now)
  }

  mutating func stopListening(_ device: DeviceDelivery) {
    for channel in device.channels { channel.listeners.remove(device.device) }
    device.channels.removeAll()
  }

  // MARK: Messages

  /// A message of a channel, on disk where it is kept; goes to some of the devices that listen.
  ///
  /// The rest follow with ``continueFanOut(now:)``.
  public mutating func broadcast(_ broadcast: Broadcast, now: Moment) {
    guard let channel = channels[broadcast.channel] else { return }
    if broadcast.isKept {
      channel.newest = broadcast
      channel.served.removeAll(keepingCapacity: true)
    }
    guard !channel.listeners.devices.isEmpty else { return }
    fanOuts.append(FanOut(broadcast: broadcast, devices: channel.listeners.devices))
    if fanOuts.count == 1 { continueFanOut(now: now) }
  }

  /// Whether a message has not gone to all of its devices yet.
  public var isFanningOut: Bool { !fanOuts.isEmpty }

  /// Sends what is under way to some more devices, so that pushes get their turn meanwhile.
  public mutating func continueFanOut(now: Moment) {
    var left = Limits.fanOutDevices
    while left > 0, let fanOut = fanOuts.first {
      let end = min(fanOut.devices.count, fanOut.next + left)
      left -= end - fanOut.next
      if let channel = channels[fanOut.broadcast.channel] {
        for index in fanOut.next..<end {
          pass(
            fanOut.broadcast, of: channel, to: fanOut.devices[index],
            isLogged: index < Limits.fanOutLogLines, now: now)
        }
      }
      if end == fanOut.devices.count { fanOuts.removeFirst() } else { fanOuts[0].next = end }
    }
  }

  private mutating func pass(
    _ broadcast: Broadcast, of channel: ChannelState, to number: UInt64, isLogged: Bool,
    now: Moment
  ) {
    guard channel.listeners.contains(number), let device = devices[number] else { return }
    // One that connected after the message came was given it as the newest.
    if broadcast.isKept {
      let isServed = channel.newest === broadcast && channel.served.contains(number)
      if isServed || device.queue.isOnItsWay(broadcast) { return }
    }
    send(
      broadcast, of: channel, to: device, isLogged: isLogged, isFromStore: false, now: now)
  }

  private mutating func send(
    _ broadcast: Broadcast, of channel: ChannelState, to device: DeviceDelivery, isLogged: Bool,
    isFromStore: Bool, now: Moment
  ) {
    let entry = DeliveryEntry(
      broadcast, to: device.device, handle: channel.handle, isLogged: isLogged,
      isFromStore: isFromStore, sequence: makeSequence())
    if broadcast.isKept { dropUnsent(of: channel.id, on: device, as: .replaced) }
    guard broadcast.isKept || device.queue.waitingCount < Limits.deviceWaitingMax else {
      return giveUp(entry)
    }
    if device.presence.isLive {
      guard !device.holdsBack(entry) else { return hold(orGiveUp: entry, on: device, now: now) }
      wake(device, now: now)
    }
    device.queue.wait(entry)
    sendWaiting(on: device, now: now)
  }

  /// Takes out the kept message of a channel that has not gone to the device yet.
  private mutating func dropUnsent(
    of channel: ChannelID, on device: DeviceDelivery, as state: DeliveryState
  ) {
    guard let entry = device.queue.removeUnsentMessage(of: channel) else { return }
    drop(entry, as: state)
    if device.queue.heldCount == 0 { holding.remove(device.device) }
  }

  /// The device has a kept message: it is not sent again.
  mutating func serve(_ entry: DeliveryEntry) {
    let number = entry.key.device
    guard let broadcast = entry.broadcast, let channel = channels[broadcast.channel],
      channel.newest === broadcast, channel.subscribers.contains(number),
      channel.served.insert(number).inserted
    else { return }
    effects.append(.mark(device: number, broadcast.channel, received: broadcast.uniqueID))
  }

  /// Lets go of messages whose time is over.
  mutating func sweepBroadcasts(now: Moment) {
    for channel in channels.values {
      guard let newest = channel.newest, newest.expiration <= now.unixSeconds else { continue }
      channel.newest = nil
      channel.served.removeAll()
    }
  }
}
