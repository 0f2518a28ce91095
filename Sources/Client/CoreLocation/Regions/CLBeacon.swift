public import Foundation

/// A beacon that was ranged; none ever is on this system.
open class CLBeacon: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The beacon's id, which its kin share.
  public let uuid: UUID

  /// The beacon's id, which its kin share.
  @available(iOS, deprecated: 13.0, renamed: "uuid")
  open var proximityUUID: UUID { uuid }

  /// The beacon's group.
  public let major: NSNumber

  /// The beacon in its group.
  public let minor: NSNumber

  /// How far away it is.
  public let proximity: CLProximity

  /// Uncertainty of the distance in metres; negative when unknown.
  public let accuracy: CLLocationAccuracy

  /// The signal's strength in decibels.
  public let rssi: Int

  /// When it was ranged.
  public let timestamp: Date

  init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
    self.uuid = uuid
    self.major = NSNumber(value: major)
    self.minor = NSNumber(value: minor)
    proximity = .unknown
    accuracy = -1
    rssi = 0
    timestamp = Date()
    super.init()
  }
}
