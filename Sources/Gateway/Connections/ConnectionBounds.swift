/// The maximum number of simultaneous connections of each kind, derived from the number of file descriptors that the
/// process can open (docs/hostile-peers.md).
struct ConnectionBounds: Equatable, Sendable {
  /// The reason that a connection is refused.
  enum Excess: String, CaseIterable, Sendable {
    /// The address has too many connections that haven't yet authenticated.
    case address
    /// All addresses together have too many connections that haven't yet authenticated.
    case unproven
    /// Too many providers are connected, in total or from this address.
    case provider
    /// Too many devices are connected.
    case device
    /// Too many connections of all kinds are open.
    case total
  }

  /// The maximum number of HTTP/1.1 connections on the console's port.
  let console: Int
  /// The maximum number of connections on all other ports.
  let total: Int
  /// The maximum number of unproven connections: those that haven't completed a handshake, a first accepted request, or
  /// a HELLO.
  let unproven: Int
  /// The maximum number of unproven connections from one address: half of the total, so that other addresses can still
  /// connect.
  let unprovenOfAddress: Int
  /// The maximum number of TLS handshakes in progress on each loop.
  ///
  /// A connection that waits for its handshake costs almost nothing, because its bytes aren't read yet.
  let handshakes: Int
  /// The maximum number of provider connections from all addresses.
  ///
  /// There are few providers, and each sends many pushes.
  let providers: Int
  /// The maximum number of provider connections from one address.
  let providersOfAddress: Int
  /// The maximum number of device connections.
  ///
  /// The remaining connections are reserved for providers, however many devices connect.
  let devices: Int

  init(descriptors: Int, loops: Int) {
    precondition(loops > 0, "a gateway has at least one loop")
    let usable = max(descriptors, Self.descriptorsMin)
    console = min(Self.consoleMax, usable / 8)
    // Each loop uses one listener per port, an epoll descriptor, an event descriptor, and its log; the stores use about
    // 12 files.
    let own = min(usable / 4, 64 + 16 * loops)
    total = usable - console - own
    unproven = total - total / 4
    unprovenOfAddress = unproven / 2
    handshakes = max(1, unproven / 2 / loops)
    providers = total / 4
    providersOfAddress = providers / 2
    devices = total - total / 8
    checkInvariants()
  }

  func checkInvariants() {
    assert(
      unprovenOfAddress > 0 && providersOfAddress > 0 && console > 0,
      "every kind of connection is allowed")
    assert(
      unproven <= total && providers <= total && devices < total,
      "the limit of each kind is within the total")
  }

  /// The lowest number of file descriptors that the limits are derived from, even if the process can open fewer.
  private static let descriptorsMin = 128
  /// The maximum number of connections to the console, from a few browsers and scrapers.
  private static let consoleMax = 128
}
