package import AppWire
import Foundation

extension NotificationRegion {
  /// Creates a region in the agent's wire format.
  ///
  /// A region without a shape becomes a circle with a negative radius, which the device never enters.
  package init(_ region: CLRegion) {
    let shape: Shape
    if let beacon = region as? CLBeaconRegion {
      shape = .beacon(
        uuid: beacon.uuid.uuidString, major: beacon.major?.int64Value,
        minor: beacon.minor?.int64Value)
    } else {
      shape = .circle(
        latitude: region.center.latitude, longitude: region.center.longitude,
        radius: region.radius)
    }
    self.init(
      id: region.identifier, shape: shape, notifiesOnEntry: region.notifyOnEntry,
      notifiesOnExit: region.notifyOnExit)
  }
}

extension CLRegion {
  /// Creates a region from the agent's wire format; nil if its beacon UUID is invalid.
  package static func make(_ region: NotificationRegion) -> CLRegion? {
    let result: CLRegion
    switch region.shape {
    case .circle(let latitude, let longitude, let radius):
      result = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), radius: radius,
        identifier: region.id)
    case .beacon(let uuid, let major, let minor):
      guard let uuid = UUID(uuidString: uuid) else { return nil }
      result = CLBeaconRegion(
        beaconIdentityConstraint: CLBeaconIdentityConstraint(
          identity: uuid, major: major.flatMap(UInt16.init(exactly:)),
          minor: minor.flatMap(UInt16.init(exactly:))),
        identifier: region.id)
    }
    result.notifyOnEntry = region.notifiesOnEntry
    result.notifyOnExit = region.notifiesOnExit
    return result
  }
}
