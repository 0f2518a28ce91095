internal import BelfryWire
internal import Storage
internal import System

/// How a gateway stands, as its probes ask it from any thread.
public struct GatewayCondition: Sendable {
  /// What was found at the start, a sentence each.
  private let found: [String]
  private let stores: [StoreHealth]
  private let damages: [(name: String, damage: StoreDamage)]

  private let certificateEnds: CertificateEnds
  private let folder: GatewayFolder

  init(_ resources: GatewayResources, folder: String) {
    certificateEnds = resources.certificateEnds
    self.folder = GatewayFolder(path: folder)
    found = [resources.restoration].compactMap(\.self) + resources.losses
    damages = resources.damages
    stores = [resources.controlHealth, resources.notificationHealth].compactMap(\.self)
  }

  /// Why the gateway can accept nothing; nil where it can.
  public var obstacle: String? {
    stores.lazy.compactMap(\.failure).first.map { "\($0)" }
  }

  /// When the gateway's certificates end, one of each kind.
  public var ends: [CertificateEnd] { certificateEnds.all }

  /// While one authority takes another's place: how many devices have not shown a certificate of the new one.
  public var waitingDevices: Int? { certificateEnds.waitingDevices }

  /// The data folder's files and the room on its disk.
  public var storage: FolderStorage { FolderStorage(folder) }

  /// What a person should know of a gateway that is ready, a sentence each.
  public var notices: [String] {
    found + stores.compactMap(\.readFailure).map { "\($0)" } + setAside
      + certificateEnds.problems(atSeconds: SystemClock.unixMilliseconds / 1_000)
  }

  private var setAside: [String] {
    damages.compactMap { name, damage in
      damage.summary.map {
        "\(name) had damaged rows, which are set aside (\($0)): what may depend on them is answered 503; see "
          + "`belfry damage list`"
      }
    }
  }
}
