internal import BelfryWire
internal import Storage
internal import System

/// The condition of a gateway; its health probes can query the condition on any thread.
public struct GatewayCondition: Sendable {
  /// The findings at startup, one sentence each.
  private let found: [String]
  private let stores: [StoreHealth]
  private let damages: [(name: String, damage: StoreDamage)]

  /// The lease of a node of a cluster; nil for a single gateway.
  private var lease: ClusterLease?
  /// A function that returns true while a node of a cluster is connected to the bus; nil for a single gateway.
  private var hasBus: (@Sendable () -> Bool)?
  /// The name of a node of a cluster; nil for a single gateway.
  public private(set) var nodeName: String?
  /// The URL of the bus of a node of a cluster; nil for a single gateway.
  public private(set) var busURL: String?
  private let certificateEnds: CertificateEnds
  private let folder: GatewayFolder
  /// The paths of secret files outside the folder.
  private let secretFiles: [String]

  init(_ resources: GatewayResources, of configuration: GatewayConfiguration) {
    certificateEnds = resources.certificateEnds
    folder = GatewayFolder(path: configuration.folder)
    secretFiles = configuration.secretFiles
    found = [resources.restoration].compactMap(\.self) + resources.notices
    damages = resources.damages
    stores = [resources.controlStore.health, resources.notificationStore.health].compactMap(\.self)
  }

  /// Adds the state of a node of a cluster.
  mutating func use(_ node: ClusterNodeRuntime, bus url: String?) {
    assert(nodeName == nil, "a gateway is a node of at most one cluster")
    lease = node.lease
    hasBus = { node.isConnected }
    nodeName = node.name
    busURL = url
  }

  /// The reason that the gateway can't accept anything, such as a failing disk; nil if the gateway works.
  public var obstacle: String? {
    if let failure = stores.lazy.compactMap(\.failure).first { return "\(failure)" }
    guard let lease, !lease.isValid(at: SystemClock.elapsedMilliseconds) else { return nil }
    return "this node's lease has ended: check the connection to the database"
  }

  /// True while a node of a cluster is connected to the bus; nil for a single gateway.
  public var isOnBus: Bool? { hasBus?() }

  /// The expiration times of the gateway's certificates, one per kind.
  public var ends: [CertificateEnd] { certificateEnds.all }

  /// During a rotation, the number of devices that haven't yet presented a certificate from the new authority;
  /// otherwise, nil.
  public var waitingDevices: Int? { certificateEnds.waitingDevices }

  /// The sizes of the data folder's files and the free space on its disk.
  public var storage: FolderStorage { FolderStorage(folder) }

  /// Notices for the operator about a gateway that is ready, one sentence each.
  public var notices: [String] {
    found + stores.compactMap(\.readFailure).map { "\($0)" } + setAside
      + (isOnBus == false ? [Self.busIsAbsent] : [])
      + certificateEnds.problems(atSeconds: SystemClock.unixMilliseconds / 1_000)
      + secretFiles.filter(FileSystem.isReadableByAll).map {
        "\(Self.exposedFile) \($0): run chmod 600 on it"
      }
  }

  /// The beginning of the notice about a secret file outside the data folder that every user can read.
  public static let exposedFile = "every user of this machine can read the secret file"

  private static let busIsAbsent =
    "the bus is absent: notifications for devices that are connected to other nodes arrive about a second later, and "
    + "those with expiration 0 are refused"

  private var setAside: [String] {
    damages.compactMap { name, damage in
      damage.summary.map {
        "\(name) had damaged rows, which were set aside (\($0)): requests that may depend on them get a 503 response; "
          + "see 'belfry damage list'"
      }
    }
  }
}
