import Glibc

/// A position of the device.
public struct Place: Hashable, Sendable {
  /// The latitude in degrees north.
  public var latitude: Double
  /// The longitude in degrees east.
  public var longitude: Double
  /// The certainty of the position.
  public var certainty: Certainty

  /// The certainty of a position, according to its source.
  public enum Certainty: Hashable, Sendable {
    /// The position was specified by the user or a command.
    case exact
    /// The position was measured with this accuracy in meters; nil if the source does not report the accuracy.
    case measured(metres: Double?)
  }

  /// Creates a position.
  ///
  /// Returns nil if the coordinates are out of range.
  public init?(latitude: Double, longitude: Double, certainty: Certainty) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.certainty = certainty
  }

  /// Returns the distance to a point in meters, on a sphere with the Earth's mean radius (haversine).
  ///
  /// The flattening of the Earth causes an error of up to 0.6 %. For a region that a user can walk across, this error
  /// is smaller than the error of a position fix.
  public func distance(toLatitude latitude: Double, longitude: Double) -> Double {
    let radians = Double.pi / 180
    let north = sin((latitude - self.latitude) * radians / 2)
    let east = sin((longitude - self.longitude) * radians / 2)
    let chord =
      north * north + cos(self.latitude * radians) * cos(latitude * radians) * east * east
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }
}
