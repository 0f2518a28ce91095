/// How many connections of each kind a gateway has at a time, derived from the descriptors that its process may open
/// (docs/hostile-peers.md).
struct ConnectionBounds: Equatable, Sendable {
  /// Why a connection is not served.
  enum Excess: String, CaseIterable, Sendable {
    /// Its address has too many that have not said yet who they are.
    case address
    /// All addresses together have.
    case unproven
    /// There are too many providers, or too many of its address.
    case provider
    /// There are too many devices.
    case device
    /// There are too many of all kinds together.
    case total
  }

  /// Connections of HTTP/1.1 on the console's port.
  let console: Int
  /// Connections on all other ports.
  let total: Int
  /// Those that have not shown yet who they are: a handshake, a first accepted request, a HELLO are still to come.
  let unproven: Int
  /// Those of one address: half, so that another one gets in.
  let unprovenOfAddress: Int
  /// TLS handshakes of each loop: one address alone cannot have so many unproven that the loops' handshakes, a storm of
  /// honest devices behind one address, would be refused.
  let handshakes: Int
  /// Providers, of all interfaces: there are few, and each does much.
  let providers: Int
  /// Providers of one address.
  let providersOfAddress: Int
  /// Devices; what is left is for providers, whatever devices do.
  let devices: Int

  init(descriptors: Int, loops: Int) {
    precondition(loops > 0, "a gateway needs a loop")
    let usable = max(descriptors, Self.descriptorsMin)
    console = min(Self.consoleMax, usable / 8)
    // Each loop has a listener for each port, epoll, an event and its log; the stores have a dozen files.
    let own = min(usable / 4, 64 + 16 * loops)
    total = usable - console - own
    unproven = min(Self.unprovenMax, total / 2)
    unprovenOfAddress = unproven / 2
    handshakes = max(1, unprovenOfAddress * 3 / 4 / loops)
    providers = total / 4
    providersOfAddress = providers / 2
    devices = total - total / 8
    checkInvariants()
  }

  func checkInvariants() {
    assert(unprovenOfAddress > 0 && providersOfAddress > 0 && console > 0, "every kind has room")
    assert(unproven <= total && providers <= total && devices < total, "no kind takes all")
  }

  /// Descriptors of the smallest machine that is reckoned with.
  private static let descriptorsMin = 128
  /// Connections to the console: some browsers' and scrapers'.
  private static let consoleMax = 128
  /// Unproven connections hold up to 60 KB each: 256 MB.
  private static let unprovenMax = 4_096
}
