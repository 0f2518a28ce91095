import CoreLocation
import Foundation
import PushKit

// This file uses every signature of client-api sections 2.4 and 2.5. The test passes if the file compiles.

private func coordinates() {
  let point: CLLocationCoordinate2D = CLLocationCoordinate2DMake(0, 0)
  let _ = CLLocationCoordinate2D()
  let _: Bool = CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid)
  let _: (CLLocationDegrees, CLLocationDegrees) = (point.latitude, point.longitude)
  let location = CLLocation(latitude: 1, longitude: 2)
  let _: (CLLocationCoordinate2D, CLLocationDistance, CLLocationAccuracy, Date) = (
    location.coordinate, location.altitude, location.horizontalAccuracy, location.timestamp
  )
  let _: CLLocationDistance = location.distance(from: location)
  let _: (CLLocationSpeed, CLLocationDirection) = (location.speed, location.course)
  let _: CLLocationDistance = kCLDistanceFilterNone
}

private func regions() {
  let circle = CLCircularRegion(
    center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 3, identifier: "")
  let region: CLRegion = circle
  region.notifyOnEntry = true
  region.notifyOnExit = false
  let _: (String, CLLocationCoordinate2D, CLLocationDistance, Bool) = (
    region.identifier, circle.center, circle.radius, circle.contains(circle.center)
  )
  let _ = CLRegion(circularRegionWithCenter: circle.center, radius: 1, identifier: "")
  let uuid = UUID()
  let beacons = [
    CLBeaconRegion(uuid: uuid, identifier: ""),
    CLBeaconRegion(uuid: uuid, major: CLBeaconMajorValue(1), identifier: ""),
    CLBeaconRegion(uuid: uuid, major: 1, minor: CLBeaconMinorValue(2), identifier: ""),
    CLBeaconRegion(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid), identifier: ""),
    CLBeaconRegion(proximityUUID: uuid, identifier: ""),
  ]
  for beacon in beacons {
    let _: (UUID, NSNumber?, NSNumber?) = (beacon.uuid, beacon.major, beacon.minor)
    beacon.notifyEntryStateOnDisplay = true
  }
}

private func manager(_ manager: CLLocationManager, _ region: CLRegion) {
  manager.delegate = nil
  let _: CLAuthorizationStatus = manager.authorizationStatus
  let _: CLAuthorizationStatus = CLLocationManager.authorizationStatus()
  let _: CLAccuracyAuthorization = manager.accuracyAuthorization
  let _: Bool = CLLocationManager.locationServicesEnabled()
  let _: Bool = CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self)
  manager.requestWhenInUseAuthorization()
  manager.requestAlwaysAuthorization()
  manager.startUpdatingLocation()
  manager.stopUpdatingLocation()
  manager.requestLocation()
  manager.startMonitoringSignificantLocationChanges()
  manager.stopMonitoringSignificantLocationChanges()
  manager.allowsBackgroundLocationUpdates = true
  let _: CLLocation? = manager.location
  manager.desiredAccuracy = kCLLocationAccuracyBest
  manager.distanceFilter = 10
  let _: Set<CLRegion> = manager.monitoredRegions
  let _: CLLocationDistance = manager.maximumRegionMonitoringDistance
  manager.startMonitoring(for: region)
  manager.stopMonitoring(for: region)
  manager.requestState(for: region)
}

private final class LocationDelegate: NSObject, CLLocationManagerDelegate {
  func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {}
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
  func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {
    if let error = error as? CLError, error.code == .denied { manager.stopUpdatingLocation() }
  }
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {}
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: Error
  ) {}
  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
}

private func ranging(
  _ manager: CLLocationManager, _ region: CLBeaconRegion, _ constraint: CLBeaconIdentityConstraint
) {
  let _: Bool = CLLocationManager.isRangingAvailable()
  manager.startRangingBeacons(in: region)
  manager.stopRangingBeacons(in: region)
  manager.startRangingBeacons(satisfying: constraint)
  manager.stopRangingBeacons(satisfying: constraint)
  let _: Set<CLRegion> = manager.rangedRegions
  let _: Set<CLBeaconIdentityConstraint> = manager.rangedBeaconConstraints
  manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "")
  manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "") { _ in }
}

private final class RangingDelegate: NSObject, CLLocationManagerDelegate {
  func locationManager(
    _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
  ) {
    for beacon in beacons where beacon.proximity == .near {
      let _: (UUID, NSNumber, NSNumber) = (beacon.proximityUUID, beacon.major, beacon.minor)
      let _: (CLLocationAccuracy, Int, Date) = (beacon.accuracy, beacon.rssi, beacon.timestamp)
    }
  }
  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {}
  func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion,
    withError error: Error
  ) {}
  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
    error: Error
  ) {}
}

private func geocoding(_ geocoder: CLGeocoder, _ location: CLLocation) async throws {
  geocoder.geocodeAddressString("") { places, _ in
    let _: CLLocationCoordinate2D? = places?.first?.location?.coordinate
  }
  geocoder.reverseGeocodeLocation(location) { (placemarks, error) in
    let _: [String?]? = placemarks?.map { $0.locality }
  }
  geocoder.reverseGeocodeLocation(location, preferredLocale: nil) { _, _ in }
  let _: [CLPlacemark] = try await geocoder.reverseGeocodeLocation(location)
  let _: [CLPlacemark] = try await geocoder.geocodeAddressString("")
  if geocoder.isGeocoding { geocoder.cancelGeocode() }
}

private func registry(_ delegate: RegistryDelegate) {
  let registry = PKPushRegistry(queue: nil)
  let _ = PKPushRegistry(queue: DispatchQueue.main)
  registry.delegate = delegate
  registry.desiredPushTypes = [.voIP, .fileProvider]
  let _: Data? = registry.pushToken(for: .voIP)
  let _: PKPushType = PKPushType(rawValue: "")
}

private final class RegistryDelegate: NSObject, PKPushRegistryDelegate {
  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
  ) { let _: (PKPushType, Data) = (pushCredentials.type, pushCredentials.token) }
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType, completion: @escaping () -> Void
  ) {
    let _: (PKPushType, [AnyHashable: Any]) = (payload.type, payload.dictionaryPayload)
    completion()
  }
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping () -> Void
  ) {
    let _: Bool = metadata.mustReport
    completion()
  }
  func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}

private final class AsyncRegistryDelegate: NSObject, PKPushRegistryDelegate {
  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
  ) {}
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType
  ) async {}
}
