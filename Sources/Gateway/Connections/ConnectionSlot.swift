import System
import Transport

/// A connection's slot in the census, from its acceptance until its socket is closed.
///
/// A device gives up its slot once its certificate has identified it; afterward, its ``DeviceConnection`` is counted
/// instead.
final class ConnectionSlot: StreamSlot {
  let address: String
  /// The time at which the connection was accepted, in nanoseconds on the clock of the connection's loop.
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

  /// A place for this connection on another loop; give up the slot after taking it.
  var arrival: UnprovenArrival { UnprovenArrival(census, address: address) }

  /// Marks the connection as a device's, because a certificate identified the device or was issued to it.
  ///
  /// The device's slot in the census is released at this point.
  func proveDevice() {
    guard state == .unproven else { return }
    state = .device
  }
}

/// The place in the census of a connection that moves to another loop before its peer has authenticated.
///
/// Unlike a slot, it can be released on any loop. A connection with such a place is not closed to make room, so its time
/// to authenticate must be limited.
final class UnprovenArrival: Sendable {
  private let address: String
  private let census: ConnectionCensus

  init(_ census: ConnectionCensus, address: String) {
    self.address = address
    self.census = census
    census.enter(address)
  }

  deinit { census.leave(address, isProvider: false) }
}

/// The unproven connections of one loop, oldest first.
struct UnprovenConnections {
  private struct Entry { weak var slot: ConnectionSlot? }

  private var entries: [Entry] = []

  mutating func add(_ slot: ConnectionSlot) {
    // Remove closed and proven connections only when they might make up half of the entries.
    if entries.count >= nextSweep {
      entries.removeAll { $0.slot?.isProven != false }
      nextSweep = max(64, entries.count * 2)
    }
    entries.append(Entry(slot: slot))
  }

  private var nextSweep = 64

  /// Closes the oldest unproven connection that has had time to authenticate.
  ///
  /// If `address` isn't nil, only connections from that address are considered. Returns true if a connection was
  /// closed.
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

extension ByteStream {
  /// Marks the peer as an authenticated provider in the census.
  func proveProvider() { (slot as? ConnectionSlot)?.proveProvider() }
}
