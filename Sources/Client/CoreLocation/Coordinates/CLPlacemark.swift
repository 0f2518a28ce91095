public import Foundation

/// What is at a position: its address.
///
/// No service on this system finds addresses; an app has one only as a copy of another.
open class CLPlacemark: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: it holds nothing.

  /// A copy.
  public init(placemark: CLPlacemark) { super.init() }

  /// Returns the placemark itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Where it is: not known.
  open var location: CLLocation? { nil }

  /// The area of the place: not known.
  open var region: CLRegion? { nil }

  /// The zone of its time: not known.
  open var timeZone: TimeZone? { nil }

  /// Its name: not known.
  open var name: String? { nil }

  /// The street: not known.
  open var thoroughfare: String? { nil }

  /// The house: not known.
  open var subThoroughfare: String? { nil }

  /// The town: not known.
  open var locality: String? { nil }

  /// The part of the town: not known.
  open var subLocality: String? { nil }

  /// The state or province: not known.
  open var administrativeArea: String? { nil }

  /// The part of the state or province: not known.
  open var subAdministrativeArea: String? { nil }

  /// The postal code: not known.
  open var postalCode: String? { nil }

  /// The country's code: not known.
  open var isoCountryCode: String? { nil }

  /// The country: not known.
  open var country: String? { nil }

  /// The lake or river: not known.
  open var inlandWater: String? { nil }

  /// The ocean: not known.
  open var ocean: String? { nil }

  /// What is of interest there: not known.
  open var areasOfInterest: [String]? { nil }
}
