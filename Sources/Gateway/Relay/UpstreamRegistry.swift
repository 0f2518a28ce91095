import BelfryWire
import Storage
import Synchronization
import System
import Transport

/// The relays of all apps with an upstream, and the links that they share.
///
/// The main loop updates the registry when the directory changes; administrators' requests read it on other threads.
final class UpstreamRegistry: Sendable {
  private struct Entry {
    let record: UpstreamRecord
    let relay: AppRelay
  }

  private struct State {
    var entries: [UInt32: Entry] = [:]
    var links: [UpstreamAccess: UpstreamLink] = [:]
    var isClosed = false
  }

  private let folder: GatewayFolder
  private let makeCarrier: UpstreamCarrierFactory?
  private let log: Log
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Creates an empty registry; without `makeCarrier`, no push can be relayed.
  init(
    folder: GatewayFolder, makeCarrier: UpstreamCarrierFactory?, log: Log,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) {
    self.folder = folder
    self.makeCarrier = makeCarrier
    self.log = log
    self.now = now
  }

  /// Returns the relays for the stored upstreams, by the number of the app.
  ///
  /// The relay of an unchanged upstream is the same object as before, with its pushes and its connection. The pushes of
  /// a changed or removed upstream still get their answers.
  func update(_ records: [UpstreamRecord], apps: [AppRecord]) -> [UInt32: AppRelay] {
    let (former, knownLinks) = state.withLock { ($0.entries, $0.links) }
    guard !records.isEmpty || !former.isEmpty else { return [:] }
    // Only this method adds links. It reads a file and can start a thread, so it does not hold the lock meanwhile.
    var entries: [UInt32: Entry] = [:]
    var links: [UpstreamAccess: UpstreamLink] = [:]
    for record in records {
      if let known = former[record.app], known.record == record,
        case .link(let link) = known.relay.access
      {
        entries[record.app] = known
        for (access, shared) in knownLinks where shared === link { links[access] = link }
        continue
      }
      let topic = apps.first { $0.number == record.app }?.bundleID ?? ""
      let access = access(to: record, topic: topic, known: knownLinks, &links)
      entries[record.app] = Entry(
        record: record, relay: AppRelay(topic: topic, access: access, now: now))
    }
    for (app, entry) in former where entries[app]?.relay !== entry.relay {
      entry.relay.withdraw()
    }
    assert(entries.count == records.count, "each upstream has a relay")
    assert(links.count <= records.count, "each link belongs to an upstream")
    let isClosed = state.withLock { state in
      guard !state.isClosed else { return true }
      (state.entries, state.links) = (entries, links)
      return false
    }
    guard !isClosed else {
      for link in links.values { link.carrier.close() }
      return [:]
    }
    return entries.mapValues(\.relay)
  }

  private func access(
    to record: UpstreamRecord, topic: String, known: [UpstreamAccess: UpstreamLink],
    _ links: inout [UpstreamAccess: UpstreamLink]
  ) -> AppRelay.Access {
    do {
      guard let key = try UpstreamSealer(in: folder)?.open(record) else {
        return unusable(topic, "the key in \(folder.file(UpstreamSealer.file)) does not decrypt it")
      }
      guard let makeCarrier else { return unusable(topic, "this program cannot relay pushes") }
      let (host, port) = record.address
      let access = UpstreamAccess(
        host: host, port: port, keyID: record.keyID, teamID: record.teamID, privateKeyPEM: key,
        authorityPEM: record.authorityPEM.isEmpty ? nil : record.authorityPEM)
      if let link = links[access] ?? known[access] {
        links[access] = link
        return .link(link)
      }
      let link = UpstreamLink(try makeCarrier(access))
      links[access] = link
      return .link(link)
    } catch {
      return unusable(topic, "\(error)")
    }
  }

  private func unusable(_ topic: String, _ why: String) -> AppRelay.Access {
    log.error(
      "cannot use the publisher's key for an upstream: run 'belfry upstream add' again",
      ["topic": topic, "why": why])
    return .unusable(reason: why)
  }

  /// Makes all later pushes to an app's upstream fail.
  func withdraw(app: UInt32) { state.withLock { $0.entries[app]?.relay.withdraw() } }

  /// Returns the state of an app's upstream, as `belfry upstream list` shows it; nil if the app has no upstream.
  func state(ofApp app: UInt32) -> String? {
    state.withLock { $0.entries[app]?.relay }?.state
  }

  /// Closes all connections.
  func close() {
    let links = state.withLock { state in
      state.isClosed = true
      state.entries = [:]
      return Array(exchange(&state.links, with: [:]).values)
    }
    for link in links { link.carrier.close() }
  }
}
