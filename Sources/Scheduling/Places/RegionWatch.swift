public import AppWire

/// The state machine of region monitoring, which decides when the device has entered or left a region.
///
/// An exact position counts immediately. A measured position must be beyond the boundary by at least its accuracy, and
/// must remain there for `PlaceLimits.dwellMilliseconds`, so that a stray position fix does not count as a crossing.
/// Times are in milliseconds on a clock that the caller chooses; the agent uses the time that the machine was awake.
public struct RegionWatch<Key: Hashable & Sendable>: ~Copyable {
  /// A region whose state has changed.
  public struct Crossing: Hashable, Sendable {
    /// The key that identifies the region's watcher.
    public let key: Key
    /// The region's new state, to be persisted.
    public let state: RegionState
    /// True if the watcher requested crossings in this direction.
    public let isWanted: Bool

    /// Creates a crossing from its parts.
    public init(key: Key, state: RegionState, isWanted: Bool) {
      self.key = key
      self.state = state
      self.isWanted = isWanted
    }
  }

  /// The reason that a region is refused.
  public enum Refusal: Error, Hashable, Sendable {
    /// The center is not a valid coordinate, or the radius is not positive.
    case notAPlace
    /// The radius is larger than `PlaceLimits.largestRadius`.
    case tooLarge
    /// The beacon's identifier is not a UUID of 32 hexadecimal digits.
    case notABeacon
  }

  private struct Watched {
    var region: NotificationRegion
    var state: RegionState
    /// The unconfirmed new state that measurements indicate, and the time of the first such measurement; nil if no
    /// change is pending.
    var candidate: (state: RegionState, since: Int64)?
    /// The time at which the beacon was last detected.
    var lastDetected: Int64?
  }

  private var watched: [Key: Watched] = [:]
  private var place: Place?

  private let dwell: Int64

  /// Creates a watch without regions.
  ///
  /// - Parameter dwell: The number of milliseconds for which a measured crossing must last.
  public init(dwell: Int64 = PlaceLimits.dwellMilliseconds) {
    precondition(dwell >= 0, "the dwell time is not negative")
    self.dwell = dwell
  }

  /// Starts watching a region, replacing any watched region with the same key.
  ///
  /// - Parameters:
  ///   - key: The key that identifies the region's watcher.
  ///   - region: The region.
  ///   - kept: The persisted state from the time when the region was last watched.
  ///   - now: The current time. A beacon that was in range must be detected again within
  ///     `PlaceLimits.beaconSilenceMilliseconds` of this time.
  /// - Returns: The region's current state. If the device is already inside, no entry is reported.
  /// - Throws: The reason that the region is refused.
  @discardableResult
  public mutating func watch(
    _ key: Key, _ region: NotificationRegion, kept: RegionState = .unknown, at now: Int64 = 0
  ) throws(Refusal) -> RegionState {
    try Self.check(region)
    var new = Watched(region: region, state: kept)
    if kept == .unknown, let place, let state = Self.state(of: region, at: place) {
      new.state = state
    }
    if case .beacon = region.shape, kept == .inside { new.lastDetected = now }
    watched[key] = new
    return new.state
  }

  /// Stops watching a region.
  public mutating func unwatch(_ key: Key) { watched[key] = nil }

  /// Returns the state of a watched region; `unknown` if no region has this key.
  public func state(of key: Key) -> RegionState { watched[key]?.state ?? .unknown }

  // MARK: Events

  /// Handles a new position of the device, and returns the resulting crossings.
  public mutating func handlePosition(_ place: Place, at now: Int64) -> [Crossing] {
    self.place = place
    var crossings: [Crossing] = []
    for key in watched.keys {
      guard let region = watched[key]?.region, case .circle = region.shape else { continue }
      let shown = Self.state(of: region, at: place)
      if place.certainty == .exact {
        if let shown { cross(key, to: shown, isExact: true, &crossings) }
      } else {
        show(key, shown, at: now, &crossings)
      }
    }
    return crossings
  }

  /// Handles an advertisement of a beacon, and returns the resulting crossings.
  public mutating func handleAdvertisement(of beacon: Beacon, at now: Int64) -> [Crossing] {
    var crossings: [Crossing] = []
    for (key, entry) in watched {
      guard case .beacon(let wanted, let wantedMajor, let wantedMinor) = entry.region.shape,
        Self.digits(wanted) == Self.digits(beacon.uuid),
        wantedMajor ?? beacon.major == beacon.major, wantedMinor ?? beacon.minor == beacon.minor
      else { continue }
      watched[key]?.lastDetected = now
      cross(key, to: .inside, isExact: true, &crossings)
    }
    return crossings
  }

  /// Advances the clock, and returns the crossings that are now confirmed.
  ///
  /// Call this method at ``wakeUp``.
  public mutating func advance(to now: Int64) -> [Crossing] {
    var crossings: [Crossing] = []
    for (key, entry) in watched {
      if let lastDetected = entry.lastDetected,
        now - lastDetected >= PlaceLimits.beaconSilenceMilliseconds
      {
        watched[key]?.lastDetected = nil
        cross(key, to: .outside, isExact: true, &crossings)
      }
      if let candidate = entry.candidate, now - candidate.since >= dwell {
        cross(key, to: candidate.state, isExact: false, &crossings)
      }
    }
    return crossings
  }

  /// The time at which a crossing is confirmed or a beacon goes out of range; nil if neither is pending.
  public var wakeUp: Int64? {
    watched.values.flatMap { entry in
      [
        entry.lastDetected.map { $0 + PlaceLimits.beaconSilenceMilliseconds },
        entry.candidate.map { $0.since + dwell },
      ]
    }.compactMap { $0 }.min()
  }

  /// Checks the invariants that hold between events.
  ///
  /// Tests call this method after each event.
  public func checkInvariants() {
    for entry in watched.values {
      let isBeacon = if case .beacon = entry.region.shape { true } else { false }
      precondition(isBeacon || entry.lastDetected == nil, "only beacons have a detection time")
      guard let candidate = entry.candidate else { continue }
      precondition(!isBeacon, "beacons have no candidate states")
      precondition(
        entry.state != .unknown, "only a region with a known state has a candidate state")
      precondition(
        candidate.state != entry.state && candidate.state != .unknown,
        "a candidate state is known and differs from the current state")
    }
  }

  // MARK: Inside

  private mutating func show(
    _ key: Key, _ shown: RegionState?, at now: Int64, _ crossings: inout [Crossing]
  ) {
    guard let entry = watched[key] else {
      preconditionFailure("a state was reported for an unwatched region")
    }
    assert(shown != .unknown, "an uncertain state is passed as nil")
    guard let shown, shown != entry.state else {
      // An uncertain position keeps the candidate; a position on the previous side discards it.
      if shown != nil { watched[key]?.candidate = nil }
      return
    }
    guard entry.state != .unknown else {
      // The first known state is not a crossing.
      return cross(key, to: shown, isExact: false, &crossings)
    }
    if let candidate = entry.candidate, candidate.state == shown {
      guard now - candidate.since >= dwell else { return }
      return cross(key, to: shown, isExact: false, &crossings)
    }
    watched[key]?.candidate = (shown, now)
  }

  private mutating func cross(
    _ key: Key, to state: RegionState, isExact: Bool, _ crossings: inout [Crossing]
  ) {
    guard let entry = watched[key] else { preconditionFailure("an unwatched region was crossed") }
    assert(state != .unknown, "a crossing ends inside or outside the region")
    watched[key]?.candidate = nil
    guard entry.state != state else { return }
    watched[key]?.state = state
    // A first position that is exact and inside the region counts as an arrival. If the first position is measured, the
    // device is assumed to have been inside already.
    let isCrossing = entry.state != .unknown || (isExact && state == .inside)
    let isWanted = state == .inside ? entry.region.notifiesOnEntry : entry.region.notifiesOnExit
    crossings.append(Crossing(key: key, state: state, isWanted: isCrossing && isWanted))
  }

  private static func check(_ region: NotificationRegion) throws(Refusal) {
    switch region.shape {
    case .circle(let latitude, let longitude, let radius):
      guard abs(latitude) <= 90, abs(longitude) <= 180, radius > 0 else { throw .notAPlace }
      guard radius <= PlaceLimits.largestRadius else { throw .tooLarge }
    case .beacon(let uuid, _, _):
      let digits = digits(uuid)
      guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit) else { throw .notABeacon }
    }
  }

  private static func digits(_ uuid: String) -> String {
    uuid.uppercased().filter { $0 != "-" }
  }

  /// Returns whether the position is inside or outside; nil for a beacon, or if the position is too uncertain.
  private static func state(of region: NotificationRegion, at place: Place) -> RegionState? {
    guard case .circle(let latitude, let longitude, let radius) = region.shape else { return nil }
    let distance = place.distance(toLatitude: latitude, longitude: longitude)
    guard case .measured(let metres) = place.certainty else {
      return distance <= radius ? .inside : .outside
    }
    // GeoClue 2.6.0 reports 0 for an unknown accuracy.
    let accuracy = metres.flatMap { $0 > 0 ? $0 : nil } ?? PlaceLimits.unknownAccuracy
    // A region smaller than the accuracy can still be entered at its center.
    if distance <= max(radius - accuracy, radius / 2) { return .inside }
    return distance >= radius + accuracy ? .outside : nil
  }
}
