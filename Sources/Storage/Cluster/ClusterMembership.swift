/// The number of a node, from 1 to 1023, which no other node of the database has.
public typealias NodeNumber = UInt16

/// A node of a cluster, as recorded in the database.
public struct ClusterNode: Sendable, Equatable {
  /// The number of the node.
  public let number: NodeNumber
  /// The name of the node, which stays the same when the node restarts.
  public let name: String  // text: an operator chose it
  /// The number of starts under this name, plus the number of times that other nodes declared this node dead.
  public let epoch: Int64
  /// A counter that the node increments with each renewal of its lease.
  public let beat: Int64
  /// The number of the last change that the node has applied.
  public let appliedChange: Int64
  /// The time of the last renewal on the database server's clock, in milliseconds since 1970, for display only.
  public let seenMilliseconds: Int64
  /// The number of devices that were connected to the node at its last renewal.
  public let devices: Int64
  /// The version of Belfry that the node runs.
  public let version: String  // text: our own
  /// True if the node has left the cluster, or another node has declared it dead.
  public let isEnded: Bool

  /// Creates a node from its parts.
  public init(
    number: NodeNumber, name: String, epoch: Int64, beat: Int64, appliedChange: Int64,
    isEnded: Bool, seenMilliseconds: Int64 = 0, devices: Int64 = 0, version: String = ""
  ) {
    self.number = number
    self.name = name
    self.epoch = epoch
    self.beat = beat
    self.appliedChange = appliedChange
    self.isEnded = isEnded
    self.seenMilliseconds = seenMilliseconds
    self.devices = devices
    self.version = version
  }
}

/// A change that other nodes must apply, as recorded in the database.
public struct ClusterChange: Sendable, Equatable {
  /// The part of the stored data that changed.
  public enum Subject: Sendable, Equatable {
    /// Teams, keys, certificates, or apps.
    case directory
    /// A channel, or its message.
    case channel([UInt8])
    /// A device was revoked.
    case device(UInt64)
    /// A named value of the gateway.
    case setting(String)  // text: our own names
  }

  /// The number of the change; numbers are in the order of the commits.
  public let number: Int64
  /// The data that the change concerns.
  public let subject: Subject

  /// Creates a change from its parts.
  public init(number: Int64, subject: Subject) {
    self.number = number
    self.subject = subject
  }
}

/// The membership of this process in a cluster.
///
/// Calls block.
public protocol ClusterMembership: AnyObject, Sendable {
  /// The number of this node.
  var number: NodeNumber { get }
  /// The name of this node.
  var name: String { get }
  /// Renews the lease, and records that every change up to `applied` has been applied, the number of connected devices,
  /// and the version of Belfry.
  ///
  /// Returns the number of the last change. Throws `.takenOver` if another node has declared this node dead, or if
  /// another process has started under its name.
  func renew(
    applied: Int64, devices: Int64, version: String
  ) throws(StorageFailure) -> Int64
  /// Returns all nodes, including ended ones.
  func nodes() throws(StorageFailure) -> [ClusterNode]
  /// Declares a node dead if its epoch and its beat are still those in `node`; its later commits fail.
  ///
  /// Returns true if the node is now ended.
  func end(_ node: ClusterNode) throws(StorageFailure) -> Bool
  /// Returns at most `limit` changes with numbers above `number`, in order.
  func changes(after number: Int64, limit: Int) throws(StorageFailure) -> [ClusterChange]
  /// Returns the number of the last change.
  func lastChange() throws(StorageFailure) -> Int64
  /// Returns a secret that all nodes share, as it was stored.
  func secret(_ name: String) throws(StorageFailure) -> [UInt8]?
  /// Stores a secret, which the caller has encrypted, unless it exists and `replaces` is false.
  ///
  /// Returns the stored value.
  func putSecret(
    _ name: String, _ value: [UInt8], replaces: Bool
  ) throws(StorageFailure) -> [UInt8]
  /// Leaves the cluster: the node's lease and claims end now.
  func leave() throws(StorageFailure)
}
