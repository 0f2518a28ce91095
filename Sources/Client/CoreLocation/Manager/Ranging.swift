import Foundation

extension CLLocationManager {
  /// Returns whether the device can measure distances to beacons; always false on this system.
  public class func isRangingAvailable() -> Bool { false }

  /// The regions whose beacons are ranged; always empty.
  @available(iOS, deprecated: 13.0, renamed: "rangedBeaconConstraints")
  public var rangedRegions: Set<CLRegion> { [] }

  /// The constraints whose beacons are ranged; always empty.
  public var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> { [] }

  /// Has no effect: this system does not measure distances to beacons, but can monitor their regions.
  public func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {}

  /// Has no effect, because beacons are not ranged on this system.
  public func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {}

  /// Has no effect: this system does not measure distances to beacons, but can monitor their regions.
  @available(iOS, deprecated: 13.0, renamed: "startRangingBeacons(satisfying:)")
  public func startRangingBeacons(in region: CLBeaconRegion) {}

  /// Has no effect, because beacons are not ranged on this system.
  @available(iOS, deprecated: 13.0, renamed: "stopRangingBeacons(satisfying:)")
  public func stopRangingBeacons(in region: CLBeaconRegion) {}

  /// Requests temporary permission for precise locations.
  ///
  /// The app already has this permission, so there is no prompt.
  ///
  /// The completion handler is called on the main queue without an error.
  @preconcurrency
  public func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String,
    completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    guard let completion else { return }
    DispatchQueue.main.async { completion(nil) }
  }
}
