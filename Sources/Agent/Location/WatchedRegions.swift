import BelfryWire

/// The regions that apps and notifications watch, and where the device is.
///
/// Decides when one was crossed; who may know it is `Permissions`' to say.
struct WatchedRegions: ~Copyable {
  /// A region whose state has changed.
  struct Crossing: Hashable {
    let key: RegionKey
    let region: NotificationRegion
    let state: RegionState
    /// Whether whoever watches it wants to hear of it.
    let isWanted: Bool
  }

  private struct Watched {
    var region: NotificationRegion
    var repeats: Bool
  }

  private var watch: RegionWatch<RegionKey>
  private var regions: [AppID: [RegionKey: Watched]] = [:]
  /// Apps that want to hear of every place, by connection.
  private var followers: [ConnectionID: AppID] = [:]
  /// Where the device was last.
  private(set) var place: Place?
  /// Whether a service says where the device is: a command cannot then.
  private(set) var isToldByService = false
  /// What is watched, or who may know the place, has changed since the needs were last looked at.
  private var areNeedsStale = true
  private var needs = LocationNeeds()
  /// Something may have changed since the timer was last set.
  private var isTimerStale = true
  private var armed: Int64?

  /// Watches nothing yet; `dwell` is how many milliseconds a measured crossing must last.
  init(dwell: Int64 = PlaceLimits.dwellMilliseconds) { watch = RegionWatch(dwell: dwell) }

  /// Takes in the regions that were kept.
  mutating func restore(
    _ records: [(key: String, value: [UInt8])], atAwake now: Int64,
    _ effects: inout [AgentEffect]
  ) {
    assert(regions.isEmpty, "records are restored once, at the start")
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

  /// Watches a region, in place of one with the same key.
  mutating func add(
    _ key: RegionKey, _ region: NotificationRegion, repeats: Bool,
    _ effects: inout [AgentEffect]
  ) throws(AppLinkFailure) {
    let own = regions[key.app] ?? [:]
    guard own[key] != nil || own.count < PlaceLimits.regionsPerApp else {
      throw AppLinkFailure(
        .invalidArgument,
        "an app may watch \(PlaceLimits.regionsPerApp) regions: remove one first")
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

  /// Watches them no more; gives those that were watched.
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

  /// What is watched, of one app or of all, in the order of the names.
  func keys(of app: AppID?) -> [RegionKey] {
    let keys =
      app.map { regions[$0].map { Array($0.keys) } ?? [] } ?? regions.values.flatMap(\.keys)
    return keys.sorted { RegionRecord.name($0) < RegionRecord.name($1) }
  }

  /// The names under which notifications wait for a crossing, of one app or of all.
  func waiting(of app: AppID?) -> [AppNotificationID] {
    keys(of: app).compactMap { if case .request(let name) = $0 { name } else { nil } }
  }

  /// The regions that an app itself watches.
  func watched(by app: AppID) -> [NotificationRegion] {
    keys(of: app).compactMap { key in
      guard case .watched = key else { return nil }
      return region(of: key)
    }
  }

  /// The region of a key.
  func region(of key: RegionKey) -> NotificationRegion? { regions[key.app]?[key]?.region }

  /// Where the device is as to a region.
  func state(of key: RegionKey) -> RegionState { watch.state(of: key) }

  // MARK: Followers

  /// Tells every place to a connection, or no longer (nil).
  mutating func setFollower(_ connection: ConnectionID, _ app: AppID?) {
    guard followers[connection] != app else { return }
    followers[connection] = app
    areNeedsStale = true
  }

  /// Connections that want to hear of every place, with their apps, in the order of their coming.
  var following: [(connection: ConnectionID, app: AppID)] {
    followers.sorted { $0.key.number < $1.key.number }.map { ($0.key, $0.value) }
  }

  // MARK: Events

  /// The device is somewhere, by a command or by a service.
  mutating func onPlace(_ place: Place, atAwake now: Int64) -> [Crossing] {
    if case .measured = place.certainty { isToldByService = true }
    self.place = place
    let moved = watch.handlePosition(place, at: now)
    return crossings(moved)
  }

  /// No service says any more where the device is.
  mutating func onServiceEnded() { isToldByService = false }

  /// A beacon was heard.
  mutating func onBeacon(_ beacon: Beacon, atAwake now: Int64) -> [Crossing] {
    let heard = watch.handleAdvertisement(of: beacon, at: now)
    return crossings(heard)
  }

  /// Time has passed.
  mutating func onTimePassed(atAwake now: Int64) -> [Crossing] {
    armed = nil
    let ripened = watch.advance(to: now)
    return crossings(ripened)
  }

  /// Takes a crossing in that its app is told of: what waits for one only is watched no more.
  ///
  /// - Returns: Whether it is watched no more.
  mutating func use(_ crossing: Crossing, _ effects: inout [AgentEffect]) -> Bool {
    guard regions[crossing.key.app]?[crossing.key]?.repeats == false else {
      persist(crossing, &effects)
      return false
    }
    remove([crossing.key], &effects)
    return true
  }

  /// Persists a state of which nobody is told.
  func persist(_ crossing: Crossing, _ effects: inout [AgentEffect]) {
    guard let watched = regions[crossing.key.app]?[crossing.key] else { return }
    effects.append(
      .persist(
        RegionRecord.put(
          crossing.key, watched.region, repeats: watched.repeats, crossing.state)))
  }

  private mutating func crossings(_ crossings: [RegionWatch<RegionKey>.Crossing]) -> [Crossing] {
    isTimerStale = true
    // In the order of their names: a run can be repeated.
    return crossings.sorted {
      RegionRecord.name($0.key) < RegionRecord.name($1.key)
    }.compactMap { crossing in
      guard let region = region(of: crossing.key) else {
        assertionFailure("a region was crossed that nobody watches")
        return nil
      }
      return Crossing(
        key: crossing.key, region: region, state: crossing.state, isWanted: crossing.isWanted)
    }
  }

  // MARK: What has to run

  /// Who may know the place has changed.
  mutating func onPermissionChanged() { areNeedsStale = true }

  /// Apps whose permission decides which services run; nil when nothing has changed.
  var appsToAllow: Set<AppID>? {
    areNeedsStale ? Set(regions.keys).union(followers.values) : nil
  }

  /// Starts and stops services: they run for apps that may know the place alone.
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

  /// Sets the timer where it has to be another.
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
        .invalidArgument, "the region is no place: give degrees and a radius above 0 m")
    case .tooLarge:
      AppLinkFailure(
        .invalidArgument, "the radius is over \(Int(PlaceLimits.largestRadius)) m: choose less")
    case .notABeacon:
      AppLinkFailure(.invalidArgument, "the beacon's UUID is none: write 32 hexadecimal digits")
    }
  }

  /// Stops in a debug build when what is watched contradicts itself.
  func checkInvariants() {
    for (app, own) in regions {
      assert(!own.isEmpty, "an app without regions is forgotten")
      assert(own.count <= PlaceLimits.regionsPerApp, "an app watches a bounded number of regions")
      for key in own.keys { assert(key.app == app, "a region stands under its own app") }
    }
    assert(!areNeedsStale, "services follow what is watched")
    assert(armed == watch.wakeUp, "the timer stands where it has to")
  }
}
