/// Whether the desktop's own do-not-disturb is on, for the servers that say so (linux-parts 9).
///
/// The server itself holds banners back; the agent only keeps silent.
final class DesktopQuiet {
  private let bus: BusConnection
  private let body: (Bool) -> Void
  private var watches: [BusPropertyWatch] = []
  /// Who says that it is on.
  private(set) var quiet: Set<String> = []

  /// Calls `body` on the loop whenever it changes.
  init(bus: BusConnection, _ body: @escaping (Bool) -> Void) throws(BusFailure) {
    self.bus = bus
    self.body = body
    let name = "org.freedesktop.Notifications"
    let path = "/org/freedesktop/Notifications"
    // Plasma's property, and dunst's own interface behind the same name.
    try watch("plasma", name, path, name, "Inhibited")
    try watch("dunst", name, path, "org.dunstproject.cmd0", "paused")
    try watchXfce()
    try watchSwaync()
  }

  private func watch(
    _ desktop: String, _ service: String, _ path: String, _ interface: String, _ property: String
  ) throws(BusFailure) {
    let watch = try BusPropertyWatch(
      bus, service: service, path: path, interface: interface, property: property
    ) { [weak self] value in self?.set(desktop, value?.boolValue ?? false) }
    watches.append(watch)
  }

  private func watchXfce() throws(BusFailure) {
    let service = "org.xfce.Xfconf"
    try bus.match("type='signal',interface='\(service)',member='PropertyChanged'") {
      [weak self] message in
      guard message.interface == service, let values = try? message.read(), values.count == 3,
        values[0].stringValue == "xfce4-notifyd", values[1].stringValue == "/do-not-disturb"
      else { return }
      self?.set("xfce", values[2].boolValue ?? false)
    }
    bus.call(
      service, "/org/xfce/Xfconf", service, "GetProperty",
      [.string("xfce4-notifyd"), .string("/do-not-disturb")]
    ) { [weak self] result in
      guard case .success(let values) = result else { return }
      self?.set("xfce", values.first?.boolValue ?? false)
    }
  }

  private func watchSwaync() throws(BusFailure) {
    let service = "org.erikreider.swaync.cc"
    try bus.match("type='signal',interface='\(service)',member='Subscribe'") {
      [weak self] message in
      guard message.interface == service, let values = try? message.read(), values.count >= 2
      else { return }
      self?.set("swaync", values[1].boolValue ?? false)
    }
    bus.call(service, "/org/erikreider/swaync/cc", service, "GetDnd") { [weak self] result in
      guard case .success(let values) = result else { return }
      self?.set("swaync", values.first?.boolValue ?? false)
    }
  }

  private func set(_ desktop: String, _ isQuiet: Bool) {
    let before = !quiet.isEmpty
    if isQuiet { quiet.insert(desktop) } else { quiet.remove(desktop) }
    if quiet.isEmpty == before { body(!quiet.isEmpty) }
  }
}
