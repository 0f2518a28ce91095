import Foundation
import System
import TestSupport
import Testing

@testable import Agent

/// A separate bus with services that the test simulates.
final class ServiceScenario {
  let loop: EventLoop
  let address: String

  init(_ address: String) throws {
    loop = try EventLoop()
    self.address = address
  }

  func connect() throws -> BusConnection { try BusConnection(.at(address), on: loop) }

  /// Runs the loop until `condition` holds, and returns `false` on timeout.
  func run(until condition: () -> Bool) -> Bool {
    let end = SystemClock.monotonicNanoseconds + TestTimeout.standardNanoseconds
    while !condition() {
      guard SystemClock.monotonicNanoseconds < end else { return false }
      loop.schedule(afterNanoseconds: 20_000_000) {}
      loop.turn(mayBlock: true)
    }
    return true
  }

  static func run(_ body: (ServiceScenario) throws -> Void) async throws {
    try await run(prepare: { _, _ in }, { scenario, _ in try body(scenario) })
  }

  /// Runs `body` with the services that `prepare` starts on the bus.
  ///
  /// The second argument of `body` is the bus address.
  static func run<Prepared>(
    prepare: (Scenario, String) async throws -> Prepared,
    _ body: (ServiceScenario, Prepared) throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let address = try await scenario.bus()
      let prepared = try await prepare(scenario, address)
      try body(try ServiceScenario(address), prepared)
    }
  }
}

/// A service whose properties the test sets.
final class FakeService {
  let bus: BusConnection
  let interface: String
  let path: String
  var properties: [String: BusValue]

  init(
    _ scenario: ServiceScenario, name: String, path: String, interface: String,
    _ properties: [String: BusValue]
  ) throws {
    bus = try scenario.connect()
    self.interface = interface
    self.path = path
    self.properties = properties
    try bus.export(path) { [unowned self] message in
      guard message.member == "Get", let values = try? message.read(), values.count == 2,
        let value = self.properties[values[1].stringValue ?? ""]
      else { return nil }
      return .success([.variant(value)])
    }
    bus.call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
      [.string(name), .uint32(0)]
    ) { _ in }
  }

  func set(_ property: String, _ value: BusValue) {
    properties[property] = value
    bus.emit(
      path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      [.string(interface), .vardict([(property, value)]), .strings([])])
  }
}

@Suite("The machine's services", .serialized)
struct ServicesTests {
  @Test(.requires(.dbus))
  func `battery, power profile, network and sleep are followed`() async throws {
    try await ServiceScenario.run { scenario in
      let battery = try FakeService(
        scenario, name: "org.freedesktop.UPower",
        path: "/org/freedesktop/UPower/devices/DisplayDevice",
        interface: "org.freedesktop.UPower.Device", ["WarningLevel": .uint32(3)])
      var changes: [SystemServices.Change] = []
      let services = try SystemServices(bus: try scenario.connect()) {
        changes.append($0)
      }
      #expect(scenario.run { changes.contains(.device(.batteryLow(true))) })
      battery.set("WarningLevel", .uint32(1))
      #expect(scenario.run { changes.contains(.device(.batteryLow(false))) })
      // The agent finds a service that starts later, and resets its state when the service stops.
      let profiles = try FakeService(
        scenario, name: "net.hadess.PowerProfiles", path: "/net/hadess/PowerProfiles",
        interface: "net.hadess.PowerProfiles", ["ActiveProfile": .string("power-saver")])
      #expect(scenario.run { changes.contains(.device(.powerSaver(true))) })
      profiles.bus.close()
      _ = profiles
      let network = try FakeService(
        scenario, name: "org.freedesktop.NetworkManager", path: "/org/freedesktop/NetworkManager",
        interface: "org.freedesktop.NetworkManager",
        ["Metered": .uint32(4), "State": .uint32(70), "PrimaryConnection": .path("/1")])
      #expect(
        scenario.run {
          changes.contains(.device(.online(isOtherNetwork: false)))
            && changes.contains(.device(.metered(false)))
        })
      network.set("Metered", .uint32(1))
      #expect(scenario.run { changes.contains(.device(.metered(true))) })
      // The device is offline between the two networks. The second network counts as a different one.
      #expect(!changes.contains(.device(.online(isOtherNetwork: true))))
      network.set("PrimaryConnection", .path("/"))
      network.set("PrimaryConnection", .path("/2"))
      #expect(scenario.run { changes.contains(.device(.online(isOtherNetwork: true))) })
      let login = try scenario.connect()
      login.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        [.string("org.freedesktop.login1"), .uint32(0)]
      ) { _ in
        login.emit(
          "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep",
          [.bool(true)])
      }
      #expect(scenario.run { changes.contains(.device(.asleep(true))) })
      _ = services
    }
  }

  /// Returns a simulated logind with one session, on a separate connection.
  private static func login(
    _ scenario: ServiceScenario, isLocked: Bool, sleeps: Bool, hasSession: Bool = true
  ) throws -> BusConnection {
    let bus = try scenario.connect()
    try bus.export("/org/freedesktop/login1") { message in
      switch message.member {
      case "Get": .success([.variant(.bool(sleeps))])
      case "GetSession" where hasSession: .success([.path("/org/freedesktop/login1/session/_31")])
      case "GetSession":
        .failure(BusFailure(name: "org.freedesktop.login1.NoSessionForPID", message: "none"))
      default: nil
      }
    }
    try bus.export("/org/freedesktop/login1/session/_31") { message in
      message.member == "Get" ? .success([.variant(.bool(isLocked))]) : nil
    }
    bus.call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
      [.string("org.freedesktop.login1"), .uint32(0)]
    ) { _ in }
    return bus
  }

  @Test(.requires(.dbus))
  func `the lock and sleep states are requested again whenever logind starts`() async throws {
    try await ServiceScenario.run { scenario in
      var changes: [SystemServices.Change] = []
      let services = try SystemServices(bus: try scenario.connect()) { changes.append($0) }
      var login = try Self.login(scenario, isLocked: true, sleeps: true)
      #expect(
        scenario.run {
          changes.contains(.device(.sessionLocked(true)))
            && changes.contains(.device(.asleep(true)))
        })
      changes = []
      // The service that reported that the screen was locked and the device was asleep has stopped.
      login.close()
      login = try scenario.connect()
      #expect(scenario.run { changes.contains(.device(.asleep(false))) })
      #expect(!changes.contains(.device(.sessionLocked(false))))
      login = try Self.login(scenario, isLocked: false, sleeps: false)
      #expect(scenario.run { changes.contains(.device(.sessionLocked(false))) })
      login.close()
      login = try Self.login(scenario, isLocked: false, sleeps: false, hasSession: false)
      #expect(scenario.run { changes.contains(.device(.sessionEnded)) })
      _ = services
    }
  }

  @Test(.requires(.dbus))
  func `the desktop's do-not-disturb is followed, by whichever server says it`() async throws {
    try await ServiceScenario.run { scenario in
      var changes: [Bool] = []
      let quiet = try DesktopQuiet(bus: try scenario.connect(), on: scenario.loop) {
        changes.append($0)
      }
      let server = try FakeService(
        scenario, name: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
        interface: "org.dunstproject.cmd0", ["paused": .bool(true)])
      #expect(scenario.run { changes == [true] })
      server.set("paused", .bool(false))
      #expect(scenario.run { changes == [true, false] })
      _ = quiet
    }
  }

  @Test(.requires(.dbus))
  func `Plasma's do-not-disturb is followed`() async throws {
    try await ServiceScenario.run { scenario in
      var changes: [Bool] = []
      let quiet = try DesktopQuiet(bus: try scenario.connect(), on: scenario.loop) {
        changes.append($0)
      }
      let server = try FakeService(
        scenario, name: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
        interface: "org.freedesktop.Notifications", ["Inhibited": .bool(true)])
      #expect(scenario.run { changes == [true] })
      #expect(quiet.quiet == ["plasma"])
      server.set("Inhibited", .bool(false))
      #expect(scenario.run { changes == [true, false] })
    }
  }

  @Test(.requires(.dbus, .gsettings))
  func
    `GNOME's do-not-disturb is asked of gsettings while GNOME presents, when dconf tells of a change`()
    async throws
  {
    let folder = try ScratchFolder()
    let settings = folder.file("glib-2.0/settings")
    try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
    func showBanners(_ isOn: Bool) throws {
      try "[org/gnome/desktop/notifications]\nshow-banners=\(isOn)\n"
        .write(toFile: settings + "/keyfile", atomically: true, encoding: .utf8)
    }
    try showBanners(false)
    try await ServiceScenario.run { scenario in
      var changes: [Bool] = []
      let quiet = try DesktopQuiet(
        bus: try scenario.connect(), on: scenario.loop,
        environment: [
          "PATH": "/usr/bin:/bin", "GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": folder.path,
        ]
      ) { changes.append($0) }
      defer { quiet.close() }
      let server = try scenario.connect()
      try server.export("/org/freedesktop/Notifications") { message in
        guard message.member == "GetServerInformation" else { return nil }
        return .success([
          .string("gnome-shell"), .string("GNOME"), .string("43.9"), .string("1.2"),
        ])
      }
      server.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        [.string("org.freedesktop.Notifications"), .uint32(0)]
      ) { _ in }
      #expect(scenario.run { changes == [true] })
      #expect(quiet.quiet == ["gnome"])
      func tell(_ prefix: String, _ keys: [String]) {
        server.emit(
          "/ca/desrt/dconf/Writer/user", "ca.desrt.dconf.Writer", "Notify",
          [.string(prefix), .strings(keys), .string("")])
      }
      try showBanners(true)
      tell("/org/gnome/desktop/", ["interface/color-scheme", "notifications/show-banners"])
      #expect(scenario.run { changes == [true, false] })
      // This change notice means that all settings below a path were reset.
      try showBanners(false)
      tell("/org/gnome/", [""])
      #expect(scenario.run { changes == [true, false, true] })
    }
  }

  @Test(.requires(.dbus))
  func
    `Xfce's do-not-disturb mode is read when its settings service starts and reset when it ends`()
    async throws
  {
    try await ServiceScenario.run { scenario in
      var changes: [Bool] = []
      let quiet = try DesktopQuiet(bus: try scenario.connect(), on: scenario.loop) {
        changes.append($0)
      }
      let service = "org.xfce.Xfconf"
      func settings() throws -> BusConnection {
        let settings = try scenario.connect()
        try settings.export("/org/xfce/Xfconf") { message in
          guard message.member == "GetProperty",
            (try? message.read())?.map(\.stringValue) == ["xfce4-notifyd", "/do-not-disturb"]
          else { return nil }
          return .success([.variant(.bool(true))])
        }
        settings.call(
          "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
          [.string(service), .uint32(0)]
        ) { _ in }
        return settings
      }
      for _ in 0..<2 {
        changes = []
        var xfconf = try settings()
        #expect(scenario.run { changes == [true] })
        for (channel, value) in [
          ("xfce4-notifyd", false), ("another", true), ("xfce4-notifyd", true),
        ] {
          xfconf.emit(
            "/org/xfce/Xfconf", service, "PropertyChanged",
            [.string(channel), .string("/do-not-disturb"), .variant(.bool(value))])
        }
        #expect(scenario.run { changes == [true, false, true] })
        xfconf.close()
        xfconf = try scenario.connect()
        #expect(scenario.run { changes == [true, false, true, false] })
        xfconf.close()
      }
      #expect(quiet.quiet == [])
    }
  }

  @Test(.requires(.dbus))
  func
    `client-api 3.45: an app is started as a unit of the user's systemd, and ended with it`()
    async throws
  {
    try await ServiceScenario.run { scenario in
      let manager = try scenario.connect()
      var calls: [[BusValue]] = []
      var isRefusing = false
      var stopped: String?
      try manager.export("/org/freedesktop/systemd1") { message in
        guard let values = try? message.read() else { return nil }
        if message.member == "StopUnit" {
          stopped = values.first?.stringValue
          return .success([.path("/job")])
        }
        guard message.member == "StartTransientUnit" else { return nil }
        calls.append(values)
        return isRefusing
          ? .failure(BusFailure(name: "org.freedesktop.systemd1.UnitExists", message: "no"))
          : .success([.path("/job")])
      }
      let units = UserUnits(bus: try scenario.connect())
      let order = UserUnits.Order(
        app: ModelBench.burger, program: "/opt/burger", arguments: ["-x"],
        environment: ["BELFRY_LAUNCH": "t"])
      var answers: [Bool] = []
      // No manager is running yet, so the caller must start the program itself.
      units.start(order) { answers.append($0) }
      #expect(scenario.run { answers == [false] })
      var isOwned = false
      manager.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        [.string("org.freedesktop.systemd1"), .uint32(0)]
      ) { _ in isOwned = true }
      #expect(scenario.run { isOwned })
      units.start(order) { answers.append($0) }
      #expect(scenario.run { answers == [false, true] })
      let call = try #require(calls.first)
      #expect(
        call[0].stringValue?.hasPrefix("app-belfry-org.example.burger@") == true)
      guard case .array("(sv)", let properties) = call[2] else {
        Issue.record("\(call[2])")
        return
      }
      func value(_ name: String) -> BusValue? {
        properties.compactMap { property -> BusValue? in
          guard case .structure(let members) = property, members.count == 2,
            members[0].stringValue == name, case .variant(let value) = members[1]
          else { return nil }
          return value
        }.first
      }
      #expect(value("Environment")?.stringsValue == ["BELFRY_LAUNCH=t"])
      #expect(
        value("ExecStart")
          == .array(
            "(sasb)",
            [
              .structure([
                .string("/opt/burger"), .strings(["/opt/burger", "-x"]), .bool(false),
              ])
            ]))
      #expect(units.end(ModelBench.burger))
      #expect(scenario.run { stopped != nil })
      #expect(stopped == call[0].stringValue)
      #expect(!units.end(ModelBench.burger))
      isRefusing = true
      units.start(order) { answers.append($0) }
      #expect(scenario.run { answers == [false, true, false] })
    }
  }

  @Test
  func `a unit's name holds no character that systemd would take for another`() {
    #expect(UserUnits.escaped("org.example.a-b_c") == "org.example.a\\x2db_c")
    #expect(
      UserUnits.unitName(ModelBench.burger, random: [1, 2])
        == "app-belfry-org.example.burger@0102.service")
  }

  @Test(.requires(.dbus))
  func `values of every type go over the bus and back`() async throws {
    try await ServiceScenario.run { scenario in
      let service = try scenario.connect()
      var got: [BusValue] = []
      try service.export("/x") { message in
        guard let values = try? message.read() else { return nil }
        got = values
        return .success(values)
      }
      let values: [BusValue] = [
        .byte(1), .bool(true), .int16(-2), .uint16(3), .int32(-4), .uint32(5), .int64(-6),
        .uint64(7), .double(1.5), .string("é"), .path("/a/b"), .signature("a{sv}"),
        .bytes([1, 2, 255]), .bytes([]), .strings(["a", "b"]),
        .vardict([("k", .string("v")), ("n", .array("i", [.int32(1)]))]),
        .structure([.int32(1), .structure([.string("x")])]), .variant(.uint32(9)),
        .array("(is)", [.structure([.int32(1), .string("one")])]),
      ]
      var name = ""
      service.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        [.string("org.example.Echo"), .uint32(0)]
      ) { _ in name = "org.example.Echo" }
      #expect(scenario.run { !name.isEmpty })
      let client = try scenario.connect()
      var answer: [BusValue]?
      client.call(name, "/x", "org.example.Echo", "Echo", values) { answer = try? $0.get() }
      #expect(scenario.run { answer != nil })
      #expect(got == values)
      #expect(answer == values)
      var failure: BusFailure?
      client.call("org.example.Nobody", "/x", "org.example.Echo", "Echo") { result in
        if case .failure(let why) = result { failure = why }
      }
      #expect(scenario.run { failure != nil })
      #expect(failure?.name == "org.freedesktop.DBus.Error.NameHasNoOwner")
    }
  }
}
