import System

/// What the machine's services tell of it: battery, power profile, network, lock, sleep.
///
/// Each service may be missing; what it would tell then stays as it is.
final class SystemServices {
  /// What has changed.
  enum Change: Hashable {
    case isBatteryLow(Bool)
    case isPowerSaver(Bool)
    case isMetered(Bool)
    case isLocked(Bool)
    /// About to sleep, or awake again.
    case sleeps(Bool)
    /// The machine's time zone, by its name.
    case zone(String)
    /// The network is there (again).
    case isOnline
  }

  private let bus: BusConnection
  private let body: (Change) -> Void
  private var watches: [BusPropertyWatch] = []

  /// Calls `body` on the loop with each change.
  init(bus: BusConnection, processID: Int32, _ body: @escaping (Change) -> Void)
    throws(BusFailure)
  {
    self.bus = bus
    self.body = body
    try watch(
      "org.freedesktop.UPower", "/org/freedesktop/UPower/devices/DisplayDevice",
      "org.freedesktop.UPower.Device", "WarningLevel"
    ) { value in
      // 3 is low, 4 critical, 5 about to be acted on (linux-parts 8).
      .isBatteryLow((value?.unsignedValue ?? 0) >= 3)
    }
    try watch(
      "net.hadess.PowerProfiles", "/net/hadess/PowerProfiles", "net.hadess.PowerProfiles",
      "ActiveProfile"
    ) { .isPowerSaver($0?.stringValue == "power-saver") }
    let manager = "org.freedesktop.NetworkManager"
    try watch(manager, "/org/freedesktop/NetworkManager", manager, "Metered") { value in
      // 1 is yes, 3 a guess that it is.
      .isMetered(value?.unsignedValue == 1 || value?.unsignedValue == 3)
    }
    try watch(manager, "/org/freedesktop/NetworkManager", manager, "State") { value in
      (value?.unsignedValue ?? 0) >= 60 ? .isOnline : nil
    }
    let timedate = "org.freedesktop.timedate1"
    try watch(timedate, "/org/freedesktop/timedate1", timedate, "Timezone") { value in
      // It ends when it is idle: that says nothing of the zone.
      (value?.stringValue).map(Change.zone)
    }
    try watchSleep()
    watchLock(processID)
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

  private func watchSleep() throws(BusFailure) {
    try bus.match(
      "type='signal',sender='org.freedesktop.login1',path='/org/freedesktop/login1',"
        + "interface='org.freedesktop.login1.Manager',member='PrepareForSleep'"
    ) { [weak self] message in
      guard message.member == "PrepareForSleep", let value = try? message.read().first,
        let sleeps = value.boolValue
      else { return }
      self?.body(.sleeps(sleeps))
    }
  }

  /// The lock of the session that this process belongs to; a service without one has none.
  private func watchLock(_ processID: Int32) {
    bus.call(
      "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
      "GetSessionByPID", [.uint32(UInt32(clamping: processID))]
    ) { [weak self] result in
      guard let self, case .success(let values) = result, let path = values.first?.stringValue
      else { return }
      try? self.watch(
        "org.freedesktop.login1", path, "org.freedesktop.login1.Session", "LockedHint"
      ) { value in value.map { .isLocked($0.boolValue ?? false) } }
    }
  }
}
