public import Foundation

/// The surroundings of Bluetooth beacons.
///
/// The agent listens for them while one is watched, where the machine has Bluetooth.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
  /// Which beacons.
  public let beaconIdentityConstraint: CLBeaconIdentityConstraint

  /// Whether the state is reported when the display is switched on; false unless changed.
  open var notifyEntryStateOnDisplay = false

  /// The region's fields, for a log.
  open override var description: String {
    RegionDescription.beacons(self, beaconIdentityConstraint)
  }

  /// Every beacon of an identity.
  public convenience init(uuid: UUID, identifier: String) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid), identifier: identifier)
  }

  /// The beacons of an identity with this first number.
  public convenience init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major),
      identifier: identifier)
  }

  /// The beacons of an identity with both numbers.
  public convenience init(
    uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
  ) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor),
      identifier: identifier)
  }

  /// The beacons that fulfil the constraint.
  public init(
    beaconIdentityConstraint beaconIdentity: CLBeaconIdentityConstraint, identifier: String
  ) {
    beaconIdentityConstraint = beaconIdentity
    super.init(name: identifier)
  }

  /// Every beacon of an identity.
  @available(iOS, deprecated: 13.0, renamed: "init(uuid:identifier:)")
  public convenience init(proximityUUID: UUID, identifier: String) {
    self.init(uuid: proximityUUID, identifier: identifier)
  }

  /// The beacons of an identity with this first number.
  @available(iOS, deprecated: 13.0, renamed: "init(uuid:major:identifier:)")
  public convenience init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
    self.init(uuid: proximityUUID, major: major, identifier: identifier)
  }

  /// The beacons of an identity with both numbers.
  @available(iOS, deprecated: 13.0, renamed: "init(uuid:major:minor:identifier:)")
  public convenience init(
    proximityUUID: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
  ) {
    self.init(uuid: proximityUUID, major: major, minor: minor, identifier: identifier)
  }

  /// The beacons' common identity.
  open var uuid: UUID { beaconIdentityConstraint.uuid }

  /// The beacons' common identity.
  @available(iOS, deprecated: 13.0, renamed: "uuid")
  open var proximityUUID: UUID { beaconIdentityConstraint.uuid }

  /// The first number, or nil for any.
  open var major: NSNumber? { beaconIdentityConstraint.major.map { NSNumber(value: $0) } }

  /// The second number, or nil for any.
  open var minor: NSNumber? { beaconIdentityConstraint.minor.map { NSNumber(value: $0) } }

  /// A copy with the same switches.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CLBeaconRegion(
      beaconIdentityConstraint: beaconIdentityConstraint, identifier: identifier)
    copy.notifyOnEntry = notifyOnEntry
    copy.notifyOnExit = notifyOnExit
    copy.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
    return copy
  }

  /// Reads an archived region; nil when the archive has none.
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
