import Foundation
public import Testing

/// A program or a Python environment that some tests use and that a machine may lack.
public enum TestTool: String, CaseIterable, Sendable {
  /// A browser.
  case chromium
  case curl
  case openssl
  case dbus = "dbus-daemon"
  case dbusMonitor = "dbus-monitor"
  case dbusSend = "dbus-send"
  /// The system's own Python with python-dbusmock.
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
  /// A compiler of C.
  case cc
  case mateNotifications = "mate-notification-daemon"
  case upower = "upowerd"
  case umockdev = "umockdev-run"
  case gdbus
  case gsettings
  case dconf = "dconf-service"
  case pulseaudio
  /// The bus of screen readers.
  case accessibility = "at-spi-bus-launcher"
  /// The system's own Python with D-Bus.
  case dbusPython = "python3-dbus"
  /// The system's own Python with Prometheus' client library.
  case prometheusPython = "python3-prometheus-client"
  /// PulseAudio's recorder.
  case parec
  /// The Python environment with the client libraries: `scripts/python-environment test`.
  case python = "python-test"
  case systemPython = "python3"

  /// Where it is on this machine; `nil` where it is not.
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
    if let file = known[self] { return FileManager.default.fileExists(atPath: file) ? file : nil }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return (folders.map(String.init) + ["/usr/bin", "/usr/sbin"]).map { "\($0)/\(rawValue)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// The path, for a test that was let run because the tool is there.
  public func required() throws -> String {
    guard let path else {
      throw ProgramFailure.unreadable("\(rawValue) is not installed: run make test")
    }
    return path
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test where a tool is missing; under CI it runs all the same, and fails for the lack.
  public static func requires(_ tools: TestTool...) -> Self {
    let missing = tools.filter { $0.path == nil }.map(\.rawValue)
    let isCI = ProcessInfo.processInfo.environment["CI"] != nil
    return .enabled(
      if: missing.isEmpty || isCI, "\(missing.joined(separator: ", ")) is not installed")
  }
}
