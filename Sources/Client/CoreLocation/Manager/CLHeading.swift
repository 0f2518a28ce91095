public import Foundation

/// A direction in which the device points, in degrees; never measured on this system.
open class CLHeading: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The heading in degrees from magnetic north.
  public let magneticHeading: CLLocationDirection

  /// The heading in degrees from true north; negative if unknown.
  public let trueHeading: CLLocationDirection

  /// The maximum deviation of the heading in degrees; negative if the heading is invalid.
  public let headingAccuracy: CLLocationDirection

  /// The time at which the heading was measured.
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
