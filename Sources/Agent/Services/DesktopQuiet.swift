import Foundation
import System

/// A monitor of the desktop's own do-not-disturb mode, for servers that report it (linux-parts 9).
///
/// The server itself suppresses banners; the agent only omits sounds.
final class DesktopQuiet {
  /// A desktop's setting, which applies while that desktop's notification server is active.
  private struct Setting {
    let desktop: String
    /// The name and the vendor that the server reports.
    let server: [String]
    let key: SettingWatch.Key
    /// The value that turns do-not-disturb on.
    let quiet: String
  }

  private static let settings = [
    Setting(
      desktop: "gnome", server: ["gnome-shell", "GNOME"],
      key: SettingWatch.Key(
        schema: "org.gnome.desktop.notifications", name: "show-banners",
        path: "/org/gnome/desktop/notifications/"), quiet: "false"),
    Setting(
      desktop: "mate", server: ["Notification Daemon", "MATE"],
      key: SettingWatch.Key(
        schema: "org.mate.NotificationDaemon", name: "do-not-disturb",
        path: "/org/mate/notification-daemon/"), quiet: "true"),
  ]
  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"

  private let bus: BusConnection
  private let loop: EventLoop
  private let environment: [String: String]
  private let body: (Bool) -> Void
  private var watches: [BusPropertyWatch] = []
  /// The unique name of the active notification server.
  private var server = ""
  private var settingWatch: SettingWatch?
  /// The sources that report the mode as on.
  private(set) var quiet: Set<String> = []

  /// Creates a monitor that calls `body` on the loop whenever the mode changes; `environment` is used to query
  /// settings.
  init(
    bus: BusConnection, on loop: EventLoop,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    _ body: @escaping (Bool) -> Void
  ) throws(BusFailure) {
    self.bus = bus
    self.loop = loop
    self.environment = environment
    self.body = body
    // Watch Plasma's property, and dunst's own interface under the same bus name.
    try watch("plasma", Self.name, "Inhibited")
    try watch("dunst", "org.dunstproject.cmd0", "paused")
    try watchXfce()
    try watchSwaync()
    try bus.followOwner(of: Self.name) { [weak self] in self?.serverChanged($0) }
  }

  func close() { settingWatch?.close() }

  private func watch(
    _ desktop: String, _ interface: String, _ property: String
  ) throws(BusFailure) {
    let watch = try BusPropertyWatch(
      bus, service: Self.name, path: Self.path, interface: interface, property: property
    ) { [weak self] value in self?.set(desktop, value?.boolValue ?? false) }
    watches.append(watch)
  }

  // MARK: - Services with interfaces of their own

  private func watchXfce() throws(BusFailure) {
    let service = "org.xfce.Xfconf"
    let key = ["xfce4-notifyd", "/do-not-disturb"]
    for member in ["PropertyChanged", "PropertyRemoved"] {
      try bus.match("type='signal',interface='\(service)',member='\(member)'") {
        [weak self] message in
        guard message.interface == service, message.member == member,
          let values = try? message.read(), values.prefix(2).map(\.stringValue) == key
        else { return }
        self?.set("xfce", values.count > 2 && values[2].boolValue == true)
      }
    }
    try ask("xfce", service, "/org/xfce/Xfconf", "GetProperty", key.map(BusValue.string))
  }

  private func watchSwaync() throws(BusFailure) {
    let service = "org.erikreider.swaync.cc"
    try bus.match("type='signal',interface='\(service)',member='Subscribe'") {
      [weak self] message in
      guard message.interface == service, message.member == "Subscribe",
        let values = try? message.read(), values.count >= 2
      else { return }
      self?.set("swaync", values[1].boolValue ?? false)
    }
    try ask("swaync", service, "/org/erikreider/swaync/cc", "GetDnd", [])
  }

  /// Queries a service's mode whenever the service appears; after the service disappears, its mode counts as off.
  private func ask(
    _ desktop: String, _ service: String, _ path: String, _ member: String,
    _ arguments: [BusValue]
  ) throws(BusFailure) {
    try bus.followOwner(of: service) { [weak self] owner in
      guard let self else { return }
      guard !owner.isEmpty else { return self.set(desktop, false) }
      self.bus.call(owner, path, service, member, arguments) { [weak self] result in
        guard case .success(let values) = result else { return }
        self?.set(desktop, values.first?.boolValue ?? false)
      }
    }
  }

  // MARK: - Settings

  /// Handles a new notification server: only the setting of the server's desktop applies.
  private func serverChanged(_ owner: String) {
    guard owner != server else { return }
    server = owner
    settingWatch?.close()
    settingWatch = nil
    for setting in Self.settings { set(setting.desktop, false) }
    guard !owner.isEmpty else { return }
    bus.call(owner, Self.path, Self.name, "GetServerInformation") { [weak self] result in
      guard let self, self.server == owner, case .success(let values) = result else { return }
      let names = values.prefix(2).map { $0.stringValue ?? "" }
      if let setting = Self.settings.first(where: { $0.server == names }) { self.follow(setting) }
    }
  }

  private func follow(_ setting: Setting) {
    settingWatch = try? SettingWatch(
      setting.key, bus: bus, on: loop, environment: environment
    ) { [weak self] value in self?.set(setting.desktop, value == setting.quiet) }
  }

  private func set(_ desktop: String, _ isQuiet: Bool) {
    let before = !quiet.isEmpty
    if isQuiet { quiet.insert(desktop) } else { quiet.remove(desktop) }
    if quiet.isEmpty == before { body(!quiet.isEmpty) }
  }
}
