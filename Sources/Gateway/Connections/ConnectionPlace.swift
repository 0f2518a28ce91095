import System
import Transport

/// The place of one connection in the census, from its acceptance until its socket is closed.
///
/// A device leaves it when its certificate has named it; ``DeviceConnection`` is counted from then on.
final class ConnectionPlace: StreamPlace {
  let address: String
  /// When it was accepted, in its loop's nanoseconds.
  let since: Int64
  private enum State { case unproven, provider, device }

  private var state = State.unproven
  private let census: ConnectionCensus

  init(_ census: ConnectionCensus, address: String, since: Int64) {
    self.census = census
    self.address = address
    self.since = since
    census.enter(address)
  }

  deinit {
    if state == .unproven { census.endedUnproven() }
    census.leave(address, isProvider: state == .provider)
  }

  var isProven: Bool { state != .unproven }

  /// Notes that a provider's credentials were accepted.
  func proveProvider() {
    guard state == .unproven else { return }
    state = .provider
    census.prove(address)
  }

  /// Notes that a device's certificate has named it, or was issued to it: it gives this place up now.
  func proveDevice() {
    guard state == .unproven else { return }
    state = .device
  }
}

/// The unproven connections of one loop, the oldest first.
struct UnprovenConnections {
  private struct Entry { weak var place: ConnectionPlace? }

  private var entries: [Entry] = []

  mutating func add(_ place: ConnectionPlace) {
    // What has ended or was proven is taken out when it may be half of all.
    if entries.count >= nextSweep {
      entries.removeAll { $0.place?.isProven != false }
      nextSweep = max(64, entries.count * 2)
    }
    entries.append(Entry(place: place))
  }

  private var nextSweep = 64

  /// Closes the oldest, of one address or of all, that has had time to show who it is; whether there was one.
  func evict(of address: String?, at now: Int64) -> Bool {
    for entry in entries {
      guard let place = entry.place, !place.isProven else { continue }
      guard now - place.since >= Limits.unprovenNanoseconds else { return false }
      guard address == nil || place.address == address, let stream = place.stream, stream.isOpen
      else { continue }
      stream.close(afterFlush: false)
      return true
    }
    return false
  }
}

/// Admission of connections, before any handshake.
extension GatewayLoop {
  /// Notes what the stream's peer has shown.
  func prove(_ stream: ByteStream?) { (stream?.place as? ConnectionPlace)?.proveProvider() }

  /// Whether the connection is served: it takes a place, and where there is none, that of one that has shown nothing.
  func admit(_ stream: ByteStream, to kind: ConnectionCensus.Kind) -> Bool {
    // A simulated network has no addresses.
    guard let address = stream.peerAddress?.host else { return true }
    let census = shared.census
    if let excess = census.excess(kind, from: address) {
      guard makeRoom(for: excess, address) else {
        census.refused(excess)
        logRefusal(of: stream, excess)
        return false
      }
      census.evicted()
    }
    let place = ConnectionPlace(census, address: address, since: loop.nowNanoseconds)
    stream.place = place
    unproven.add(place)
    return true
  }

  private func makeRoom(for excess: ConnectionBounds.Excess, _ address: String) -> Bool {
    switch excess {
    case .address: unproven.evict(of: address, at: loop.nowNanoseconds)
    case .unproven, .total: unproven.evict(of: nil, at: loop.nowNanoseconds)
    case .provider, .device: false
    }
  }

  /// Logs one refusal a second: a flood must not fill the log too.
  private func logRefusal(of stream: ByteStream, _ excess: ConnectionBounds.Excess) {
    guard loop.nowNanoseconds >= nextRefusalLine else { return }
    nextRefusalLine = loop.nowNanoseconds + Limits.refusalLogNanoseconds
    log.warning(
      "refused a connection, and maybe more: see belfry_connections_refused_total",
      ["peer": stream.peerDescription, "bound": excess.rawValue])
  }
}
