public import Foundation

/// A direction in degrees, as a value: this system has none.
open class CLHeading: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// Degrees from magnetic north.
  public let magneticHeading: CLLocationDirection

  /// Degrees from true north; negative where that is not known.
  public let trueHeading: CLLocationDirection

  /// How many degrees it may be off; negative where it means nothing.
  public let headingAccuracy: CLLocationDirection

  /// When it was measured.
  public let timestamp: Date

  init(
    magneticHeading: CLLocationDirection, trueHeading: CLLocationDirection,
    headingAccuracy: CLLocationDirection, timestamp: Date
  ) {
    self.magneticHeading = magneticHeading
    self.trueHeading = trueHeading
    self.headingAccuracy = headingAccuracy
    self.timestamp = timestamp
    super.init()
  }
}
