/// A request to make this node the only writer of a device.
public struct DeviceClaimRequest: Sendable, Hashable {
  /// The condition under which a claim succeeds.
  public enum Mode: Sendable, Hashable {
    /// Claim the device unless another live node has claimed it.
    case ifFree
    /// Claim the device regardless of its owner; the owner's later commits for the device fail.
    case take
    /// Claim the device only if this node was the last one to which the device connected.
    case reclaim
  }

  /// The number of the device.
  public let device: UInt64
  /// The condition under which the claim succeeds.
  public let mode: Mode
  /// True if the device is connected to this node.
  public let hasLink: Bool

  /// Creates a request from its parts.
  public init(device: UInt64, mode: Mode, hasLink: Bool) {
    self.device = device
    self.mode = mode
    self.hasLink = hasLink
  }
}

/// The state of a device that this node has just claimed.
public struct ClaimedDevice: Sendable {
  /// The device, which can be revoked.
  public let device: DeviceRecord
  /// The device's registrations, active or not.
  public let registrations: [RegistrationRecord]
  /// The device's subscriptions to channels.
  public let subscriptions: [SubscriptionRecord]
  /// The highest sequence number of the device's stored notifications; 0 if it has no stored notifications.
  public let highestSequence: UInt64
  /// The node that owned the device before, which might not know that it has lost the claim; nil if there was none.
  public let formerOwner: NodeNumber?
  /// True if the device last connected to another node, which is alive and might still be connected to the device.
  public let mayBeConnectedElsewhere: Bool

  /// Creates a claimed device from its parts.
  public init(
    device: DeviceRecord, registrations: [RegistrationRecord],
    subscriptions: [SubscriptionRecord], highestSequence: UInt64, formerOwner: NodeNumber? = nil,
    mayBeConnectedElsewhere: Bool = false
  ) {
    assert(
      registrations.allSatisfy { $0.key.device == device.number },
      "the registrations are the device's")
    assert(
      subscriptions.allSatisfy { $0.device == device.number }, "the subscriptions are the device's")
    self.device = device
    self.registrations = registrations
    self.subscriptions = subscriptions
    self.highestSequence = highestSequence
    self.formerOwner = formerOwner
    self.mayBeConnectedElsewhere = mayBeConnectedElsewhere
  }
}

/// The result of a request to claim a device.
public enum DeviceClaimResult: Sendable {
  /// This node is the device's owner until another node claims the device.
  case held(ClaimedDevice)
  /// Another node is the device's owner.
  case elsewhere(NodeNumber)
  /// No device has this number.
  case unknown
}

/// Another node's claim on a device that was last connected to this node.
public struct ClaimElsewhere: Sendable, Hashable {
  /// The number of the device.
  public let device: UInt64
  /// The number of the claim, which changes if the device connects to any node.
  public let number: Int64

  /// Creates a claim from its parts.
  public init(device: UInt64, number: Int64) {
    self.device = device
    self.number = number
  }
}

/// The claims on devices, which ensure that only one node at a time writes a device's rows.
///
/// A claim is a row in the database. Every commit checks the claims of the devices that it concerns, so a node that has
/// lost a claim cannot write, even if it doesn't know about the loss. Calls block.
public protocol DeviceClaims: AnyObject, Sendable {
  /// Claims devices in one transaction, and returns the results in the order of the requests.
  ///
  /// A device appears at most once in `requests`.
  func claim(_ requests: [DeviceClaimRequest]) throws(StorageFailure) -> [DeviceClaimResult]
  /// Forgets this node's claim on a device without writing; commits for the device fail from now on.
  func forget(_ device: UInt64)
  /// Returns the devices that were last connected to this node, and that another node has claimed.
  ///
  /// The other node has accepted notifications for these devices, which this node must load after it reclaims them.
  func devicesClaimedElsewhere() throws(StorageFailure) -> [ClaimElsewhere]
  /// Returns the elements of `devices`, all of which are connected to this node, that this node does not own, or
  /// that the database does not record as connected to this node.
  func lostLinks(among devices: [UInt64]) throws(StorageFailure) -> [UInt64]
  /// Removes the record that these devices are connected to this node, unless their claims have changed.
  func removeLinks(_ claims: [ClaimElsewhere]) throws(StorageFailure)
}
