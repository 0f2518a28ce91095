public import PushWire
import Storage

/// The delivery of broadcasts.
///
/// Each message is sent to every listening device, one slice of the devices per turn.
///
/// ```
/// broadcast ── kept? it is the channel's newest, on disk already ──┐
///           └─ for each listener: send, hold for power, or give up ┴─ acknowledged ── mark
/// listen ── the newest that this device has not acknowledged
/// ```
/// The store has no rows for the copies of a message. For each device, it records only the last message that the device
/// acknowledged (the mark). If a mark is lost, the device receives the newest message again and recognizes it by its
/// unique ID.
extension DeliveryCore {
  // MARK: Channels

  /// Adds a channel unless it already exists.
  public mutating func addChannel(_ id: ChannelID, app: UInt32) {
    guard channels[id] == nil else { return }
    nextChannelHandle &+= 1
    channels[id] = ChannelState(id: id, app: app, handle: nextChannelHandle)
  }

  /// Returns the devices that subscribed to a channel.
  func subscribers(of id: ChannelID) -> Set<UInt64> { channels[id]?.subscribers ?? [] }

  /// Removes a channel together with its undelivered messages, and returns the number of its subscriptions.
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

  /// Restores a device's subscription at startup, with the last message that it acknowledged.
  ///
  /// The channel's newest message must be restored first.
  public mutating func restoreSubscription(
    of device: UInt64, to id: ChannelID, received: NotificationID?
  ) {
    guard let channel = channels[id] else { return }
    channel.subscribers.insert(device)
    if let received, channel.newest?.uniqueID == received { channel.served.insert(device) }
  }

  /// Restores a channel's newest message at startup.
  public mutating func restoreNewest(_ broadcast: Broadcast) {
    channels[broadcast.channel]?.newest = broadcast
  }

  /// A device's relation to a channel.
  public enum Standing: Equatable, Sendable {
    /// The app has no such channel.
    case unknownChannel
    /// The device has no subscription; to subscribe, make the subscription durable and then call ``subscribe(_:to:)``.
    case notSubscribed
    case subscriber
  }

  /// Returns a device's relation to a channel, which must belong to `app` unless `app` is nil.
  public func standing(of device: UInt64, to id: ChannelID, app: UInt32? = nil) -> Standing {
    guard let channel = channels[id], app == nil || channel.app == app else {
      return .unknownChannel
    }
    return channel.subscribers.contains(device) ? .subscriber : .notSubscribed
  }

  /// Adds a durable subscription.
  ///
  /// Returns the channel's handle, or `nil` if the channel no longer exists.
  public mutating func subscribe(_ device: UInt64, to id: ChannelID) -> UInt32? {
    guard let channel = channels[id] else { return nil }
    channel.subscribers.insert(device)
    return channel.handle
  }

  /// Removes a subscription; returns true if it existed.
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

  /// Starts sending a channel's messages to a session, beginning with the newest one if the device doesn't have it yet.
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

  /// Sends a channel's message to the first slice of its listeners; ``continueFanOut(now:)`` sends it to the others.
  ///
  /// If the channel stores the message, the message must already be on disk.
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

  /// True if a message has yet to be sent to some of its listeners.
  public var isFanningOut: Bool { !fanOuts.isEmpty }

  /// Sends messages to the next slice of listeners; the loop handles pushes between slices.
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
    // The device might have received the message already, as the channel's newest one, because it connected after the
    // broadcast began.
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
    let hasRoom = !device.isPaused && device.queue.waitingCount < Limits.deviceWaitingMax
    guard broadcast.isKept || hasRoom else { return giveUp(entry) }
    if device.presence.isLive {
      guard !device.holdsBack(entry) else { return hold(orGiveUp: entry, on: device, now: now) }
      wake(device, now: now)
    }
    device.queue.wait(entry)
    sendWaiting(on: device, now: now)
  }

  /// Removes a channel's stored message from a device's queue if the message hasn't been sent yet.
  mutating func dropUnsent(
    of channel: ChannelID, on device: DeviceDelivery, as state: DeliveryState
  ) {
    guard let entry = device.queue.removeUnsentMessage(of: channel) else { return }
    drop(entry, as: state)
    if device.queue.heldCount == 0 { holding.remove(device.device) }
  }

  /// Records that the device has the channel's kept message, so that the message isn't sent to it again.
  mutating func serve(_ entry: DeliveryEntry) {
    let number = entry.key.device
    guard let broadcast = entry.broadcast, let channel = channels[broadcast.channel],
      channel.newest === broadcast, channel.subscribers.contains(number),
      channel.served.insert(number).inserted
    else { return }
    effects.append(.mark(device: number, broadcast.channel, received: broadcast.uniqueID))
  }

  /// Removes expired messages.
  mutating func sweepBroadcasts(now: Moment) {
    for channel in channels.values {
      guard let newest = channel.newest, newest.expiration <= now.unixSeconds else { continue }
      channel.newest = nil
      channel.served.removeAll()
    }
  }
}
