import BelfryWire
import System

/// What watches a region.
enum RegionKey: Hashable, Sendable {
  /// A notification that waits for a crossing.
  case request(AppNotificationID)
  /// An app that wants to be told (`CLLocationManager`), by its own name for the region.
  case watched(AppID, String)

  var app: AppID {
    switch self {
    case .request(let key): key.app
    case .watched(let app, _): app
    }
  }
}

/// Where places or beacons come from; runs only while something needs them.
protocol LocationSource: AnyObject {
  /// Whether it has told places: what a command says is not asked for then.
  var isTelling: Bool { get }
  /// Starts telling, or stops.
  func set(isNeeded: Bool)
  func close()
}

/// Who carries out what follows from the device's place.
protocol LocationListener: AnyObject {
  /// Whether an app may know the device's place: the person said so, and places are not switched
  /// off for the whole device.
  func mayLocate(_ app: AppID) -> Bool
  /// A region was crossed; `changes` are to be kept together with what follows.
  func regionCrossed(
    _ key: RegionKey, _ region: NotificationRegion, _ state: RegionState,
    _ changes: [RecordChange])
  /// Only the state of regions has changed.
  func regionsChanged(_ changes: [RecordChange])
  /// The device is somewhere.
  func placed(_ place: Place)
}

/// The regions that are watched, and where the device is.
///
/// Confined to its loop.
final class RegionMonitor: TimerTarget {
  private struct Watched {
    var region: NotificationRegion
    var repeats: Bool
  }

  private var watch: RegionWatch<RegionKey>
  private var regions: [RegionKey: Watched] = [:]
  private let loop: EventLoop
  private weak var listener: (any LocationListener)?
  private var timer: TimerID?
  /// Apps that want to hear of every place, by connection.
  var followers: [ConnectionID: AppID] = [:] {
    didSet { tellService() }
  }
  /// Where places come from by themselves; nil when only commands tell them.
  var service: (any LocationSource)? {
    didSet { tellService() }
  }
  /// Who listens for beacons.
  var beacons: (any LocationSource)? {
    didSet { tellService() }
  }
  /// Where the device was last.
  private(set) var place: Place?

  /// Watches nothing yet; `dwell` is how many milliseconds a measured crossing must last.
  init(
    on loop: EventLoop, dwell: Int64 = PlaceLimits.dwellMilliseconds,
    listener: any LocationListener
  ) {
    watch = RegionWatch<RegionKey>(dwell: dwell)
    self.loop = loop
    self.listener = listener
  }

  /// Takes in the regions that were kept; gives the keys of damaged records.
  func start(_ records: [(String, [UInt8])]) -> [String] {
    var damaged: [String] = []
    for (name, value) in records {
      guard let key = RegionRecord.key(name),
        let (region, repeats, state) = RegionRecord.read(value),
        (try? watch.watch(key, region, kept: state, at: milliseconds)) != nil
      else {
        damaged.append(name)
        continue
      }
      regions[key] = Watched(region: region, repeats: repeats)
    }
    tell([])
    tellService()
    return damaged
  }

  func close() {
    service?.close()
    beacons?.close()
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  // MARK: Requests

  /// Watches a region, in place of one with the same key.
  ///
  /// - Returns: What is to be kept.
  /// - Throws: Why it cannot be watched.
  func add(
    _ key: RegionKey, _ region: NotificationRegion, repeats: Bool
  ) throws(AppLinkFailure) -> [RecordChange] {
    let others = regions.keys.count { $0.app == key.app && $0 != key }
    guard others < PlaceLimits.regionsPerApp else {
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
    regions[key] = Watched(region: region, repeats: repeats)
    tellService()
    return [RegionRecord.put(key, region, repeats: repeats, state)]
  }

  /// Watches them no more; gives what is to be kept.
  func remove(_ keys: [RegionKey]) -> [RecordChange] {
    let known = keys.filter { regions.removeValue(forKey: $0) != nil }
    for key in known { watch.unwatch(key) }
    if !known.isEmpty { tellService() }
    return known.map(RegionRecord.remove)
  }

  /// What is watched, of one app or of all, in the order of the names.
  func keys(of app: AppID?) -> [RegionKey] {
    regions.keys.filter { app == nil || $0.app == app }
      .sorted { RegionRecord.name($0) < RegionRecord.name($1) }
  }

  /// The region of a key.
  func region(of key: RegionKey) -> NotificationRegion? { regions[key]?.region }

  /// Where the device is as to a region.
  func state(of key: RegionKey) -> RegionState { watch.state(of: key) }

  // MARK: Events

  /// The device is somewhere, by a command or by the service.
  func placed(_ place: Place) {
    self.place = place
    tell(watch.handlePosition(place, at: milliseconds))
    listener?.placed(place)
  }

  /// A beacon was heard.
  func heard(_ beacon: Beacon) { tell(watch.handleAdvertisement(of: beacon, at: milliseconds)) }

  func timerFired(tag: UInt64) {
    timer = nil
    tell(watch.advance(to: milliseconds))
  }

  // MARK: Inside

  /// Of the loop's own clock: what a crossing must last is time that the machine is awake.
  private var milliseconds: Int64 { loop.nowNanoseconds / 1_000_000 }

  private func tell(_ crossings: [RegionWatch<RegionKey>.Crossing]) {
    for crossing in crossings {
      guard let watched = regions[crossing.key] else { continue }
      let kept = RegionRecord.put(
        crossing.key, watched.region, repeats: watched.repeats, crossing.state)
      // What an app may not know is not told, nor used up (S1-73).
      guard crossing.isWanted, listener?.mayLocate(crossing.key.app) == true else {
        listener?.regionsChanged([kept])
        continue
      }
      let changes = watched.repeats ? [kept] : remove([crossing.key])
      listener?.regionCrossed(crossing.key, watched.region, crossing.state, changes)
    }
    if let timer { loop.cancel(timer) }
    timer = watch.wakeUp.map { wakeUp in
      loop.schedule(
        afterNanoseconds: max(0, wakeUp - milliseconds) * 1_000_000, self, tag: 0)
    }
  }

  /// Who may know the place has changed, or what is watched: services run for those who may alone.
  func tellService() {
    var needsPlaces = false
    var needsBeacons = false
    var isAllowed: [AppID: Bool] = [:]
    for (key, watched) in regions {
      guard !needsPlaces || !needsBeacons else { break }
      let may = isAllowed[key.app] ?? (listener?.mayLocate(key.app) ?? false)
      isAllowed[key.app] = may
      guard may else { continue }
      switch watched.region.shape {
      case .circle: needsPlaces = true
      case .beacon: needsBeacons = true
      }
    }
    let isFollowed = followers.values.contains { listener?.mayLocate($0) == true }
    service?.set(isNeeded: needsPlaces || isFollowed)
    beacons?.set(isNeeded: needsBeacons)
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
}

/// How a watched region stands in the agent's store.
enum RegionRecord {
  static func name(_ key: RegionKey) -> String {
    switch key {
    case .request(let key): "request/\(key.recordKey)"
    case .watched(let app, let id): "watched/\(app)/\(id)"
    }
  }

  static func key(_ name: String) -> RegionKey? {
    let parts = name.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let app = AppID(String(parts[1])) else { return nil }
    switch parts[0] {
    case "request": return .request(AppNotificationID(app: app, id: String(parts[2])))
    case "watched": return .watched(app, String(parts[2]))
    default: return nil
    }
  }

  static func put(
    _ key: RegionKey, _ region: NotificationRegion, repeats: Bool, _ state: RegionState
  ) -> RecordChange {
    let known = RegionState.allCases.firstIndex(of: state) ?? 0
    let request = NotificationRequest(
      id: region.id, content: NotificationContent(), trigger: .region(region, repeats: repeats))
    return .put(.regions, key: name(key), [UInt8(known)] + request.encoded)
  }

  static func remove(_ key: RegionKey) -> RecordChange { .remove(.regions, key: name(key)) }

  static func read(_ value: [UInt8]) -> (NotificationRegion, repeats: Bool, RegionState)? {
    guard let first = value.first, Int(first) < RegionState.allCases.count,
      let request = try? NotificationRequest(decoding: Array(value.dropFirst())),
      case .region(let region, let repeats)? = request.trigger
    else { return nil }
    return (region, repeats, RegionState.allCases[Int(first)])
  }
}
