import BelfryWire
import Storage
import System

/// The one place, on the main loop, where channels are made and removed and broadcasts are taken in, so that
/// every loop hears of them in one order; a broadcast is one message to each loop.
final class ChannelService {
  private let store: any ControlStore
  private let writer: ControlWriter
  private let loop: EventLoop
  private let log: Log
  private var peers: LoopPeers = []
  private var book = ChannelRegistry()
  private var making: [UInt32: Int] = [:]
  private var hasKept = false
  private var afterwards: [UInt64: (StorageFailure?) -> Void] = [:]
  private var nextTicket: UInt64 = 0
  private var replies: Mailbox<ControlReply>?

  init(store: any ControlStore, writer: ControlWriter, loop: EventLoop, log: Log) {
    self.store = store
    self.writer = writer
    self.loop = loop
    self.log = log
    replies = loop.mailbox(of: ControlReply.self) { [unowned self] replies in
      for reply in replies { afterwards.removeValue(forKey: reply.ticket)?(reply.failure) }
    }
    sweepLater()
  }

  /// The loops that hear of everything.
  func use(_ peers: LoopPeers) { self.peers = peers }

  /// What the store knows, a part for each loop.
  func snapshots(loops: Int) throws(StorageFailure) -> [ChannelSnapshot] {
    var common = ChannelSnapshot()
    for record in try store.channels() {
      guard let id = ChannelID(record.id) else { continue }
      book.add(id, app: record.app, ChannelConfiguration(keepsLatest: record.keepsLatest))
      common.channels.append((id, record.app))
    }
    for record in try store.broadcasts() {
      guard let id = ChannelID(record.channel), let app = book.app(of: id),
        let broadcast = Broadcast(record, app: app)
      else { continue }
      common.newest.append(broadcast)
      hasKept = true
    }
    var snapshots = Array(repeating: common, count: loops)
    for record in try store.subscriptions() {
      guard let id = ChannelID(record.channel) else { continue }
      snapshots[Int(record.device % UInt64(loops))].subscriptions.append(
        (record.device, id, record.received))
    }
    return snapshots
  }

  private func commit(_ changes: [ControlChange], then body: @escaping (StorageFailure?) -> Void) {
    guard let replies else { return }
    nextTicket += 1
    afterwards[nextTicket] = body
    writer.submit(changes: changes, ticket: nextTicket, reply: replies)
  }

  private func tell(_ news: ChannelUpdate) {
    for peer in peers { peer.post(.channels(news)) }
  }

  // MARK: Devices

  /// Whether a channel is there that a loop has not heard of; it has when this returns true.
  func introduce(_ id: ChannelID, app: UInt32) -> Bool {
    guard book.configuration(of: id, app: app) != nil else { return false }
    tell(.made(id, app: app))
    return true
  }

  // MARK: Providers

  /// Carries a request out; `answer` is called once.
  func take(_ request: ChannelRequest, answer: @escaping (ChannelAnswer) -> Void) {
    let app = request.app
    switch request.call {
    case .list:
      answer(.channels(book.channels(of: app)))
    case .read(let id):
      let configuration = book.configuration(of: id, app: app)
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
    guard book.hasRoom(app, waiting: making[app] ?? 0),
      let id = ChannelID(SystemRandom.bytes(ChannelID.byteCount))
    else { return answer(.refused(.cannotCreateChannelConfig)) }
    making[app, default: 0] += 1
    let record = ChannelRecord(
      id: id.bytes, app: app, keepsLatest: configuration.keepsLatest,
      createdMilliseconds: loop.unixMilliseconds)
    commit([.putChannel(record)]) { [unowned self] failure in
      making[app, default: 1] -= 1
      if let failure {
        log.error("cannot keep a channel", ["why": "\(failure)"])
        return answer(.refused(.internalServerError))
      }
      book.add(id, app: app, configuration)
      tell(.made(id, app: app))
      answer(.made(id))
    }
  }

  private func remove(
    _ id: ChannelID, app: UInt32, answer: @escaping (ChannelAnswer) -> Void
  ) {
    guard book.configuration(of: id, app: app) != nil else {
      return answer(.refused(.channelNotRegistered))
    }
    commit([.removeChannel(id: id.bytes)]) { [unowned self] failure in
      if let failure {
        log.error("cannot remove a channel", ["why": "\(failure)"])
        return answer(.refused(.internalServerError))
      }
      forget(id)
      answer(.removed)
    }
  }

  private func forget(_ id: ChannelID) {
    guard book.remove(id) else { return }
    tell(.removed(id))
  }

  private func broadcast(
    _ request: ChannelRequest, to id: ChannelID, priority: UInt8, expiration: Int64,
    answer: @escaping (ChannelAnswer) -> Void
  ) {
    let now = loop.unixMilliseconds
    func message(_ expiration: Int64, isKept: Bool) -> Broadcast {
      Broadcast(
        channel: id, app: request.app, id: request.id, uniqueID: request.uniqueID,
        expiration: expiration, priority: priority, payload: request.payload,
        acceptedMilliseconds: now, isKept: isKept)
    }
    switch book.broadcasting(
      to: id, app: request.app, expiration: expiration, atSeconds: now / 1_000)
    {
    case .refused(let rejection):
      answer(.refused(rejection))
    case .once:
      let message = message(0, isKept: false)
      tell(.broadcast(message))
      answer(.accepted(message))
    case .kept(let until):
      let message = message(until, isKept: true)
      hasKept = true
      commit([.putBroadcast(message.record)]) { [unowned self] failure in
        if let failure {
          log.error("cannot keep a broadcast", ["why": "\(failure)"])
          return answer(.refused(.internalServerError))
        }
        tell(.broadcast(message))
        answer(.accepted(message))
      }
    }
  }

  // MARK: The rest

  /// Takes in what the administration changed, already durable; a removed app's channels went with it.
  func changed(_ changes: [ControlChange]) {
    for change in changes {
      switch change {
      case .putChannel(let record):
        guard let id = ChannelID(record.id) else { continue }
        book.add(id, app: record.app, ChannelConfiguration(keepsLatest: record.keepsLatest))
        tell(.made(id, app: record.app))
      case .removeChannel(let bytes):
        if let id = ChannelID(bytes) { forget(id) }
      case .removeApp(let app):
        for id in book.channels(of: app) { forget(id) }
      default:
        continue
      }
    }
  }

  private func sweepLater() {
    _ = loop.schedule(afterNanoseconds: Limits.broadcastSweepNanoseconds) { [weak self] in
      guard let self else { return }
      if hasKept {
        commit([.removeExpiredBroadcasts(atUnixSeconds: loop.unixMilliseconds / 1_000)]) { _ in }
      }
      sweepLater()
    }
  }
}
