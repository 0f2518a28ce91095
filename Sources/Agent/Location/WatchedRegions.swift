import AppWire
import Scheduling

/// The regions that apps and notifications watch, and the device's location.
///
/// This type decides when a region was entered or left; `LocalNotifications` notifies the apps that have location
/// permission.
struct WatchedRegions: ~Copyable {
  /// A region whose state has changed.
  struct Crossing: Hashable {
    let key: RegionKey
    let region: NotificationRegion
    let state: RegionState
    /// True if the watching app requested crossings in this direction.
    let isWanted: Bool
  }

  private struct Watched {
    var region: NotificationRegion
    var repeats: Bool
  }

  private var watch: RegionWatch<RegionKey>
  private var regions: [AppID: [RegionKey: Watched]] = [:]
  /// The connections that receive every location, and the app of each connection.
  private var followers: [ConnectionID: AppID] = [:]
  /// The last known location.
  private(set) var place: Place?
  /// True if a region needs the location, and no location is known.
  var lacksPlace: Bool { needs.places && place == nil }
  /// True if a service reports the location, so that commands cannot set it.
  private(set) var isToldByService = false
  /// True if the regions or permissions have changed since the needs were last computed.
  private var areNeedsStale = true
  private var needs = LocationNeeds()
  /// True if the timer might have to be reset.
  private var isTimerStale = true
  private var armed: Int64?

  /// Creates an empty set; a measured crossing counts after `dwell` milliseconds.
  init(dwell: Int64 = PlaceLimits.dwellMilliseconds) { watch = RegionWatch(dwell: dwell) }

  /// Restores the stored regions.
  mutating func restore(
    _ records: [(key: String, value: [UInt8])], atAwake now: Int64,
    _ effects: inout [AgentEffect]
  ) {
    assert(regions.isEmpty, "records are restored only once, at startup")
    for (name, value) in records {
      guard let key = RegionRecord.key(name),
        let (region, repeats, state) = RegionRecord.read(value),
        (try? watch.watch(key, region, kept: state, at: now)) != nil
      else {
        effects.append(.log(.damagedRecord(.regions, key: name)))
        effects.append(.persist(.remove(.regions, key: name)))
        continue
      }
      regions[key.app, default: [:]][key] = Watched(region: region, repeats: repeats)
    }
  }

  // MARK: Requests

  /// Watches a region, replacing a region with the same key.
  mutating func add(
    _ key: RegionKey, _ region: NotificationRegion, repeats: Bool,
    _ effects: inout [AgentEffect]
  ) throws(AppLinkFailure) {
    let own = regions[key.app] ?? [:]
    guard own[key] != nil || own.count < PlaceLimits.regionsPerApp else {
      throw AppLinkFailure(
        .invalidArgument,
        "an app can watch at most \(PlaceLimits.regionsPerApp) regions: remove one first")
    }
    let state: RegionState
    do throws(RegionWatch<RegionKey>.Refusal) {
      state = try watch.watch(key, region)
    } catch {
      throw Self.failure(error)
    }
    regions[key.app, default: [:]][key] = Watched(region: region, repeats: repeats)
    areNeedsStale = true
    isTimerStale = true
    effects.append(.persist(RegionRecord.put(key, region, repeats: repeats, state)))
  }

  /// Stops watching regions; returns the keys of the regions that were watched.
  @discardableResult
  mutating func remove(_ keys: [RegionKey], _ effects: inout [AgentEffect]) -> [RegionKey] {
    var removed: [RegionKey] = []
    for key in keys where regions[key.app]?.removeValue(forKey: key) != nil {
      if regions[key.app]?.isEmpty == true { regions[key.app] = nil }
      watch.unwatch(key)
      effects.append(.persist(RegionRecord.remove(key)))
      removed.append(key)
    }
    if !removed.isEmpty {
      areNeedsStale = true
      isTimerStale = true
    }
    return removed
  }

  /// Returns the keys of the watched regions of one app or of all apps, sorted by name.
  func keys(of app: AppID?) -> [RegionKey] {
    let keys =
      app.map { regions[$0].map { Array($0.keys) } ?? [] } ?? regions.values.flatMap(\.keys)
    return keys.sorted { RegionRecord.name($0) < RegionRecord.name($1) }
  }

  /// Returns the notifications of one app or of all apps that wait for a crossing.
  func waiting(of app: AppID?) -> [AppNotificationID] {
    keys(of: app).compactMap { if case .request(let name) = $0 { name } else { nil } }
  }

  /// Returns the regions that an app itself watches.
  func watched(by app: AppID) -> [NotificationRegion] {
    keys(of: app).compactMap { key in
      guard case .watched = key else { return nil }
      return region(of: key)
    }
  }

  /// Returns the region with a key.
  func region(of key: RegionKey) -> NotificationRegion? { regions[key.app]?[key]?.region }

  /// Returns the device's state relative to a region.
  func state(of key: RegionKey) -> RegionState { watch.state(of: key) }

  // MARK: Followers

  /// Starts sending every location to a connection of the app, or stops if the app is nil.
  mutating func setFollower(_ connection: ConnectionID, _ app: AppID?) {
    guard followers[connection] != app else { return }
    followers[connection] = app
    areNeedsStale = true
  }

  /// The connections that receive every location, oldest first, and the app of each connection.
  var following: [(connection: ConnectionID, app: AppID)] {
    followers.sorted { $0.key.number < $1.key.number }.map { ($0.key, $0.value) }
  }

  // MARK: Events

  /// Handles a location that a command or a service reports.
  mutating func onPlace(_ place: Place, atAwake now: Int64) -> [Crossing] {
    if case .measured = place.certainty { isToldByService = true }
    self.place = place
    let moved = watch.handlePosition(place, at: now)
    return crossings(moved)
  }

  /// Handles the end of the services' location reports.
  mutating func onServiceEnded() { isToldByService = false }

  /// Handles a beacon's advertisement.
  mutating func onBeacon(_ beacon: Beacon, atAwake now: Int64) -> [Crossing] {
    let heard = watch.handleAdvertisement(of: beacon, at: now)
    return crossings(heard)
  }

  /// Handles the passage of time: returns the crossings that have now lasted long enough to count.
  mutating func onTimePassed(atAwake now: Int64) -> [Crossing] {
    armed = nil
    let ripened = watch.advance(to: now)
    return crossings(ripened)
  }

  /// Handles a crossing that is reported to the app, and removes the region unless its request repeats.
  ///
  /// - Returns: True if the region was removed.
  mutating func use(_ crossing: Crossing, _ effects: inout [AgentEffect]) -> Bool {
    guard regions[crossing.key.app]?[crossing.key]?.repeats == false else {
      persist(crossing, &effects)
      return false
    }
    remove([crossing.key], &effects)
    return true
  }

  /// Persists the state after a crossing without notifying the app.
  func persist(_ crossing: Crossing, _ effects: inout [AgentEffect]) {
    guard let watched = regions[crossing.key.app]?[crossing.key] else { return }
    effects.append(
      .persist(
        RegionRecord.put(
          crossing.key, watched.region, repeats: watched.repeats, crossing.state)))
  }

  private mutating func crossings(_ crossings: [RegionWatch<RegionKey>.Crossing]) -> [Crossing] {
    isTimerStale = true
    // Sort the crossings, so that a simulation can be replayed.
    return crossings.sorted {
      RegionRecord.name($0.key) < RegionRecord.name($1.key)
    }.compactMap { crossing in
      guard let region = region(of: crossing.key) else {
        assertionFailure("an unwatched region was crossed")
        return nil
      }
      return Crossing(
        key: crossing.key, region: region, state: crossing.state, isWanted: crossing.isWanted)
    }
  }

  // MARK: Services

  /// Handles a change to an app's location permission.
  mutating func onPermissionChanged() { areNeedsStale = true }

  /// The apps whose permission decides which services run; nil if nothing has changed.
  var appsToAllow: Set<AppID>? {
    areNeedsStale ? Set(regions.keys).union(followers.values) : nil
  }

  /// Starts and stops services, which run only for apps with location permission.
  mutating func updateNeeds(allowed: Set<AppID>, _ effects: inout [AgentEffect]) {
    areNeedsStale = false
    var needs = LocationNeeds()
    for app in allowed {
      for watched in (regions[app] ?? [:]).values {
        switch watched.region.shape {
        case .circle: needs.places = true
        case .beacon: needs.beacons = true
        }
      }
    }
    if !needs.places { needs.places = followers.values.contains(where: allowed.contains) }
    guard needs != self.needs else { return }
    self.needs = needs
    effects.append(.useLocationServices(needs))
  }

  /// Sets the timer if it must change.
  mutating func arm(_ effects: inout [AgentEffect]) {
    guard isTimerStale else { return }
    isTimerStale = false
    let wakeUp = watch.wakeUp
    guard wakeUp != armed else { return }
    armed = wakeUp
    effects.append(.armRegions(atAwakeMilliseconds: wakeUp))
  }

  private static func failure(_ refusal: RegionWatch<RegionKey>.Refusal) -> AppLinkFailure {
    switch refusal {
    case .notAPlace:
      AppLinkFailure(
        .invalidArgument, "invalid region: expected degrees and a radius above 0 m")
    case .tooLarge:
      AppLinkFailure(
        .invalidArgument,
        "the radius is over \(Int(PlaceLimits.largestRadius)) m: use a smaller one")
    case .notABeacon:
      AppLinkFailure(.invalidArgument, "invalid beacon UUID: expected 32 hexadecimal digits")
    }
  }

  /// Traps in debug builds if the watched regions are inconsistent.
  func checkInvariants() {
    for (app, own) in regions {
      assert(!own.isEmpty, "an app without regions is forgotten")
      assert(
        own.count <= PlaceLimits.regionsPerApp,
        "an app does not exceed its limit of watched regions")
      for key in own.keys { assert(key.app == app, "a region is listed under its own app") }
    }
    assert(!areNeedsStale, "the location services are up to date with the watched regions")
    assert(armed == watch.wakeUp, "the timer is set to the next wake-up")
  }
}
