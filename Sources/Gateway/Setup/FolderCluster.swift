import MessageBus
import PostgresStorage
import Storage

/// The parts of a cluster's node that its data folder and its options determine.
struct FolderCluster {
  let resources: ClusterResources
  let secrets: ClusterSecrets
  private let folder: GatewayFolder

  init(_ options: ClusterOptions, _ stores: PostgresStores, _ folder: GatewayFolder) throws {
    guard let cluster = stores.cluster else {
      throw GatewayServer.Failure.setup("the database was not opened by a node of a cluster")
    }
    self.folder = folder
    secrets = try ClusterSecrets(cluster.membership, keyFile: options.keyFile)
    // Clusters that share a bus have different databases, and therefore different subjects.
    let link = try DatabaseLink(of: folder)
    let prefix = "belfry.\(link?.id ?? "")"
    var resources = ClusterResources(
      membership: cluster.membership, claims: cluster.claims,
      connect: { node, onEvent in
        try NATSClusterBus(options.bus, prefix: prefix, node: node, onEvent: onEvent)
      },
      leaseMilliseconds: Int64(options.leaseSeconds) * 1_000)
    resources.version = options.version
    self.resources = resources
  }

  /// Throws if the database does not contain a cluster, or if the cluster key of these options cannot decrypt its keys.
  ///
  /// The check precedes the start of the node, because a start under a name stops the node that has the name.
  static func check(
    _ options: ClusterOptions, _ database: PostgresDatabase, at address: PostgresAddress
  ) throws {
    guard let sealed = try database.secret(ClusterSecrets.name) else {
      throw GatewayServer.Failure.setup(
        "the database \(address.url) does not contain a cluster: correct --store, or create a cluster with "
          + "'belfry cluster init'")
    }
    try ClusterSecrets.check(sealed, keyFile: options.keyFile)
  }

  /// Writes the keys of the cluster to the folder.
  func pullSecrets() throws {
    guard try secrets.pull(into: folder) else {
      throw GatewayServer.Failure.setup(
        "the database does not contain a cluster: create one with 'belfry cluster init'")
    }
  }

  /// Stores the folder's keys, to which this node might have added its names.
  func pushSecrets() throws { _ = try secrets.push(from: folder, replaces: true) }
}

/// The bus of a cluster on a NATS server.
final class NATSClusterBus: ClusterBus {
  private let bus: BusClient
  private let prefix: String

  init(
    _ options: BusOptions, prefix: String, node: UInt16,
    onEvent: @escaping @Sendable (ClusterBusEvent) -> Void
  ) throws(MessageBusFailure) {
    self.prefix = prefix
    bus = try BusClient(options) { event in
      switch event {
      case .message(_, let payload): onEvent(.message(payload))
      case .connected: onEvent(.connected)
      // Messages before the subscription are missing, so the store is read.
      case .subscribed: onEvent(.connected)
      case .disconnected(let why): onEvent(.disconnected(why: why))
      case .lost(let why): onEvent(.lost(why: why))
      }
    }
    bus.subscribe("\(prefix).node.\(node)")
    bus.subscribe("\(prefix).all")
  }

  var isConnected: Bool { bus.isConnected }

  func send(_ message: [UInt8], to node: UInt16?) -> Bool {
    bus.publish(message, to: node.map { "\(prefix).node.\($0)" } ?? "\(prefix).all")
  }

  func close() { bus.close() }
}
