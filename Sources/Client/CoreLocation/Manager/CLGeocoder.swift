public import Foundation

/// What a geocoder calls: places, or why there are none.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// Addresses of positions, and positions of addresses.
///
/// No service for that is there on this system: every question is answered with
/// `CLError.network`, as on a device without one.
open class CLGeocoder: NSObject, @unchecked Sendable {
  // Sendable: it holds nothing.

  /// A geocoder.
  public override init() { super.init() }

  /// Whether it is at work: never.
  open var isGeocoding: Bool { false }

  /// Does nothing.
  open func cancelGeocode() {}

  /// The address of a position; the handler gets `CLError.network` on the main queue.
  @preconcurrency
  open func reverseGeocodeLocation(
    _ location: CLLocation,
    completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
  ) { fail(completionHandler) }

  /// The address of a position; the handler gets `CLError.network` on the main queue.
  @preconcurrency
  open func reverseGeocodeLocation(
    _ location: CLLocation, preferredLocale locale: Locale?,
    completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
  ) { fail(completionHandler) }

  /// The position of an address; the handler gets `CLError.network` on the main queue.
  @preconcurrency
  open func geocodeAddressString(
    _ addressString: String,
    completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
  ) { fail(completionHandler) }

  /// The position of an address; the handler gets `CLError.network` on the main queue.
  @preconcurrency
  open func geocodeAddressString(
    _ addressString: String, in region: CLRegion?,
    completionHandler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void
  ) { fail(completionHandler) }

  /// The address of a position.
  ///
  /// - Throws: always `CLError.network`.
  open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }

  /// The address of a position.
  ///
  /// - Throws: always `CLError.network`.
  open func reverseGeocodeLocation(
    _ location: CLLocation, preferredLocale locale: Locale?
  ) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }

  /// The position of an address.
  ///
  /// - Throws: always `CLError.network`.
  open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }

  private func fail(_ handler: @escaping @Sendable ([CLPlacemark]?, (any Error)?) -> Void) {
    DispatchQueue.main.async { handler(nil, CLError(.network)) }
  }
}
