/// Decides when the device has entered or left the regions that apps watch; does nothing itself.
///
/// A place that was told counts at once. A measured one has to lie past the bounds by what it may
/// be off, and to stay there for `PlaceLimits.dwellMilliseconds`: a fix that strays is no crossing.
/// Times are elapsed milliseconds.
public struct RegionWatch<Key: Hashable & Sendable>: ~Copyable {
  /// A region whose state has changed.
  public struct Crossing: Hashable, Sendable {
    /// What watches it.
    public let key: Key
    /// Its state from now on, to be kept on disk.
    public let state: RegionState
    /// Whether whoever watches it wants to hear of it.
    public let isWanted: Bool

    /// Makes a crossing.
    public init(key: Key, state: RegionState, isWanted: Bool) {
      self.key = key
      self.state = state
      self.isWanted = isWanted
    }
  }

  /// Why a region cannot be watched.
  public enum Refusal: Error, Hashable, Sendable {
    /// The centre lies on no globe, or the radius is not positive.
    case notAPlace
    /// The radius is larger than `PlaceLimits.largestRadius`.
    case tooLarge
    /// Not a UUID of 32 hexadecimal digits.
    case notABeacon
  }

  private struct Watched {
    var region: NotificationRegion
    var state: RegionState
    /// The state that measurements show, and since when, while it differs from `state`.
    var candidate: (state: RegionState, since: Int64)?
    /// When a beacon was heard last.
    var heard: Int64?
  }

  private var watched: [Key: Watched] = [:]
  private var place: Place?

  private let dwell: Int64

  /// Watches nothing yet.
  ///
  /// - Parameter dwell: Milliseconds that a measured crossing must last.
  public init(dwell: Int64 = PlaceLimits.dwellMilliseconds) {
    precondition(dwell >= 0, "a crossing cannot last less than no time")
    self.dwell = dwell
  }

  /// Watches a region, in place of one with the same key.
  ///
  /// - Parameters:
  ///   - key: Who watches what.
  ///   - region: Where.
  ///   - kept: Its state when it was watched last, as kept on disk.
  ///   - now: A beacon that was in reach has to be heard again from now on.
  /// - Returns: Its state now. Being inside already is no entry.
  /// - Throws: Why it cannot be watched.
  @discardableResult
  public mutating func watch(
    _ key: Key, _ region: NotificationRegion, kept: RegionState = .unknown, at now: Int64 = 0
  ) throws(Refusal) -> RegionState {
    try Self.check(region)
    var new = Watched(region: region, state: kept)
    if kept == .unknown, let place, let state = Self.state(of: region, at: place) {
      new.state = state
    }
    if case .beacon = region.shape, kept == .inside { new.heard = now }
    watched[key] = new
    return new.state
  }

  /// Watches it no more.
  public mutating func unwatch(_ key: Key) { watched[key] = nil }

  /// The state of a watched region.
  public func state(of key: Key) -> RegionState { watched[key]?.state ?? .unknown }

  // MARK: Events

  /// The device is somewhere.
  public mutating func placed(_ place: Place, at now: Int64) -> [Crossing] {
    self.place = place
    var crossings: [Crossing] = []
    for key in watched.keys {
      guard let region = watched[key]?.region, case .circle = region.shape else { continue }
      let shown = Self.state(of: region, at: place)
      if place.certainty == .told {
        if let shown { cross(key, to: shown, isTold: true, &crossings) }
      } else {
        show(key, shown, at: now, &crossings)
      }
    }
    return crossings
  }

  /// A beacon was heard.
  public mutating func heard(_ beacon: Beacon, at now: Int64) -> [Crossing] {
    var crossings: [Crossing] = []
    for (key, entry) in watched {
      guard case .beacon(let wanted, let wantedMajor, let wantedMinor) = entry.region.shape,
        Self.digits(wanted) == Self.digits(beacon.uuid),
        wantedMajor ?? beacon.major == beacon.major, wantedMinor ?? beacon.minor == beacon.minor
      else { continue }
      watched[key]?.heard = now
      cross(key, to: .inside, isTold: true, &crossings)
    }
    return crossings
  }

  /// Time has passed; to be called at `wakeUp`.
  public mutating func passed(to now: Int64) -> [Crossing] {
    var crossings: [Crossing] = []
    for (key, entry) in watched {
      if let heard = entry.heard, now - heard >= PlaceLimits.beaconSilenceMilliseconds {
        watched[key]?.heard = nil
        cross(key, to: .outside, isTold: true, &crossings)
      }
      if let candidate = entry.candidate, now - candidate.since >= dwell {
        cross(key, to: candidate.state, isTold: false, &crossings)
      }
    }
    return crossings
  }

  /// When a crossing ripens or a beacon falls silent; nil when nothing waits.
  public var wakeUp: Int64? {
    watched.values.flatMap { entry in
      [
        entry.heard.map { $0 + PlaceLimits.beaconSilenceMilliseconds },
        entry.candidate.map { $0.since + dwell },
      ]
    }.compactMap { $0 }.min()
  }

  /// Checks what holds between events; tests call it after each.
  public func checkInvariants() {
    for entry in watched.values {
      let isBeacon = if case .beacon = entry.region.shape { true } else { false }
      precondition(isBeacon || entry.heard == nil, "only beacons are heard")
      guard let candidate = entry.candidate else { continue }
      precondition(!isBeacon, "a beacon needs no second measurement")
      precondition(entry.state != .unknown, "a first state is no crossing")
      precondition(
        candidate.state != entry.state && candidate.state != .unknown,
        "a candidate is the other side")
    }
  }

  // MARK: Inside

  private mutating func show(
    _ key: Key, _ shown: RegionState?, at now: Int64, _ crossings: inout [Crossing]
  ) {
    guard let entry = watched[key] else { preconditionFailure("only a watched region has a state") }
    assert(shown != .unknown, "what is unsure is nil")
    guard let shown, shown != entry.state else {
      // Too unsure to tell: what has begun to ripen goes on; back where it was: it was none.
      if shown != nil { watched[key]?.candidate = nil }
      return
    }
    guard entry.state != .unknown else {
      // Where the device is at first is no crossing.
      return cross(key, to: shown, isTold: false, &crossings)
    }
    if let candidate = entry.candidate, candidate.state == shown {
      guard now - candidate.since >= dwell else { return }
      return cross(key, to: shown, isTold: false, &crossings)
    }
    watched[key]?.candidate = (shown, now)
  }

  private mutating func cross(
    _ key: Key, to state: RegionState, isTold: Bool, _ crossings: inout [Crossing]
  ) {
    guard let entry = watched[key] else { preconditionFailure("only a watched region is crossed") }
    assert(state != .unknown, "a crossing leads inside or outside")
    watched[key]?.candidate = nil
    guard entry.state != state else { return }
    watched[key]?.state = state
    // A place that is told after none is an arrival; one that is measured is where it was all along.
    let isCrossing = entry.state != .unknown || (isTold && state == .inside)
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

  /// Inside or outside; nil for a beacon, and where the place is too unsure to tell.
  private static func state(of region: NotificationRegion, at place: Place) -> RegionState? {
    guard case .circle(let latitude, let longitude, let radius) = region.shape else { return nil }
    let distance = place.distance(toLatitude: latitude, longitude: longitude)
    guard case .measured(let metres) = place.certainty else {
      return distance <= radius ? .inside : .outside
    }
    // GeoClue 2.6.0 says 0 where it does not know.
    let accuracy = metres.flatMap { $0 > 0 ? $0 : nil } ?? PlaceLimits.unknownAccuracy
    // A region smaller than the fix is sure can still be entered: at its core.
    if distance <= max(radius - accuracy, radius / 2) { return .inside }
    return distance >= radius + accuracy ? .outside : nil
  }
}
