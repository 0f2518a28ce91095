import AppLink
import BelfryClient
import BelfryWire
import Foundation

/// The app's positions, regions and permission, for all of its managers.
final class LocationService: Sendable {
  static let shared = LocationService(session: .shared)

  private struct State {
    var managers: [WeakManager] = []
    var permission = LocationPermission()
    var wantsPlaces = false
    var last: CLLocation?
  }

  private struct WeakManager {
    weak var manager: CLLocationManager?
    /// What it has heard of the permission.
    var told: CLAuthorizationStatus?
  }

  private let session: AgentSession
  private let state = Guarded(State())

  init(session: AgentSession) {
    self.session = session
    session.listen(as: .locationManager) { [weak self] event, _ in self?.handle(event) ?? false }
  }

  private var managers: [CLLocationManager] {
    state.withLock { state in
      state.managers.removeAll { $0.manager == nil }
      return state.managers.compactMap(\.manager)
    }
  }

  var lastLocation: CLLocation? { state.withLock { $0.last } }

  /// Tells a manager from now on; it first hears what the user allows.
  func attach(_ manager: CLLocationManager) {
    let isNew = state.withLock { state in
      state.managers.removeAll { $0.manager == nil }
      if state.managers.contains(where: { $0.manager === manager }) { return false }
      state.managers.append(WeakManager(manager: manager))
      return true
    }
    guard isNew else { return }
    let asked = state.withLock { $0.permission.question }
    session.send(.locationStatus) { [self] result in
      _ = learn(result, asked)
      tell(manager)
    }
  }

  /// Tells a manager, once of each status and on its own thread, what the user allows by then.
  private func tell(_ manager: CLLocationManager) {
    manager.tell { [self] in
      guard let status = news(for: $1) else { return }
      $0.locationManager($1, didChangeAuthorization: status)
      $0.locationManagerDidChangeAuthorization($1)
    }
  }

  private func news(for manager: CLLocationManager) -> CLAuthorizationStatus? {
    state.withLock { state in
      guard let index = state.managers.firstIndex(where: { $0.manager === manager }) else {
        return nil
      }
      return state.permission.news(after: &state.managers[index].told)
    }
  }

  // MARK: Permission

  /// What the user allows; undetermined when the agent cannot be reached.
  var status: CLAuthorizationStatus {
    let (known, asked) = state.withLock { ($0.permission.known, $0.permission.question) }
    if let known { return known }
    return learn(Result { () throws(AppLinkFailure) in try session.call(.locationStatus) }, asked)
  }

  private func learn(_ answer: Result<AppAnswer, AppLinkFailure>, _ asked: Int)
    -> CLAuthorizationStatus
  {
    let told = (try? answer.get()).flatMap { try? $0.locationStatus() }
    return state.withLock { state in
      if let told { state.permission.learn(CLAuthorizationStatus(told), askedAt: asked) }
      return state.permission.status
    }
  }

  func ask(always: Bool) {
    if AppIdentity.current.locationUsage == nil { logMissingUsage(always: always) }
    session.send(
      .requestLocation(always: always), timeoutMilliseconds: Limits.personMilliseconds
    ) { [self] result in
      guard let told = (try? result.get()).flatMap({ try? $0.locationStatus() }) else { return }
      changed(to: CLAuthorizationStatus(told))
    }
  }

  /// Says what the agent does not ask without.
  private func logMissingUsage(always: Bool) {
    let key =
      always
      ? "NSLocationAlwaysAndWhenInUseUsageDescription" : "NSLocationWhenInUseUsageDescription"
    FileHandle.standardError.write(
      Data(
        """
        This app wants to use the location without saying why, so nobody is asked. Its Info.plist \
        must have \(key), a text for the user; a development app may have it in the environment, as \
        BELFRY_LOCATION_USAGE.

        """.utf8))
  }

  private func changed(to status: CLAuthorizationStatus) {
    state.withLock { $0.permission.change(to: status) }
    for manager in managers { tell(manager) }
  }

  // MARK: Positions

  /// Asks the agent for positions while any manager wants some.
  func updateWishes() {
    let wants = managers.contains { $0.wanted.withLock(\.any) }
    let isNews = state.withLock { state in
      defer { state.wantsPlaces = wants }
      return state.wantsPlaces != wants
    }
    guard isNews else { return }
    session.send(.setLocationUpdates(wants)) { [self] result in
      guard case .failure(let failure) = result, wants else { return }
      let isDenied = failure.reason == .notificationsNotAllowed
      for manager in managers where manager.wanted.withLock(\.any) {
        manager.tell {
          $0.locationManager(
            $1, didFailWithError: CLError(isDenied ? .denied : .locationUnknown))
        }
      }
    }
  }

  private func moved(to location: CLLocation) {
    state.withLock { $0.last = location }
    for manager in managers {
      let filter = manager.distanceFilter
      let isWanted = manager.wanted.withLock { wanted in
        guard wanted.any else { return false }
        let distance = wanted.last.map { $0.distance(from: location) }
        let threshold =
          wanted.updates || wanted.once ? filter : max(filter, Self.significantDistance)
        guard wanted.once || distance.map({ $0 >= threshold }) ?? true else { return false }
        wanted.once = false
        wanted.last = location
        return true
      }
      if isWanted { manager.tell { $0.locationManager($1, didUpdateLocations: [location]) } }
    }
    updateWishes()
  }

  /// Metres that count as a large movement.
  private static let significantDistance: CLLocationDistance = 500

  // MARK: Regions

  func regions() -> Set<CLRegion> {
    let answer = try? session.call(.watchedRegions)
    return Set((answer.flatMap { try? $0.regions() } ?? []).compactMap { CLRegion.make($0) })
  }

  func watch(_ region: CLRegion, for manager: CLLocationManager) {
    attach(manager)
    let region = region.copy() as? CLRegion ?? region
    guard region is CLBeaconRegion || region.radius <= CLLocationManager.largestRadius else {
      return fail(region, .regionMonitoringFailure, manager)
    }
    session.send(.watchRegion(NotificationRegion(region))) { [self] result in
      switch result {
      case .success: manager.tell { $0.locationManager($1, didStartMonitoringFor: region) }
      case .failure(let failure):
        let isDenied = failure.reason == .notificationsNotAllowed
        fail(region, isDenied ? .regionMonitoringDenied : .regionMonitoringFailure, manager)
      }
    }
  }

  private func fail(_ region: CLRegion, _ code: CLError.Code, _ manager: CLLocationManager) {
    manager.tell {
      $0.locationManager($1, monitoringDidFailFor: region, withError: CLError(code))
    }
  }

  func unwatch(_ region: CLRegion) { session.send(.unwatchRegion(region.identifier)) }

  func askState(of region: CLRegion, for manager: CLLocationManager) {
    attach(manager)
    session.send(.regionState(region.identifier)) { result in
      let told = (try? result.get()).flatMap { try? $0.regionState() } ?? .unknown
      manager.tell {
        $0.locationManager($1, didDetermineState: CLRegionState(told), for: region)
      }
    }
  }

  // MARK: Events

  private func handle(_ event: AppEvent) -> Bool {
    switch event {
    case .locationStatus(let status): changed(to: CLAuthorizationStatus(status))
    case .regionChanged(let region, let regionState):
      guard let region = CLRegion.make(region) else { return true }
      for manager in managers {
        manager.tell {
          switch regionState {
          case .inside: $0.locationManager($1, didEnterRegion: region)
          case .outside: $0.locationManager($1, didExitRegion: region)
          case .unknown: break
          }
          $0.locationManager($1, didDetermineState: CLRegionState(regionState), for: region)
        }
      }
    case .place(let latitude, let longitude, let accuracy, let date):
      moved(
        to: CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
          altitude: 0, horizontalAccuracy: accuracy, verticalAccuracy: -1,
          timestamp: Date(timeIntervalSince1970: Double(date) / 1_000)))
    default: return false
    }
    return true
  }
}

extension CLLocationManager {
  /// Tells the delegate on the manager's own thread.
  func tell(
    _ method: @escaping @Sendable (any CLLocationManagerDelegate, CLLocationManager) -> Void
  ) {
    thread.perform { [weak self] in
      if let self, let delegate { method(delegate, self) }
    }
  }
}

extension CLAuthorizationStatus {
  init(_ status: LocationStatus) {
    self =
      switch status {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .always: .authorizedAlways
      case .whenInUse: .authorizedWhenInUse
      }
  }
}

extension CLRegionState {
  init(_ state: RegionState) {
    self =
      switch state {
      case .unknown: .unknown
      case .inside: .inside
      case .outside: .outside
      }
  }
}
