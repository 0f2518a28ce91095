internal import MessageBus

/// The options of a node of a cluster.
public struct ClusterOptions: Sendable {
  /// The bus between the nodes.
  var bus: BusOptions
  /// The URL of the bus, which contains no password.
  var busURL: String { bus.address.url }
  /// The path of a file with the credentials of the bus; nil if the bus does not authenticate its clients.
  public var busCredentialsFile: String? {
    get { bus.credentialsFile }
    set { bus.credentialsFile = newValue }
  }
  /// The path of a file with the authorities that issue the certificate of the bus.
  public var busAuthorityFile: String? {
    get { bus.authorityFile }
    set { bus.authorityFile = newValue }
  }
  /// The name of the node, which stays the same when the node restarts.
  public var nodeName: String
  /// The absolute path of the file with the key that encrypts the shared keys.
  public var keyFile: String
  /// The time, in seconds, for which the node accepts pushes without a renewal of its lease.
  public var leaseSeconds = 60

  /// The version of Belfry, for `belfry node list`.
  public var version = ""

  /// The error for a URL that is not the URL of a bus.
  public struct InvalidBus: Error {
    /// The URL, unless it contains credentials, which must not get into a log.
    public let value: String
    /// A description of a valid URL.
    public let expected: String
  }

  /// Creates options from the values that have no default; `bus` is a URL such as `nats://bus.example.org`.
  public init(bus url: String, nodeName: String, keyFile: String) throws(InvalidBus) {
    do throws(BusAddress.Failure) {
      bus = BusOptions(address: try BusAddress(url), name: "belfry \(nodeName)")
    } catch {
      let hasSecret = url.utf8.contains(UInt8(ascii: "@"))
      throw InvalidBus(value: hasSecret ? "nats://…" : url, expected: "\(error)")
    }
    self.nodeName = nodeName
    self.keyFile = keyFile
  }

  /// The bytes of all options, to detect a change.
  var summary: [UInt8] {
    let parts: [String?] = [
      bus.address.url, bus.credentialsFile, bus.authorityFile, nodeName, keyFile,
      "\(leaseSeconds)",
    ]
    return parts.flatMap { [0] + Array(($0 ?? "").utf8) }
  }

  /// The permitted durations of a lease, in seconds.
  public static let leaseRange = 5...3_600

  /// The maximum number of event loops of a node.
  public static let loopsMax = Limits.clusterLoopsMax

  /// Returns true if a node can have this name: 1 to 64 letters, digits, dots, hyphens and underscores.
  public static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }
}
