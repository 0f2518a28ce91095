import BelfryClient
import BelfryWire
public import Foundation

/// An object that reports the device's location to the app and monitors regions.
///
/// The agent determines the location, prompts the user, and monitors the regions, even while the app is not running.
open class CLLocationManager: NSObject, @unchecked Sendable {
  // Sendable: as with Apple's class, the properties are used on the thread that created the manager; locks protect the
  // state that other threads access.

  /// The delegate, which receives the permission, locations, and region events.
  ///
  /// The manager does not retain the delegate.
  open weak var delegate: (any CLLocationManagerDelegate)? {
    didSet { if delegate != nil { service.attach(self) } }
  }

  /// The desired accuracy of locations, in meters or as one of the accuracy constants.
  ///
  /// The location service determines the actual accuracy.
  open var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest

  /// The distance in meters that the device must move before the next location is reported.
  open var distanceFilter: CLLocationDistance = kCLDistanceFilterNone

  /// A Boolean value that indicates whether locations are reported while the app is in the background.
  ///
  /// The value is stored, but not enforced.
  open var allowsBackgroundLocationUpdates = false

  /// A Boolean value that indicates whether the system may pause updates.
  ///
  /// The value is stored, but this system never pauses updates.
  open var pausesLocationUpdatesAutomatically = true

  /// A Boolean value that indicates whether the status bar shows that the app uses the location.
  ///
  /// The value is stored, but this system has no status bar.
  open var showsBackgroundLocationIndicator = false

  /// The activity for which the app uses locations.
  ///
  /// The value is stored, but has no effect.
  open var activityType: CLActivityType = .other

  let service = LocationService.shared
  let thread = CallerThread()
  let wanted = LockedBox(Wanted())

  /// The location updates that the manager requests, and the last location that it reported.
  struct Wanted {
    var updates = false
    var significantChanges = false
    var once = false
    var last: CLLocation?

    var any: Bool { updates || significantChanges || once }
  }

  /// Creates a manager whose delegate is called on the current thread.
  ///
  /// The first call to the delegate reports the permission.
  public override init() { super.init() }

  // MARK: Permission

  /// The app's permission to use the location.
  open var authorizationStatus: CLAuthorizationStatus { service.status }

  /// Returns the app's permission to use the location.
  @available(iOS, deprecated: 14.0, message: "Use the manager's property")
  open class func authorizationStatus() -> CLAuthorizationStatus { LocationService.shared.status }

  /// The accuracy of the locations that the app may receive; always full accuracy.
  open var accuracyAuthorization: CLAccuracyAuthorization { .fullAccuracy }

  /// Returns whether location services are available on this device.
  open class func locationServicesEnabled() -> Bool { LocationService.shared.status != .restricted }

  /// Returns whether the device can report headings; always false on this system.
  open class func headingAvailable() -> Bool { false }

  /// Returns whether the device can monitor significant location changes; always true.
  open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

  /// Returns whether regions of the class can be monitored: true for any region class.
  ///
  /// Beacons are found only if the machine has Bluetooth.
  open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
    regionClass is CLRegion.Type
  }

  /// Requests permission to use the location while the app is in use.
  ///
  /// The user is asked only once. The app's manifest must state the reason, for example, under
  /// `NSLocationWhenInUseUsageDescription`; otherwise, the user is not asked.
  open func requestWhenInUseAuthorization() { service.ask(always: false) }

  /// Requests permission to use the location at any time.
  ///
  /// The app's manifest must state the reason, for example, under `NSLocationAlwaysAndWhenInUseUsageDescription`;
  /// otherwise, the user is not asked.
  open func requestAlwaysAuthorization() { service.ask(always: true) }

  // MARK: Locations

  /// The most recently reported location; nil before the first one.
  open var location: CLLocation? { wanted.withLock { $0.last } ?? service.lastLocation }

  /// Starts reporting locations to the delegate.
  open func startUpdatingLocation() { want { $0.updates = true } }

  /// Stops reporting locations to the delegate.
  open func stopUpdatingLocation() { want { $0.updates = false } }

  /// Starts reporting significant location changes, which are movements of at least 500 meters, to the delegate.
  open func startMonitoringSignificantLocationChanges() { want { $0.significantChanges = true } }

  /// Stops reporting significant location changes.
  open func stopMonitoringSignificantLocationChanges() { want { $0.significantChanges = false } }

  /// The most recent heading; always nil on this system.
  open var heading: CLHeading? { nil }

  /// The angle in degrees that the device must turn before the next heading is reported.
  ///
  /// The value is stored, but has no effect.
  open var headingFilter: CLLocationDegrees = 1

  /// Has no effect, because this system does not measure headings.
  open func startUpdatingHeading() {}

  /// Has no effect, because this system does not measure headings.
  open func stopUpdatingHeading() {}

  /// Has no effect, because this system does not report visits.
  open func startMonitoringVisits() {}

  /// Has no effect, because this system does not report visits.
  open func stopMonitoringVisits() {}

  /// Requests one location, which is reported to the delegate.
  open func requestLocation() { want { $0.once = true } }

  private func want(_ change: (inout Wanted) -> Void) {
    wanted.withLock { change(&$0) }
    service.attach(self)
    service.updateLocationRequests()
  }

  // MARK: Regions

  /// The regions that the app monitors; empty if the agent cannot be reached.
  open var monitoredRegions: Set<CLRegion> { service.regions() }

  /// The maximum radius of a region, in meters.
  open var maximumRegionMonitoringDistance: CLLocationDistance { Self.largestRadius }

  /// The maximum radius of a region in meters; a larger circle would cover most of a country.
  static let largestRadius: CLLocationDistance = 1_000_000

  /// Starts monitoring a region, even while the app is not running.
  ///
  /// The region replaces a monitored region with the same identifier.
  @available(iOS, deprecated: 27.0, message: "Use CLMonitor on Apple's systems")
  open func startMonitoring(for region: CLRegion) { service.watch(region, for: self) }

  /// Stops monitoring the region with the same identifier, including in later launches of the app.
  @available(iOS, deprecated: 27.0, message: "Use CLMonitor on Apple's systems")
  open func stopMonitoring(for region: CLRegion) { service.unwatch(region) }

  /// Requests the state of the device relative to a region; the delegate receives the state.
  @available(iOS, deprecated: 27.0, message: "Use CLMonitor on Apple's systems")
  open func requestState(for region: CLRegion) { service.requestState(of: region, for: self) }
}
