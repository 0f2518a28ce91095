import PushWire
import Storage
import System

/// The channel service, which creates and removes channels and accepts broadcasts.
///
/// The service runs on the main loop, so that every loop receives the changes in the same order. A broadcast is one
/// message to each loop.
final class ChannelService {
  let store: any ControlStore
  private let writer: ControlWriter
  private let loop: EventLoop
  private let log: Log
  private var peers: LoopPeers = []
  private(set) var registry = ChannelRegistry()
  private var making: [UInt32: Int] = [:]
  /// True if the store might contain messages that will expire.
  private var hasStoredMessages = false
  /// The completion handlers of the commits in progress, by ticket.
  private var completions: [UInt64: (StorageFailure?) -> Void] = [:]
  private var lastTicket: UInt64 = 0
  private var expiryClock: ExpiryClock
  private var random: SystemRandom.Generator
  private let replies: Mailbox<ControlReply>

  init(
    store: any ControlStore, writer: ControlWriter, loop: EventLoop,
    random: SystemRandom.Generator, log: Log
  ) {
    self.store = store
    self.writer = writer
    self.loop = loop
    self.log = log
    self.random = random
    expiryClock = ExpiryClock(
      nanoseconds: loop.nowNanoseconds, unixMilliseconds: loop.unixMilliseconds)
    let receiver = CommitReceiver()
    replies = loop.mailbox(of: ControlReply.self) { replies in
      for reply in replies { receiver.service?.finish(reply) }
    }
    receiver.service = self
    scheduleSweep()
  }

  /// Sets the loops' mailboxes.
  func use(_ peers: LoopPeers) { self.peers = peers }

  /// Reads the channels from the store; returns one snapshot for each home.
  ///
  /// In a cluster, the subscriptions are read when their devices are claimed.
  func snapshots(
    _ homes: HomeMap, withSubscriptions: Bool
  ) throws(StorageFailure) -> [ChannelSnapshot] {
    var common = ChannelSnapshot()
    for record in try store.channels() {
      guard let id = ChannelID(record.id) else { continue }
      registry.add(id, app: record.app, ChannelConfiguration(keepsLatest: record.keepsLatest))
      common.channels.append((id, record.app))
    }
    for record in try store.broadcasts() {
      guard let id = ChannelID(record.channel), let app = registry.app(of: id),
        let broadcast = Broadcast(record, app: app)
      else { continue }
      common.newest.append(broadcast)
      published[id] = broadcast.uniqueID
      hasStoredMessages = true
    }
    var snapshots = Array(repeating: common, count: homes.count)
    for record in withSubscriptions ? try store.subscriptions() : [] {
      guard let id = ChannelID(record.channel) else { continue }
      snapshots[homes.home(of: record.device).loop].subscriptions.append(
        (record.device, id, record.received))
    }
    return snapshots
  }

  private func commit(_ changes: [ControlChange], then body: @escaping (StorageFailure?) -> Void) {
    lastTicket += 1
    completions[lastTicket] = body
    writer.submit(changes: changes, ticket: lastTicket, reply: replies)
  }

  fileprivate func finish(_ reply: ControlReply) {
    guard let completion = completions.removeValue(forKey: reply.ticket) else {
      return assertionFailure("an unknown commit of channels finished")
    }
    completion(reply.failure)
  }

  private func publish(_ update: ChannelUpdate) {
    assert(!peers.isEmpty, "channels change only after the loops are known")
    for peer in peers { peer.post(.routed(.channels(update))) }
  }

  // MARK: Clusters

  /// A function that tells the other nodes of a cluster that this node has written a change.
  var announceChange: () -> Void = {}
  /// A function that sends a broadcast that is not stored to the other nodes of a cluster.
  var forwardBroadcast: (Broadcast) -> Void = { _ in }
  /// The stored messages that were sent to the loops, by channel.
  private var published: [ChannelID: NotificationID] = [:]

  /// Reads the channels that other nodes have changed; returns false if the store can't be read.
  func refresh() -> Bool {
    do throws(StorageFailure) {
      var present: Set<ChannelID> = []
      for record in try store.channels() {
        guard let id = ChannelID(record.id) else { continue }
        present.insert(id)
        guard registry.app(of: id) == nil else { continue }
        registry.add(id, app: record.app, ChannelConfiguration(keepsLatest: record.keepsLatest))
        publish(.made(id, app: record.app))
      }
      for id in registry.allChannels where !present.contains(id) { remove(id) }
      for record in try store.broadcasts() {
        guard let id = ChannelID(record.channel), published[id] != record.uniqueID,
          let app = registry.app(of: id), let message = Broadcast(record, app: app)
        else { continue }
        published[id] = record.uniqueID
        hasStoredMessages = true
        publish(.broadcast(message))
      }
      return true
    } catch {
      log.storeFailure("cannot read the channels", error)
      return false
    }
  }

  // MARK: Devices

  /// Returns true if a channel might be in a damaged row.
  func mayBeDamaged(_ id: ChannelID) -> Bool { store.damage.mayHave(.channel(id.bytes)) }

  /// Notifies all loops of a channel that a loop doesn't know about; returns false if the app has no such channel.
  func introduce(_ id: ChannelID, app: UInt32) -> Bool {
    guard registry.configuration(of: id, app: app) != nil else { return false }
    publish(.made(id, app: app))
    return true
  }

  // MARK: Providers

  /// Carries out a request and calls `answer` once.
  ///
  /// If the channel isn't found but might be in a damaged row, the answer is `ServiceUnavailable`.
  func handle(_ request: ChannelRequest, answer: @escaping (ChannelAnswer) -> Void) {
    carryOut(request) { [store] outcome in
      guard case .refused(.channelNotRegistered) = outcome, let id = request.call.channel,
        store.damage.mayHave(.channel(id.bytes))
      else { return answer(outcome) }
      answer(.refused(.serviceUnavailable))
    }
  }

  private func carryOut(
    _ request: ChannelRequest, answer: @escaping (ChannelAnswer) -> Void
  ) {
    let app = request.app
    switch request.call {
    case .list where store.damage.has(table: "channel"):
      answer(.refused(.serviceUnavailable))
    case .list:
      answer(.list(registry.list(of: app)))
    case .read(let id):
      let configuration = registry.configuration(of: id, app: app)
      answer(configuration.map { .configuration($0) } ?? .refused(.channelNotRegistered))
    case .make(let configuration):
      make(configuration, app: app, answer: answer)
    case .remove(let id):
      remove(id, app: app, answer: answer)
    case .broadcast(let id, let priority, let expiration):
      broadcast(request, to: id, priority: priority, expiration: expiration, answer: answer)
    }
  }

  private func make(
    _ configuration: ChannelConfiguration, app: UInt32,
    answer: @escaping (ChannelAnswer) -> Void
  ) {
    guard registry.hasRoom(app, waiting: making[app] ?? 0) else {
      return answer(.refused(.cannotCreateChannelConfig))
    }
    let id = ChannelID(high: random.next(), low: random.next())
    making[app, default: 0] += 1
    let record = ChannelRecord(
      id: id.bytes, app: app, keepsLatest: configuration.keepsLatest,
      createdMilliseconds: loop.unixMilliseconds)
    commit([.putChannel(record)]) { [unowned self] failure in
      making[app, default: 0] -= 1
      assert(making[app, default: 0] >= 0, "the number of channels being created is not negative")
      if let failure {
        log.storeFailure("cannot store a channel", failure)
        return answer(.refused(failure.rejection))
      }
      registry.add(id, app: app, configuration)
      publish(.made(id, app: app))
      announceChange()
      answer(.made(id))
    }
  }

  private func remove(
    _ id: ChannelID, app: UInt32, answer: @escaping (ChannelAnswer) -> Void
  ) {
    guard registry.configuration(of: id, app: app) != nil else {
      return answer(.refused(.channelNotRegistered))
    }
    commit([.removeChannel(id: id.bytes)]) { [unowned self] failure in
      if let failure {
        log.storeFailure("cannot remove a channel", failure)
        return answer(.refused(failure.rejection))
      }
      remove(id)
      announceChange()
      answer(.removed)
    }
  }

  private func remove(_ id: ChannelID) {
    guard registry.remove(id) else { return }
    published[id] = nil
    publish(.removed(id))
  }

  private func broadcast(
    _ request: ChannelRequest, to id: ChannelID, priority: UInt8, expiration: Int64,
    answer: @escaping (ChannelAnswer) -> Void
  ) {
    let now = loop.unixMilliseconds
    let expired = expiryClock.expiry(nanoseconds: loop.nowNanoseconds, unixMilliseconds: now)
    let start = expiryClock.storageStart(
      nanoseconds: loop.nowNanoseconds, unixMilliseconds: now)
    func message(_ expiration: Int64, isKept: Bool) -> Broadcast {
      Broadcast(
        channel: id, app: request.app, id: request.id, uniqueID: request.uniqueID,
        expiration: expiration, priority: priority, payload: request.payload,
        acceptedMilliseconds: now, isKept: isKept)
    }
    switch registry.broadcasting(
      to: id, app: request.app, expiration: expiration, atSeconds: expired / 1_000,
      storedFrom: start / 1_000)
    {
    case .refused(let rejection):
      answer(.refused(rejection))
    case .once:
      let message = message(0, isKept: false)
      publish(.broadcast(message))
      forwardBroadcast(message)
      answer(.accepted(message))
    case .kept(let until):
      let message = message(until, isKept: true)
      hasStoredMessages = true
      commit([.putBroadcast(message.record)]) { [unowned self] failure in
        if let failure {
          log.storeFailure("cannot store a broadcast", failure)
          return answer(.refused(failure.rejection))
        }
        published[id] = message.uniqueID
        publish(.broadcast(message))
        announceChange()
        answer(.accepted(message))
      }
    }
  }

  // MARK: Changes and time

  /// Handles durable changes that the administration made; the removal of an app also removes its channels.
  func handle(_ changes: [ControlChange]) {
    for change in changes {
      switch change {
      case .putChannel(let record):
        guard let id = ChannelID(record.id) else { continue }
        registry.add(id, app: record.app, ChannelConfiguration(keepsLatest: record.keepsLatest))
        publish(.made(id, app: record.app))
      case .removeChannel(let bytes):
        if let id = ChannelID(bytes) { remove(id) }
      case .removeApp(let app):
        for id in registry.channels(of: app) { remove(id) }
      case .putTeam, .removeTeam, .putKey, .putCertificate, .putApp, .putBroadcast,
        .removeBroadcast,
        .removeExpiredBroadcasts, .putDevice, .putDeviceCertificate, .recordArrival,
        .putRegistration,
        .forgetFormerRegistrations,
        .unregisterAll, .putSubscription, .markSubscription, .removeSubscription, .forgetSetAside,
        .putUpstream, .removeUpstream, .putBudget, .addUse, .putSetting:
        continue
      }
    }
  }

  /// Traps, in builds with assertions, if the service's state is inconsistent.
  func checkInvariants() {
    registry.checkInvariants()
    assert(completions.keys.allSatisfy { $0 <= lastTicket }, "every commit has an assigned ticket")
    assert(
      making.values.reduce(0, +) <= completions.count, "every channel being created has a commit")
    assert(
      making.values.allSatisfy { $0 >= 0 }, "the number of channels being created is not negative")
  }

  private func scheduleSweep() {
    _ = loop.schedule(afterNanoseconds: Limits.broadcastSweepNanoseconds) { [weak self] in
      guard let self else { return }
      let now = (loop.nowNanoseconds, loop.unixMilliseconds)
      _ = expiryClock.compare(nanoseconds: now.0, unixMilliseconds: now.1)
      if hasStoredMessages {
        let expired = expiryClock.expiry(nanoseconds: now.0, unixMilliseconds: now.1)
        commit([.removeExpiredBroadcasts(atUnixSeconds: expired / 1_000)]) { _ in }
      }
      scheduleSweep()
    }
  }
}

/// A receiver that forwards the writer's answers to the service.
///
/// It is a separate object because the service's initializer needs a mailbox before the service is initialized.
private final class CommitReceiver {
  weak var service: ChannelService?
}
