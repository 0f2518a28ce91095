import System

/// The machine's state, as reported by its services: battery, power profile, network, lock, and sleep.
///
/// Each service can be missing, start later, or stop and start again.
package final class SystemServices {
  /// A change in the machine's state.
  package enum Change: Hashable {
    case device(DeviceChange)
    /// The name of the machine's time zone.
    case zone(String)
  }

  private static let login = "org.freedesktop.login1"
  private static let loginPath = "/org/freedesktop/login1"
  private static let loginManager = "org.freedesktop.login1.Manager"

  private let bus: BusConnection
  private let body: (Change) -> Void
  private var watches: [BusPropertyWatch] = []
  /// The unique name of the running logind.
  private var loginOwner = ""
  /// The path of NetworkManager's last primary connection; each new connection has a different path.
  private var primaryConnection: String?
  /// The path of the session whose lock is watched.
  private var session: String?

  /// The bus names of the running services.
  var running: Set<String> { Set(watches.filter(\.isThere).map(\.service)) }

  /// Creates watches on the services; `body` is called on the loop with each change.
  package init(bus: BusConnection, _ body: @escaping (Change) -> Void)
    throws(BusFailure)
  {
    self.bus = bus
    self.body = body
    try watch(
      "org.freedesktop.UPower", "/org/freedesktop/UPower/devices/DisplayDevice",
      "org.freedesktop.UPower.Device", "WarningLevel"
    ) { value in
      // 3 is low, 4 is critical, and 5 means that action is imminent (linux-parts 8).
      .device(.batteryLow((value?.unsignedValue ?? 0) >= 3))
    }
    try watch(
      "net.hadess.PowerProfiles", "/net/hadess/PowerProfiles", "net.hadess.PowerProfiles",
      "ActiveProfile"
    ) { .device(.powerSaver($0?.stringValue == "power-saver")) }
    let manager = "org.freedesktop.NetworkManager"
    try watch(manager, "/org/freedesktop/NetworkManager", manager, "Metered") { value in
      // 1 means that the connection is metered, and 3 that it probably is.
      .device(.metered(value?.unsignedValue == 1 || value?.unsignedValue == 3))
    }
    try watch(manager, "/org/freedesktop/NetworkManager", manager, "State") { value in
      (value?.unsignedValue ?? 0) >= 60 ? .device(.online(isOtherNetwork: false)) : nil
    }
    try watch(manager, "/org/freedesktop/NetworkManager", manager, "PrimaryConnection") {
      [weak self] in self?.networkChange($0?.stringValue)
    }
    let timedate = "org.freedesktop.timedate1"
    try watch(timedate, "/org/freedesktop/timedate1", timedate, "Timezone") { value in
      // The service exits when it is idle; its exit does not mean that the time zone has changed.
      (value?.stringValue).map(Change.zone)
    }
    try watchSleep()
    try watchLock()
  }

  private func watch(
    _ service: String, _ path: String, _ interface: String, _ property: String,
    _ read: @escaping (BusValue?) -> Change?
  ) throws(BusFailure) {
    let watch = try BusPropertyWatch(
      bus, service: service, path: path, interface: interface, property: property
    ) { [weak self] value in
      if let change = read(value) { self?.body(change) }
    }
    watches.append(watch)
  }

  /// Returns the change if the primary connection differs from the previous one; the first connection does not count as
  /// a change.
  private func networkChange(_ path: String?) -> Change? {
    guard let path, path != "/" else { return nil }
    defer { primaryConnection = path }
    guard let primaryConnection, primaryConnection != path else { return nil }
    return .device(.online(isOtherNetwork: true))
  }

  private func watchSleep() throws(BusFailure) {
    try bus.match(
      "type='signal',sender='\(Self.login)',path='\(Self.loginPath)',"
        + "interface='\(Self.loginManager)',member='PrepareForSleep'"
    ) { [weak self] message in
      guard message.member == "PrepareForSleep", let value = try? message.read().first,
        let sleeps = value.boolValue
      else { return }
      self?.body(.device(.asleep(sleeps)))
    }
    // Read the property whenever logind starts: a signal might have been missed, or might never arrive.
    try watch(Self.login, Self.loginPath, Self.loginManager, "PreparingForSleep") {
      .device(.asleep($0?.boolValue ?? false))
    }
  }

  /// Watches the lock of the user's session: the session that this process belongs to, or, for a user service, the
  /// session with the display.
  ///
  /// The session can begin after the agent starts.
  private func watchLock() throws(BusFailure) {
    try bus.match(
      "type='signal',sender='\(Self.login)',path='\(Self.loginPath)',"
        + "interface='\(Self.loginManager)',member='SessionNew'"
    ) { [weak self] message in
      if message.member == "SessionNew" { self?.findSession() }
    }
    try bus.followOwner(of: Self.login) { [weak self] in self?.loginChanged($0) }
  }

  private func loginChanged(_ owner: String) {
    guard owner != loginOwner else { return }
    loginOwner = owner
    session = nil
    if !owner.isEmpty { findSession() }
  }

  private func findSession() {
    bus.call(
      Self.login, Self.loginPath, Self.loginManager, "GetSession", [.string("auto")]
    ) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let values):
        guard let path = values.first?.stringValue, path != self.session else { return }
        self.session = path
        self.follow(path)
      case .failure(let failure):
        // An error from a sender other than logind does not describe the session.
        guard failure.name.hasPrefix(Self.login + ".") else { return }
        self.session = nil
        self.body(.device(.sessionEnded))
      }
    }
  }

  private func follow(_ path: String) {
    try? watch(Self.login, path, Self.login + ".Session", "LockedHint") { [weak self] value in
      // A report about an earlier session is outdated.
      guard self?.session == path else { return nil }
      return value.map { .device(.sessionLocked($0.boolValue ?? false)) }
    }
  }
}
