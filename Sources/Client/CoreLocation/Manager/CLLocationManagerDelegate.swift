public import Foundation

/// The delegate for the events of a location manager.
///
/// Every member is optional: those that the conforming class leaves out do nothing. They are called
/// on the thread that made the manager; it needs a running run loop, as the main thread of an app
/// has.
@preconcurrency
public protocol CLLocationManagerDelegate: NSObjectProtocol {
  /// The permission was settled or changed; called first, once a manager has been made.
  @available(iOS, deprecated: 14.0, renamed: "locationManagerDidChangeAuthorization(_:)")
  func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)

  /// The permission was settled or changed; called first, once a manager has been made.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

  /// New positions, oldest first; at least one.
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

  /// No position could be found.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

  /// The device came into a watched region.
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

  /// The device left a watched region.
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

  /// The answer to `requestState(for:)`.
  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)

  /// A region cannot be watched.
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?,
    withError error: any Error)

  /// A region is being watched from now on.
  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

  /// A new heading; never called on this system.
  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)

  /// A stay began or ended; never called on this system.
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)

  /// Updates were paused; never called on this system.
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

  /// Updates go on; never called on this system.
  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

  /// Beacons were ranged; never called on this system.
  @available(iOS, deprecated: 13.0, renamed: "locationManager(_:didRange:satisfying:)")
  func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)

  /// Beacons were ranged; never called on this system.
  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint)

  /// Beacons cannot be ranged; never called on this system.
  @available(iOS, deprecated: 13.0, renamed: "locationManager(_:didFailRangingFor:error:)")
  func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error)

  /// Beacons cannot be ranged; never called on this system.
  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error)
}

extension CLLocationManagerDelegate {
  /// Does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {}

  /// Does nothing.
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}

  /// Does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
  ) {}

  /// Does nothing.
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}

  /// Does nothing.
  public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}

  /// Does nothing.
  public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}

  /// Does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didStartMonitoringFor region: CLRegion
  ) {}

  /// Does nothing.
  public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}

  /// Does nothing.
  public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}

  /// Does nothing.
  public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}

  /// Does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  ) {}

  /// Does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {}
}
