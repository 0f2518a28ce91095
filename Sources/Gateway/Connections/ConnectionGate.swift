import System
import Transport

/// A gate that admits or refuses a loop's connections before any handshake.
struct ConnectionGate {
  private let census: ConnectionCensus
  private var unproven = UnprovenConnections()
  /// The time before which no further refusal is logged, in monotonic nanoseconds.
  private var nextLine: Int64 = 0

  init(_ census: ConnectionCensus) { self.census = census }

  /// Admits a connection and returns true, or returns false if there is no room for it.
  ///
  /// The connection takes a free slot. If no slot is free, it takes the slot of an unproven connection.
  mutating func admit(
    _ stream: ByteStream, to kind: ConnectionCensus.Kind, at now: Int64, log: Log
  ) -> Bool {
    // A simulated network has no addresses.
    guard let address = stream.peerAddress?.host else { return true }
    if let excess = census.excess(kind, from: address) {
      guard makeRoom(for: excess, address, at: now) else {
        census.refused(excess)
        logRefusal(of: stream, excess, at: now, log)
        return false
      }
      census.evicted()
    }
    let slot = ConnectionSlot(census, address: address, since: now)
    stream.slot = slot
    unproven.add(slot)
    return true
  }

  private func makeRoom(
    for excess: ConnectionBounds.Excess, _ address: String, at now: Int64
  ) -> Bool {
    switch excess {
    case .address: unproven.evict(of: address, at: now)
    case .unproven, .total: unproven.evict(of: nil, at: now)
    case .provider, .device: false
    }
  }

  /// Logs at most one refusal per second, so that a flood doesn't fill the log.
  private mutating func logRefusal(
    of stream: ByteStream, _ excess: ConnectionBounds.Excess, at now: Int64, _ log: Log
  ) {
    guard now >= nextLine else { return }
    nextLine = now + Limits.refusalLogNanoseconds
    log.warning(
      "refused a connection: see belfry_connections_refused_total for the number",
      ["peer": stream.peerDescription, "bound": excess.rawValue])
  }
}
