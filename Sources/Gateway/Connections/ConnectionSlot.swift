import System
import Transport

/// A connection's slot in the census, from its acceptance until its socket is closed.
///
/// A device gives up its slot once its certificate has identified it; from then on, its ``DeviceConnection`` is
/// counted.
final class ConnectionSlot: StreamSlot {
  let address: String
  /// The time at which the connection was accepted, on its loop's clock, in nanoseconds.
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

  /// Marks the connection as a provider's, because its credentials were accepted.
  func proveProvider() {
    guard state == .unproven else { return }
    state = .provider
    census.prove(address)
  }

  /// Marks the connection as a device's, because a certificate identified the device or was issued to it.
  ///
  /// The device gives up its slot in the census at this point.
  func proveDevice() {
    guard state == .unproven else { return }
    state = .device
  }
}

/// The unproven connections of one loop, oldest first.
struct UnprovenConnections {
  private struct Entry { weak var slot: ConnectionSlot? }

  private var entries: [Entry] = []

  mutating func add(_ slot: ConnectionSlot) {
    // Remove closed and proven connections only when they may account for half of all entries.
    if entries.count >= nextSweep {
      entries.removeAll { $0.slot?.isProven != false }
      nextSweep = max(64, entries.count * 2)
    }
    entries.append(Entry(slot: slot))
  }

  private var nextSweep = 64

  /// Closes the oldest unproven connection that has had time to authenticate, from one address or from any.
  ///
  /// Returns true if it closed one.
  func evict(of address: String?, at now: Int64) -> Bool {
    for entry in entries {
      guard let slot = entry.slot, !slot.isProven else { continue }
      guard now - slot.since >= Limits.unprovenNanoseconds else { return false }
      guard address == nil || slot.address == address, let stream = slot.stream, stream.isOpen
      else { continue }
      stream.close(afterFlush: false)
      return true
    }
    return false
  }
}

/// The admission of connections, before any handshake.
extension GatewayLoop {
  /// Marks the stream's peer as an authenticated provider.
  func prove(_ stream: ByteStream?) { (stream?.slot as? ConnectionSlot)?.proveProvider() }

  /// Admits a connection and returns true, or returns false if there is no room for it.
  ///
  /// The connection takes a free slot, or else the slot of an unproven connection.
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
    let slot = ConnectionSlot(census, address: address, since: loop.nowNanoseconds)
    stream.slot = slot
    unproven.add(slot)
    return true
  }

  private func makeRoom(for excess: ConnectionBounds.Excess, _ address: String) -> Bool {
    switch excess {
    case .address: unproven.evict(of: address, at: loop.nowNanoseconds)
    case .unproven, .total: unproven.evict(of: nil, at: loop.nowNanoseconds)
    case .provider, .device: false
    }
  }

  /// Logs at most one refusal per second, so that a flood doesn't fill the log.
  private func logRefusal(of stream: ByteStream, _ excess: ConnectionBounds.Excess) {
    guard loop.nowNanoseconds >= nextRefusalLine else { return }
    nextRefusalLine = loop.nowNanoseconds + Limits.refusalLogNanoseconds
    log.warning(
      "refused a connection: see belfry_connections_refused_total for the number",
      ["peer": stream.peerDescription, "bound": excess.rawValue])
  }
}
