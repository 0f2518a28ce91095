public import Foundation

/// A visit to a place; never reported on this system.
open class CLVisit: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The start of the visit; the distant past if unknown.
  public let arrivalDate: Date

  /// The end of the visit; the distant future while the visit lasts.
  public let departureDate: Date

  /// The coordinate of the place.
  public let coordinate: CLLocationCoordinate2D

  /// The radius of uncertainty of the coordinate, in meters.
  public let horizontalAccuracy: CLLocationAccuracy

  init(
    arrivalDate: Date, departureDate: Date, coordinate: CLLocationCoordinate2D,
    horizontalAccuracy: CLLocationAccuracy
  ) {
    self.arrivalDate = arrivalDate
    self.departureDate = departureDate
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    super.init()
  }
}
