import Foundation

extension CLLocationManager {
  /// Whether distances to beacons can be measured: not on this system.
  public class func isRangingAvailable() -> Bool { false }

  /// The regions whose beacons are ranged: none.
  @available(iOS, deprecated: 13.0, renamed: "rangedBeaconConstraints")
  public var rangedRegions: Set<CLRegion> { [] }

  /// The beacons that are ranged: none.
  public var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> { [] }

  /// Does nothing: this system measures no distances to beacons, but watches their regions.
  public func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {}

  /// Does nothing.
  public func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {}

  /// Does nothing: this system measures no distances to beacons, but watches their regions.
  @available(iOS, deprecated: 13.0, renamed: "startRangingBeacons(satisfying:)")
  public func startRangingBeacons(in region: CLBeaconRegion) {}

  /// Does nothing.
  @available(iOS, deprecated: 13.0, renamed: "stopRangingBeacons(satisfying:)")
  public func stopRangingBeacons(in region: CLBeaconRegion) {}

  /// Asks for precise positions for a while: the app has them already, so there is no prompt.
  ///
  /// `completion`: no error, on the main queue.
  @preconcurrency
  public func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String,
    completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    guard let completion else { return }
    DispatchQueue.main.async { completion(nil) }
  }
}
