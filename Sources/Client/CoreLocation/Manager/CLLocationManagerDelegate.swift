public import Foundation

/// The delegate that handles a location manager's events.
///
/// Every member is optional; the default implementations do nothing. The methods are called on the thread that created
/// the manager. The thread must have a running run loop, as the main thread of an app does.
@preconcurrency
public protocol CLLocationManagerDelegate: NSObjectProtocol {
  /// Reports the permission after the manager is created, and whenever the permission changes.
  ///
  /// This method is called before all others.
  @available(iOS, deprecated: 14.0, renamed: "locationManagerDidChangeAuthorization(_:)")
  func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)

  /// Reports the permission after the manager is created, and whenever the permission changes.
  ///
  /// This method is called before all others.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

  /// Reports one or more new locations, oldest first.
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

  /// Tells the delegate that the location could not be determined.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

  /// Tells the delegate that the device entered a monitored region.
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

  /// Tells the delegate that the device left a monitored region.
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

  /// Reports the answer to `requestState(for:)`.
  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)

  /// Tells the delegate that a region cannot be monitored.
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?,
    withError error: any Error)

  /// Tells the delegate that monitoring of a region started.
  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

  /// Reports a new heading; never called on this system.
  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)

  /// Reports the start or end of a visit; never called on this system.
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)

  /// Tells the delegate that updates were paused; never called on this system.
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

  /// Tells the delegate that updates resumed; never called on this system.
  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

  /// Reports the distances of beacons; never called on this system.
  @available(iOS, deprecated: 13.0, renamed: "locationManager(_:didRange:satisfying:)")
  func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)

  /// Reports the distances of beacons; never called on this system.
  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint)

  /// Tells the delegate that beacon ranging failed; never called on this system.
  @available(iOS, deprecated: 13.0, renamed: "locationManager(_:didFailRangingFor:error:)")
  func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error)

  /// Tells the delegate that beacon ranging failed; never called on this system.
  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error)
}

extension CLLocationManagerDelegate {
  /// The default implementation does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {}

  /// The default implementation does nothing.
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}

  /// The default implementation does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
  ) {}

  /// The default implementation does nothing.
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}

  /// The default implementation does nothing.
  public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}

  /// The default implementation does nothing.
  public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}

  /// The default implementation does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {}

  /// The default implementation does nothing.
  public func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {}

  /// The default implementation does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didStartMonitoringFor region: CLRegion
  ) {}

  /// The default implementation does nothing.
  public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}

  /// The default implementation does nothing.
  public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}

  /// The default implementation does nothing.
  public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}

  /// The default implementation does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading
  ) {}

  /// The default implementation does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  ) {}

  /// The default implementation does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {}

  /// The default implementation does nothing.
  public func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: any Error
  ) {}

  /// The default implementation does nothing.
  public func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: any Error
  ) {}
}
