import BelfryClient
import BelfryWire
public import Foundation

/// An app's way to positions and regions.
///
/// The agent knows the position, asks the user and watches the regions, also while the app is not
/// running.
open class CLLocationManager: NSObject, @unchecked Sendable {
  // Sendable: the properties are for the thread that made the manager, as with Apple's class; what
  // other threads reach is behind locks.

  /// The delegate, which handles permission, positions and regions; not retained.
  open weak var delegate: (any CLLocationManagerDelegate)? {
    didSet { if delegate != nil { service.attach(self) } }
  }

  /// How precise positions shall be, in metres or one of the accuracy constants; the position
  /// service gives what it has.
  open var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest

  /// How far the device moves, in metres, before the next position is reported.
  open var distanceFilter: CLLocationDistance = kCLDistanceFilterNone

  /// Whether positions come while the app is in the background; stored, not enforced.
  open var allowsBackgroundLocationUpdates = false

  /// Whether the system may pause updates; stored, and updates are never paused on this system.
  open var pausesLocationUpdatesAutomatically = true

  /// Whether the status bar shows that the app uses location; there is none on this system.
  open var showsBackgroundLocationIndicator = false

  /// What the positions are for; stored, without effect on this system.
  open var activityType: CLActivityType = .other

  let service = LocationService.shared
  let thread = CallerThread()
  let wanted = LockedBox(Wanted())

  /// What the manager wants to be told of positions.
  struct Wanted {
    var updates = false
    var significantChanges = false
    var once = false
    var last: CLLocation?

    var any: Bool { updates || significantChanges || once }
  }

  /// A manager whose delegate is called on the thread that makes it, and first told what the user
  /// allows.
  public override init() { super.init() }

  // MARK: Permission

  /// What the user allows the app.
  open var authorizationStatus: CLAuthorizationStatus { service.status }

  /// What the user allows the app.
  @available(iOS, deprecated: 14.0, message: "Use the manager's property")
  open class func authorizationStatus() -> CLAuthorizationStatus { LocationService.shared.status }

  /// Whether the app sees precise positions: it does.
  open var accuracyAuthorization: CLAccuracyAuthorization { .fullAccuracy }

  /// Whether location can be used on this device at all.
  open class func locationServicesEnabled() -> Bool { LocationService.shared.status != .restricted }

  /// Whether the device has headings: not on this system.
  open class func headingAvailable() -> Bool { false }

  /// Whether large movements can be watched: they can.
  open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

  /// Whether regions of this class can be watched: circles and, where the machine has Bluetooth,
  /// beacons.
  open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
    regionClass is CLRegion.Type
  }

  /// Asks the user, once, for location while the app is in use.
  ///
  /// The app's manifest has to say why under `NSLocationWhenInUseUsageDescription`, or nothing is
  /// asked.
  open func requestWhenInUseAuthorization() { service.ask(always: false) }

  /// Asks the user for location at any time.
  ///
  /// The app's manifest has to say why.
  open func requestAlwaysAuthorization() { service.ask(always: true) }

  // MARK: Positions

  /// The last position that came; nil before.
  open var location: CLLocation? { wanted.withLock { $0.last } ?? service.lastLocation }

  /// Reports positions to the delegate, until they are stopped.
  open func startUpdatingLocation() { want { $0.updates = true } }

  /// No more positions.
  open func stopUpdatingLocation() { want { $0.updates = false } }

  /// Reports large movements to the delegate, until they are stopped.
  open func startMonitoringSignificantLocationChanges() { want { $0.significantChanges = true } }

  /// No more large movements.
  open func stopMonitoringSignificantLocationChanges() { want { $0.significantChanges = false } }

  /// The last heading: none on this system.
  open var heading: CLHeading? { nil }

  /// Degrees that the device turns before the next heading; stored, without effect on this system.
  open var headingFilter: CLLocationDegrees = 1

  /// Reports headings: does nothing, this system has none.
  open func startUpdatingHeading() {}

  /// No more headings: does nothing.
  open func stopUpdatingHeading() {}

  /// Reports stays at places: does nothing, this system reports none.
  open func startMonitoringVisits() {}

  /// No more stays: does nothing.
  open func stopMonitoringVisits() {}

  /// Reports one position to the delegate.
  open func requestLocation() { want { $0.once = true } }

  private func want(_ change: (inout Wanted) -> Void) {
    wanted.withLock { change(&$0) }
    service.attach(self)
    service.updateLocationRequests()
  }

  // MARK: Regions

  /// The regions that the app watches; none when the agent cannot be reached.
  open var monitoredRegions: Set<CLRegion> { service.regions() }

  /// The largest radius of a region, in metres.
  open var maximumRegionMonitoringDistance: CLLocationDistance { Self.largestRadius }

  /// Metres; a wider circle would hold most of a country.
  static let largestRadius: CLLocationDistance = 1_000_000

  /// Watches a region, also while the app is not running.
  ///
  /// One of the same name is replaced.
  @available(iOS, deprecated: 27.0, message: "Use CLMonitor on Apple's systems")
  open func startMonitoring(for region: CLRegion) { service.watch(region, for: self) }

  /// Watches a region no longer.
  @available(iOS, deprecated: 27.0, message: "Use CLMonitor on Apple's systems")
  open func stopMonitoring(for region: CLRegion) { service.unwatch(region) }

  /// Asks where the device is in relation to a region; the delegate gets the answer.
  @available(iOS, deprecated: 27.0, message: "Use CLMonitor on Apple's systems")
  open func requestState(for region: CLRegion) { service.requestState(of: region, for: self) }
}
