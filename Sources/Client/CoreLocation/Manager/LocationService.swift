import AppLink
import BelfryClient
import AppWire
import Foundation

/// The connection to the agent that all of the app's location managers share.
final class LocationService: Sendable {
  static let shared = LocationService(session: .shared)

  private struct State {
    var managers: [WeakManager] = []
    var permission = LocationPermission()
    var wantsLocation = false
    var last: CLLocation?
  }

  private struct WeakManager {
    weak var manager: CLLocationManager?
    /// The status that the manager reported last.
    var reportedStatus: CLAuthorizationStatus?
  }

  private let session: AgentSession
  private let state = LockedBox(State())

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

  /// Adds a manager and reports the permission to its delegate.
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
      _ = handleStatusAnswer(result, asked)
      reportStatus(to: manager)
    }
  }

  /// Reports the current status to a manager's delegate on the manager's thread, unless it was already reported.
  private func reportStatus(to manager: CLLocationManager) {
    manager.notifyDelegate { [self] in
      guard let status = unreportedStatus(for: $1) else { return }
      $0.locationManager($1, didChangeAuthorization: status)
      $0.locationManagerDidChangeAuthorization($1)
    }
  }

  private func unreportedStatus(for manager: CLLocationManager) -> CLAuthorizationStatus? {
    state.withLock { state in
      guard let index = state.managers.firstIndex(where: { $0.manager === manager }) else {
        return nil
      }
      return state.permission.unreportedStatus(after: &state.managers[index].reportedStatus)
    }
  }

  // MARK: Permission

  /// The app's permission; undetermined if the agent cannot be reached.
  var status: CLAuthorizationStatus {
    let (known, asked) = state.withLock { ($0.permission.known, $0.permission.question) }
    if let known { return known }
    return handleStatusAnswer(
      Result { () throws(AppLinkFailure) in try session.call(.locationStatus) }, asked)
  }

  private func handleStatusAnswer(_ answer: Result<AppAnswer, AppLinkFailure>, _ asked: Int)
    -> CLAuthorizationStatus
  {
    let answered = (try? answer.get()).flatMap { try? $0.locationStatus() }
    return state.withLock { state in
      if let answered {
        state.permission.handleAnswer(CLAuthorizationStatus(answered), askedAt: asked)
      }
      return state.permission.status
    }
  }

  func ask(always: Bool) {
    if AppIdentity.current.locationUsage == nil { logMissingUsage(always: always) }
    session.send(
      .requestLocation(always: always), timeoutMilliseconds: Limits.personMilliseconds
    ) { [self] result in
      guard let answered = (try? result.get()).flatMap({ try? $0.locationStatus() }) else { return }
      changed(to: CLAuthorizationStatus(answered))
    }
  }

  /// Logs that the manifest lacks the usage description, without which the agent does not prompt the user.
  private func logMissingUsage(always: Bool) {
    let key =
      always
      ? "NSLocationAlwaysAndWhenInUseUsageDescription" : "NSLocationWhenInUseUsageDescription"
    FileHandle.standardError.write(
      Data(
        """
        the app requests the location without giving a reason, so the user is not asked: add \
        \(key), the reason to show to the user, to Info.plist; for an app under development, you \
        can set BELFRY_LOCATION_USAGE instead

        """.utf8))
  }

  private func changed(to status: CLAuthorizationStatus) {
    state.withLock { $0.permission.change(to: status) }
    for manager in managers { reportStatus(to: manager) }
  }

  // MARK: Locations

  /// Requests locations from the agent for as long as any manager wants them.
  func updateLocationRequests() {
    let wants = managers.contains { $0.wanted.withLock(\.any) }
    let hasChanged = state.withLock { state in
      defer { state.wantsLocation = wants }
      return state.wantsLocation != wants
    }
    guard hasChanged else { return }
    session.send(.setLocationUpdates(wants)) { [self] result in
      guard case .failure(let failure) = result, wants else { return }
      let isDenied = failure.reason == .notificationsNotAllowed
      for manager in managers where manager.wanted.withLock(\.any) {
        manager.notifyDelegate {
          $0.locationManager(
            $1, didFailWithError: CLError(isDenied ? .denied : .locationUnknown))
        }
      }
    }
  }

  private func handleLocation(_ location: CLLocation) {
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
      if isWanted {
        manager.notifyDelegate { $0.locationManager($1, didUpdateLocations: [location]) }
      }
    }
    updateLocationRequests()
  }

  /// The distance in meters that counts as a significant location change.
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
      case .success:
        manager.notifyDelegate { $0.locationManager($1, didStartMonitoringFor: region) }
      case .failure(let failure):
        let isDenied = failure.reason == .notificationsNotAllowed
        fail(region, isDenied ? .regionMonitoringDenied : .regionMonitoringFailure, manager)
      }
    }
  }

  private func fail(_ region: CLRegion, _ code: CLError.Code, _ manager: CLLocationManager) {
    manager.notifyDelegate {
      $0.locationManager($1, monitoringDidFailFor: region, withError: CLError(code))
    }
  }

  func unwatch(_ region: CLRegion) { session.send(.unwatchRegion(region.identifier)) }

  func requestState(of region: CLRegion, for manager: CLLocationManager) {
    attach(manager)
    session.send(.regionState(region.identifier)) { result in
      let answered = (try? result.get()).flatMap { try? $0.regionState() } ?? .unknown
      manager.notifyDelegate {
        $0.locationManager($1, didDetermineState: CLRegionState(answered), for: region)
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
        manager.notifyDelegate {
          switch regionState {
          case .inside: $0.locationManager($1, didEnterRegion: region)
          case .outside: $0.locationManager($1, didExitRegion: region)
          case .unknown: break
          }
          $0.locationManager($1, didDetermineState: CLRegionState(regionState), for: region)
        }
      }
    case .place(let latitude, let longitude, let accuracy, let date):
      handleLocation(
        CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
          altitude: 0, horizontalAccuracy: accuracy, verticalAccuracy: -1,
          timestamp: Date(timeIntervalSince1970: Double(date) / 1_000)))
    default: return false
    }
    return true
  }
}

extension CLLocationManager {
  /// Calls the delegate on the manager's own thread.
  func notifyDelegate(
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
