public import Foundation

/// A stay at a place, as a value: this system reports none.
open class CLVisit: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// When it began; the distant past where that is not known.
  public let arrivalDate: Date

  /// When it ended; the distant future while it lasts.
  public let departureDate: Date

  /// Where it was.
  public let coordinate: CLLocationCoordinate2D

  /// How far the place may be from there, in metres.
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
