public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of `CLError`.
public let kCLErrorDomain: String = "kCLErrorDomain"

/// An error that explains why location information is unavailable.
public struct CLError: Foundation._BridgedStoredNSError, Sendable {
  /// The error object that this value wraps.
  public let _nsError: NSError

  /// Wraps an error object, whose domain must be `kCLErrorDomain`.
  public init(_nsError error: NSError) {
    precondition(error.domain == kCLErrorDomain, "a CLError wraps an error of kCLErrorDomain")
    _nsError = error
  }

  /// The domain of all errors of this type.
  public static var _nsErrorDomain: String { kCLErrorDomain }

  /// The domain of all errors of this type.
  public static var errorDomain: String { kCLErrorDomain }

  /// The error codes in `kCLErrorDomain`.
  public enum Code: Int, Foundation._ErrorCodeProtocol, Sendable {
    /// The error type that uses these codes.
    public typealias _ErrorType = CLError

    /// The location is currently unknown, but might become known later.
    case locationUnknown = 0
    /// The user does not allow the app to use the location.
    case denied = 1
    /// The network or geocoding service was unavailable.
    case network = 2
    /// The heading could not be determined.
    case headingFailure = 3
    /// The user does not allow the app to monitor regions.
    case regionMonitoringDenied = 4
    /// The region cannot be monitored, because it is too large or because the app monitors too many regions.
    case regionMonitoringFailure = 5
    /// Monitoring of the region could not start immediately.
    case regionMonitoringSetupDelayed = 6
    /// Crossings of the region's boundary are reported late.
    case regionMonitoringResponseDelayed = 7
    /// The geocoder found no result.
    case geocodeFoundNoResult = 8
    /// The geocoder found only a partial result.
    case geocodeFoundPartialResult = 9
    /// The geocoding request was cancelled.
    case geocodeCanceled = 10
    /// Deferred updates could not start.
    case deferredFailed = 11
    /// Deferred updates require location updates.
    case deferredNotUpdatingLocation = 12
    /// Deferred updates require better accuracy.
    case deferredAccuracyTooLow = 13
    /// Deferred updates cannot be combined with a distance filter.
    case deferredDistanceFiltered = 14
    /// Deferred updates were cancelled.
    case deferredCanceled = 15
    /// Beacon ranging is currently unavailable.
    case rangingUnavailable = 16
    /// Beacon ranging failed with an error.
    case rangingFailure = 17
    /// The user dismissed the permission prompt.
    case promptDeclined = 18
    /// No location is available for the requested time.
    case historicalLocationError = 19
  }

  /// The location is currently unknown, but might become known later.
  public static var locationUnknown: Code { .locationUnknown }
  /// The user does not allow the app to use the location.
  public static var denied: Code { .denied }
  /// The network or geocoding service was unavailable.
  public static var network: Code { .network }
  /// The heading could not be determined.
  public static var headingFailure: Code { .headingFailure }
  /// The user does not allow the app to monitor regions.
  public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
  /// The region cannot be monitored, because it is too large or because the app monitors too many regions.
  public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
  /// Monitoring of the region could not start immediately.
  public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
  /// Crossings of the region's boundary are reported late.
  public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
  /// The geocoder found no result.
  public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
  /// The geocoder found only a partial result.
  public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
  /// The geocoding request was cancelled.
  public static var geocodeCanceled: Code { .geocodeCanceled }
  /// Deferred updates could not start.
  public static var deferredFailed: Code { .deferredFailed }
  /// Deferred updates require location updates.
  public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
  /// Deferred updates require better accuracy.
  public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
  /// Deferred updates cannot be combined with a distance filter.
  public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
  /// Deferred updates were cancelled.
  public static var deferredCanceled: Code { .deferredCanceled }
  /// Beacon ranging is currently unavailable.
  public static var rangingUnavailable: Code { .rangingUnavailable }
  /// Beacon ranging failed with an error.
  public static var rangingFailure: Code { .rangingFailure }
  /// The user dismissed the permission prompt.
  public static var promptDeclined: Code { .promptDeclined }
  /// No location is available for the requested time.
  public static var historicalLocationError: Code { .historicalLocationError }
}
