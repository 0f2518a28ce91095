import Foundation
public import Testing

/// A program or a Python environment that some tests need but that a machine might not have.
public enum TestTool: String, CaseIterable, Sendable {
  /// A web browser, for tests of the console.
  case chromium
  case curl
  case openssl
  case dbus = "dbus-daemon"
  case dbusMonitor = "dbus-monitor"
  case dbusSend = "dbus-send"
  /// The system's Python with python-dbusmock.
  case dbusmock
  case dunst
  case geoclue
  case xvfb = "Xvfb"
  case xdotool
  case importPicture = "import"
  case h2load
  case nghttp
  case nghttpd
  case unshare
  case nsenter
  case bwrap
  case flatpak
  case setpriv
  case prlimit
  /// A compiler for C programs.
  case cc
  case mateNotifications = "mate-notification-daemon"
  case upower = "upowerd"
  case umockdev = "umockdev-run"
  case gdbus
  case gsettings
  case dconf = "dconf-service"
  case pulseaudio
  /// The program that creates a PostgreSQL cluster; the server is in the same folder.
  case initdb
  /// The server of the bus between the nodes of a cluster.
  case natsServer = "nats-server"
  /// The launcher for the bus that screen readers use.
  case accessibility = "at-spi-bus-launcher"
  /// The system's Python with D-Bus.
  case dbusPython = "python3-dbus"
  /// The system's Python with the Prometheus client library.
  case prometheusPython = "python3-prometheus-client"
  /// PulseAudio's audio recorder, which records the sounds that a test plays.
  case parec
  /// The Python environment with the client libraries: `scripts/python-environment test`.
  case python = "python-test"
  case systemPython = "python3"
  /// A reader for QR codes.
  case zbarimg
  /// The viewer for manual pages.
  case man

  /// The path on this machine; `nil` if the tool is missing.
  public var path: String? {
    if self == .python {
      let python = Installation.root + "/.build/python-test/bin/python"
      return FileManager.default.isExecutableFile(atPath: python) ? python : nil
    }
    let known: [TestTool: String] = [
      .dbusmock: "/usr/lib/python3/dist-packages/dbusmock/__main__.py",
      .geoclue: "/usr/libexec/geoclue", .systemPython: "/usr/bin/python3",
      .accessibility: "/usr/libexec/at-spi-bus-launcher",
      .dbusPython: "/usr/lib/python3/dist-packages/dbus/__init__.py",
      .prometheusPython: "/usr/lib/python3/dist-packages/prometheus_client/__init__.py",
      .upower: "/usr/libexec/upowerd", .dconf: "/usr/libexec/dconf-service",
      .mateNotifications: "/usr/lib/mate-notification-daemon/mate-notification-daemon",
    ]
    if self == .initdb {
      return FileManager.default.newestPostgresFolder.map { "\($0)/initdb" }
    }
    if let file = known[self] { return FileManager.default.fileExists(atPath: file) ? file : nil }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return (folders.map(String.init) + ["/usr/bin", "/usr/sbin"]).map { "\($0)/\(rawValue)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Returns the path of the tool; throws an error if the tool is missing.
  public func required() throws -> String {
    guard let path else {
      throw ProgramFailure.unreadable("\(rawValue) is not installed: run make test")
    }
    return path
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test if a tool is missing.
  ///
  /// In CI, the test runs regardless, and fails because the tool is missing.
  public static func requires(_ tools: TestTool...) -> Self {
    let missing = tools.filter { $0.path == nil }.map(\.rawValue)
    let isCI = ProcessInfo.processInfo.environment["CI"] != nil
    return .enabled(
      if: missing.isEmpty || isCI, "\(missing.joined(separator: ", ")) is not installed")
  }
}

extension FileManager {
  /// The programs of the newest PostgreSQL that Debian's package installed; nil if there is no server.
  fileprivate var newestPostgresFolder: String? {
    let root = "/usr/lib/postgresql"
    let versions = ((try? contentsOfDirectory(atPath: root)) ?? []).compactMap(Int.init)
    return versions.sorted(by: >).map { "\(root)/\($0)/bin" }
      .first { isExecutableFile(atPath: "\($0)/initdb") }
  }
}
