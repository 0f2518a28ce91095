public import Foundation

/// The address of a location.
///
/// This system has no geocoding service, so an app can only create a placemark as a copy of another.
open class CLPlacemark: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the class has no stored properties.

  /// Creates a copy of a placemark.
  public init(placemark: CLPlacemark) { super.init() }

  /// Returns the same object, because placemarks are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The location of the placemark; always nil.
  open var location: CLLocation? { nil }

  /// The region of the placemark; always nil.
  open var region: CLRegion? { nil }

  /// The time zone of the placemark; always nil.
  open var timeZone: TimeZone? { nil }

  /// The name of the placemark; always nil.
  open var name: String? { nil }

  /// The name of the street; always nil.
  open var thoroughfare: String? { nil }

  /// The house number; always nil.
  open var subThoroughfare: String? { nil }

  /// The name of the city; always nil.
  open var locality: String? { nil }

  /// The name of the district; always nil.
  open var subLocality: String? { nil }

  /// The name of the state or province; always nil.
  open var administrativeArea: String? { nil }

  /// The name of the county; always nil.
  open var subAdministrativeArea: String? { nil }

  /// The postal code of the placemark; always nil.
  open var postalCode: String? { nil }

  /// The ISO code of the country; always nil.
  open var isoCountryCode: String? { nil }

  /// The name of the country; always nil.
  open var country: String? { nil }

  /// The name of the lake or river; always nil.
  open var inlandWater: String? { nil }

  /// The name of the ocean; always nil.
  open var ocean: String? { nil }

  /// The names of nearby points of interest; always nil.
  open var areasOfInterest: [String]? { nil }
}
