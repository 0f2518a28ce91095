import Glibc

/// A position of the device.
public struct Place: Hashable, Sendable {
  /// Degrees north.
  public var latitude: Double
  /// Degrees east.
  public var longitude: Double
  /// How the position is known.
  public var certainty: Certainty

  /// How a position is known.
  public enum Certainty: Hashable, Sendable {
    /// Given by a person or a command.
    case exact
    /// Measured, with an accuracy in metres; nil where the source gives none.
    case measured(metres: Double?)
  }

  /// Makes a position; nil where the coordinates are out of range.
  public init?(latitude: Double, longitude: Double, certainty: Certainty) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.certainty = certainty
  }

  /// The distance to a point in metres, on a sphere of the Earth's mean radius (haversine).
  ///
  /// The error of up to 0.6 %, because the Earth is flattened, is below the accuracy of a fix for any
  /// region that a person walks through.
  public func distance(toLatitude latitude: Double, longitude: Double) -> Double {
    let radians = Double.pi / 180
    let north = sin((latitude - self.latitude) * radians / 2)
    let east = sin((longitude - self.longitude) * radians / 2)
    let chord =
      north * north + cos(self.latitude * radians) * cos(latitude * radians) * east * east
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }
}
