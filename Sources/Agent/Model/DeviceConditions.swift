import BelfryWire
import AppWire
import PushWire

/// The conditions of the machine and its desktop, as reported by their services or by commands.
struct DeviceConditions: Hashable, Sendable {
  private(set) var isLocked = false
  private(set) var hasFocus = false
  private(set) var isBatteryLow = false
  private(set) var isPowerSaver = false
  private(set) var isMetered = false
  private(set) var isAsleep = false
  /// True if the desktop's own do-not-disturb mode is on: the desktop suppresses banners, and the agent plays no
  /// sounds.
  private(set) var isDesktopQuiet = false
  /// True if the screen was locked by the session rather than by a command.
  private var isLockedBySession = false

  /// True if background work must wait (S2-17).
  var holdsBackgroundWork: Bool { isBatteryLow || isPowerSaver || isMetered }

  /// The state reported to the gateway.
  var deviceState: DeviceState {
    var state: DeviceState = []
    if isBatteryLow || isPowerSaver { state.insert(.powerRestricted) }
    if isBatteryLow { state.insert(.batteryLow) }
    if isMetered { state.insert(.metered) }
    if isAsleep { state.insert(.asleep) }
    return state
  }

  /// Applies a change.
  mutating func apply(_ change: DeviceChange) {
    switch change {
    case .batteryLow(let isLow): isBatteryLow = isLow
    case .powerSaver(let isOn): isPowerSaver = isOn
    case .metered(let isMetered): self.isMetered = isMetered
    case .sessionLocked(let isLocked):
      self.isLocked = isLocked
      isLockedBySession = isLocked
    case .sessionEnded:
      // The session must not remove a lock that a command has set.
      guard isLockedBySession else { break }
      isLocked = false
      isLockedBySession = false
    case .asleep(let isAsleep): self.isAsleep = isAsleep
    case .desktopQuiet(let isQuiet): isDesktopQuiet = isQuiet
    case .online: break
    case .servicesLost:
      // Conditions that are no longer reported must not hold anything back. A locked screen still counts as locked:
      // hidden text must not appear just because a service failed.
      isAsleep = false
      isBatteryLow = false
      isPowerSaver = false
      isMetered = false
    }
  }

  /// Sets a condition by command; returns false if the name or value is unknown.
  private mutating func set(_ name: String, to word: String) -> Bool {
    switch (name, word) {
    case ("locked", "on"), ("locked", "off"): isLocked = word == "on"
    case ("focus", "on"), ("focus", "off"): hasFocus = word == "on"
    case ("metered", "on"), ("metered", "off"): isMetered = word == "on"
    case ("battery", "low"), ("battery", "normal"): isBatteryLow = word == "low"
    // Only `belfry device order` sets this condition.
    case ("asleep", "on"), ("asleep", "off"): isAsleep = word == "on"
    default: return false
    }
    return true
  }

  /// Returns the conditions after a command (`belfry state`); the foreground app's name is checked but not applied.
  ///
  /// - Throws: A description of the first invalid change.
  func changed(
    by changes: [String: String], _ front: FrontApp, _ context: AgentContext
  ) throws(AppLinkFailure) -> DeviceConditions {
    var conditions = self
    for (name, word) in changes.sorted(by: { $0.key < $1.key }) {
      let isKnown =
        name == "front" ? front.canSet(word, context) : conditions.set(name, to: word)
      guard isKnown else {
        if name == "front" {
          throw AppLinkFailure(
            .invalidArgument,
            "\(name)=\(word): unknown app: see 'belfry app list', or use "
              + "none for no app, or auto to follow the active window")
        }
        throw AppLinkFailure(
          .invalidArgument,
          "\(name)=\(word): use locked=on|off, battery=low|normal, metered=on|off, focus=on|off or "
            + "front=APP_ID|none|auto")
      }
    }
    return conditions
  }

  /// The row that `belfry state` prints, without the foreground app.
  var row: JSONObject {
    [
      "locked": isLocked ? "on" : "off", "battery": isBatteryLow ? "low" : "normal",
      "metered": isMetered ? "on" : "off", "focus": hasFocus ? "on" : "off",
      // Only a service can report these two conditions.
      "powerSaver": isPowerSaver ? "on" : "off", "doNotDisturb": isDesktopQuiet ? "on" : "off",
    ]
  }

  /// Traps in debug builds if the conditions are inconsistent.
  func checkInvariants() {
    assert(
      !deviceState.contains(.batteryLow) || deviceState.contains(.powerRestricted),
      "a low battery also restricts power")
    assert(
      !holdsBackgroundWork || !deviceState.isDisjoint(with: [.powerRestricted, .metered]),
      "background work is held only under a power or network restriction")
  }
}
