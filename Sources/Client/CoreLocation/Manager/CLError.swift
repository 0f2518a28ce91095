public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of `CLError`.
public let kCLErrorDomain: String = "kCLErrorDomain"

/// Why location information is missing.
public struct CLError: Foundation._BridgedStoredNSError, Sendable {
  /// The underlying error object.
  public let _nsError: NSError

  /// Wraps an error of `kCLErrorDomain`.
  public init(_nsError error: NSError) {
    precondition(error.domain == kCLErrorDomain, "a CLError wraps an error of kCLErrorDomain")
    _nsError = error
  }

  /// The domain of these errors.
  public static var _nsErrorDomain: String { kCLErrorDomain }

  /// The domain of these errors.
  public static var errorDomain: String { kCLErrorDomain }

  /// The reasons.
  public enum Code: Int, Foundation._ErrorCodeProtocol, Sendable {
    /// The error that carries the code.
    public typealias _ErrorType = CLError

    /// No position now; it may come later.
    case locationUnknown = 0
    /// The user does not allow it.
    case denied = 1
    /// The network was unavailable.
    case network = 2
    /// No heading is available.
    case headingFailure = 3
    /// The user does not allow regions to be watched.
    case regionMonitoringDenied = 4
    /// The region cannot be watched: too many, or too large.
    case regionMonitoringFailure = 5
    /// Watching starts later.
    case regionMonitoringSetupDelayed = 6
    /// Crossings are reported late.
    case regionMonitoringResponseDelayed = 7
    /// The geocoder found nothing.
    case geocodeFoundNoResult = 8
    /// The geocoder found part of it.
    case geocodeFoundPartialResult = 9
    /// The geocoding was cancelled.
    case geocodeCanceled = 10
    /// Deferred updates could not start.
    case deferredFailed = 11
    /// Deferred updates need location updates.
    case deferredNotUpdatingLocation = 12
    /// Deferred updates need a better accuracy.
    case deferredAccuracyTooLow = 13
    /// Deferred updates do not go with a distance filter.
    case deferredDistanceFiltered = 14
    /// Deferred updates were cancelled.
    case deferredCanceled = 15
    /// Beacons cannot be ranged now.
    case rangingUnavailable = 16
    /// Ranging failed.
    case rangingFailure = 17
    /// The user dismissed the question.
    case promptDeclined = 18
    /// No position for that moment.
    case historicalLocationError = 19
  }

  /// No position now; it may come later.
  public static var locationUnknown: Code { .locationUnknown }
  /// The user does not allow it.
  public static var denied: Code { .denied }
  /// The network was unavailable.
  public static var network: Code { .network }
  /// No heading is available.
  public static var headingFailure: Code { .headingFailure }
  /// The user does not allow regions to be watched.
  public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
  /// The region cannot be watched: too many, or too large.
  public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
  /// Watching starts later.
  public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
  /// Crossings are reported late.
  public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
  /// The geocoder found nothing.
  public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
  /// The geocoder found part of it.
  public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
  /// The geocoding was cancelled.
  public static var geocodeCanceled: Code { .geocodeCanceled }
  /// Deferred updates could not start.
  public static var deferredFailed: Code { .deferredFailed }
  /// Deferred updates need location updates.
  public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
  /// Deferred updates need a better accuracy.
  public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
  /// Deferred updates do not go with a distance filter.
  public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
  /// Deferred updates were cancelled.
  public static var deferredCanceled: Code { .deferredCanceled }
  /// Beacons cannot be ranged now.
  public static var rangingUnavailable: Code { .rangingUnavailable }
  /// Ranging failed.
  public static var rangingFailure: Code { .rangingFailure }
  /// The user dismissed the question.
  public static var promptDeclined: Code { .promptDeclined }
  /// No position for that moment.
  public static var historicalLocationError: Code { .historicalLocationError }
}
