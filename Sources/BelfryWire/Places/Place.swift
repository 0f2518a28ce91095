import Glibc

/// Where the device is, or was.
public struct Place: Hashable, Sendable {
  /// Degrees north.
  public var latitude: Double
  /// Degrees east.
  public var longitude: Double
  /// How sure it is.
  public var certainty: Certainty

  /// How sure a place is.
  public enum Certainty: Hashable, Sendable {
    /// Told by a person or a command: the device is there.
    case told
    /// Measured, within so many metres; nil when the source does not say.
    case measured(metres: Double?)
  }

  /// Makes a place; nil when it lies on no globe.
  public init?(latitude: Double, longitude: Double, certainty: Certainty) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.certainty = certainty
  }

  /// Metres to a point, along a globe of the Earth's mean radius (haversine).
  ///
  /// Off by at most 0.6 %, since the Earth is flattened: less than what a fix is off for any region
  /// that a person walks through.
  public func distance(toLatitude latitude: Double, longitude: Double) -> Double {
    let radians = Double.pi / 180
    let north = sin((latitude - self.latitude) * radians / 2)
    let east = sin((longitude - self.longitude) * radians / 2)
    let chord =
      north * north + cos(self.latitude * radians) * cos(latitude * radians) * east * east
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }
}
