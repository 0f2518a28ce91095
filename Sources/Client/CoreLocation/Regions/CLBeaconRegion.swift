public import Foundation

/// A region around Bluetooth beacons.
///
/// While a beacon region is monitored, the agent listens for its beacons if the machine has Bluetooth.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
  /// The constraint on the identity of the beacons.
  public let beaconIdentityConstraint: CLBeaconIdentityConstraint

  /// A Boolean value that indicates whether the state is reported when the display turns on; false by default.
  open var notifyEntryStateOnDisplay = false

  /// A description of the region's fields, for logs.
  open override var description: String {
    RegionDescription.beacons(self, beaconIdentityConstraint)
  }

  /// Creates a region for all beacons with the given identity.
  public convenience init(uuid: UUID, identifier: String) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid), identifier: identifier)
  }

  /// Creates a region for the beacons with the given identity and first number.
  public convenience init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major),
      identifier: identifier)
  }

  /// Creates a region for the beacons with the given identity and both numbers.
  public convenience init(
    uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
  ) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor),
      identifier: identifier)
  }

  /// Creates a region for the beacons that satisfy the constraint.
  public init(
    beaconIdentityConstraint beaconIdentity: CLBeaconIdentityConstraint, identifier: String
  ) {
    beaconIdentityConstraint = beaconIdentity
    super.init(name: identifier)
  }

  /// Creates a region for all beacons with the given identity.
  @available(iOS, deprecated: 13.0, renamed: "init(uuid:identifier:)")
  public convenience init(proximityUUID: UUID, identifier: String) {
    self.init(uuid: proximityUUID, identifier: identifier)
  }

  /// Creates a region for the beacons with the given identity and first number.
  @available(iOS, deprecated: 13.0, renamed: "init(uuid:major:identifier:)")
  public convenience init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
    self.init(uuid: proximityUUID, major: major, identifier: identifier)
  }

  /// Creates a region for the beacons with the given identity and both numbers.
  @available(iOS, deprecated: 13.0, renamed: "init(uuid:major:minor:identifier:)")
  public convenience init(
    proximityUUID: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
  ) {
    self.init(uuid: proximityUUID, major: major, minor: minor, identifier: identifier)
  }

  /// The identity that the beacons share.
  open var uuid: UUID { beaconIdentityConstraint.uuid }

  /// The identity that the beacons share.
  @available(iOS, deprecated: 13.0, renamed: "uuid")
  open var proximityUUID: UUID { beaconIdentityConstraint.uuid }

  /// The first number of the beacons; nil for any.
  open var major: NSNumber? { beaconIdentityConstraint.major.map { NSNumber(value: $0) } }

  /// The second number of the beacons; nil for any.
  open var minor: NSNumber? { beaconIdentityConstraint.minor.map { NSNumber(value: $0) } }

  /// Returns a copy with the same notification options.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CLBeaconRegion(
      beaconIdentityConstraint: beaconIdentityConstraint, identifier: identifier)
    copy.notifyOnEntry = notifyOnEntry
    copy.notifyOnExit = notifyOnExit
    copy.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
    return copy
  }

  /// Creates a region from an archive; nil if the archive does not contain one.
  public required init?(coder: NSCoder) {
    guard let identity = CLBeaconIdentityConstraint(coder: coder) else { return nil }
    beaconIdentityConstraint = identity
    notifyEntryStateOnDisplay = coder.decodeBool(forKey: "notifyEntryStateOnDisplay")
    super.init(coder: coder)
  }

  /// Writes the region to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    beaconIdentityConstraint.encode(with: coder)
    coder.encode(notifyEntryStateOnDisplay, forKey: "notifyEntryStateOnDisplay")
  }
}
