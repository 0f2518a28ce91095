public import Foundation

/// A beacon whose distance was measured; never reported on this system.
open class CLBeacon: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The identity that the beacon shares with related beacons.
  public let uuid: UUID

  /// The identity that the beacon shares with related beacons.
  @available(iOS, deprecated: 13.0, renamed: "uuid")
  open var proximityUUID: UUID { uuid }

  /// The number of the beacon's group.
  public let major: NSNumber

  /// The number of the beacon within its group.
  public let minor: NSNumber

  /// The proximity of the beacon.
  public let proximity: CLProximity

  /// The uncertainty of the distance in meters; negative if unknown.
  public let accuracy: CLLocationAccuracy

  /// The strength of the beacon's signal in decibels.
  public let rssi: Int

  /// The time at which the beacon was ranged.
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
