import Foundation

/// The descriptions of regions in the format of Apple's systems.
enum RegionDescription {
  static func circle(
    _ region: CLRegion, _ center: CLLocationCoordinate2D, _ radius: CLLocationDistance
  ) -> String {
    let place = String(
      format: "<%+.8f,%+.8f>", center.latitude, center.longitude)
    let metres = String(format: "%.2f", radius)
    return "\(type(of: region)) (identifier:'\(region.identifier)', center:\(place), "
      + "radius:\(metres)m)"
  }

  static func beacons(_ region: CLRegion, _ identity: CLBeaconIdentityConstraint) -> String {
    let major = identity.major.map { "\($0)" } ?? "(null)"
    let minor = identity.minor.map { "\($0)" } ?? "(null)"
    return "\(type(of: region)) (identifier:'\(region.identifier)', "
      + "uuid:\(identity.uuid.uuidString), major:\(major), minor:\(minor))"
  }
}
