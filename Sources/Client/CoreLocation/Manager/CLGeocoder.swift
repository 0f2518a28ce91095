public import Foundation

/// The completion handler of a geocoding request, which receives placemarks or an error.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// A converter between addresses and locations.
///
/// This system has no geocoding service: every request fails with `CLError.network`, as on a device without a
/// connection.
open class CLGeocoder: NSObject, @unchecked Sendable {
  // Sendable: the class has no stored properties.

  /// Creates a geocoder whose requests all fail.
  public override init() { super.init() }

  /// A Boolean value that indicates whether the geocoder is processing a request; always false.
  open var isGeocoding: Bool { false }

  /// Has no effect, because there are never requests to cancel.
  open func cancelGeocode() {}

  /// Looks up the address of a location.
  ///
  /// The handler receives `CLError.network` on the main queue.
  @preconcurrency
  open func reverseGeocodeLocation(
    _ location: CLLocation,
    completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
  ) { fail(completionHandler) }

  /// Looks up the address of a location.
  ///
  /// The handler receives `CLError.network` on the main queue.
  @preconcurrency
  open func reverseGeocodeLocation(
    _ location: CLLocation, preferredLocale locale: Locale?,
    completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
  ) { fail(completionHandler) }

  /// Looks up the location of an address.
  ///
  /// The handler receives `CLError.network` on the main queue.
  @preconcurrency
  open func geocodeAddressString(
    _ addressString: String,
    completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
  ) { fail(completionHandler) }

  /// Looks up the location of an address.
  ///
  /// The handler receives `CLError.network` on the main queue.
  @preconcurrency
  open func geocodeAddressString(
    _ addressString: String, in region: CLRegion?,
    completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
  ) { fail(completionHandler) }

  /// Looks up the address of a location.
  ///
  /// - Throws: Always `CLError.network`.
  open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }

  /// Looks up the address of a location.
  ///
  /// - Throws: Always `CLError.network`.
  open func reverseGeocodeLocation(
    _ location: CLLocation, preferredLocale locale: Locale?
  ) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }

  /// Looks up the location of an address.
  ///
  /// - Throws: Always `CLError.network`.
  open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }

  private func fail(_ handler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void) {
    DispatchQueue.main.async { handler(nil, CLError(.network)) }
  }
}
