/// A coordinate on the WGS 84 ellipsoid.
public struct CLLocationCoordinate2D: Sendable {
  /// The latitude in degrees north of the equator.
  public var latitude: CLLocationDegrees

  /// The longitude in degrees east of Greenwich.
  public var longitude: CLLocationDegrees

  /// Creates the coordinate 0°, 0°.
  public init() {
    latitude = 0
    longitude = 0
  }

  /// Creates a coordinate from its two angles.
  ///
  /// The angles are not checked; see `CLLocationCoordinate2DIsValid`.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Returns the great-circle distance to another coordinate, in meters, on a sphere with the Earth's mean radius.
  package func distance(to other: CLLocationCoordinate2D) -> CLLocationDistance {
    let radians = Double.pi / 180
    let latitudes = (latitude * radians, other.latitude * radians)
    let halfLatitude = (latitudes.1 - latitudes.0) / 2
    let halfLongitude = (other.longitude - longitude) * radians / 2
    let chord =
      halfLatitude.sine * halfLatitude.sine
      + latitudes.0.cosine * latitudes.1.cosine * halfLongitude.sine * halfLongitude.sine
    return 2 * Self.meanRadius * min(1, chord.squareRoot()).arcSine
  }

  /// The mean radius of the Earth in meters (IUGG R1).
  private static let meanRadius: CLLocationDistance = 6_371_008.8
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A coordinate that is not a valid location on Earth.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns whether the latitude is within ±90° and the longitude within ±180°.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
  abs(coord.latitude) <= 90 && abs(coord.longitude) <= 180
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Creates a coordinate from its two angles.
public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
  CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}
