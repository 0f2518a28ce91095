import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the agent on a separate system bus, with the machine's real services or with python-dbusmock's templates
/// for those services.
@Suite("The machine's services, as programs", .serialized)
struct RealServicesTests {
  struct Machine {
    let scenario: Scenario
    let environment: [String: String]

    static func open(on scenario: Scenario) async throws -> Machine {
      Machine(
        scenario: scenario,
        environment: ["DBUS_SYSTEM_BUS_ADDRESS": try await scenario.bus(.system)])
    }

    func mock(_ template: String) async throws -> RunningProgram {
      try scenario.start(
        [
          try TestTool.systemPython.required(), "-m", "dbusmock", "--system", "--template",
          template,
        ],
        name: "dbusmock \(template)", environment: environment)
    }

    /// Calls a method repeatedly until the service is available.
    func call(_ name: String, _ path: String, _ method: String, _ arguments: String...)
      async throws
    {
      let words =
        [
          try TestTool.gdbus.required(), "call", "--system", "--timeout", "5", "--dest", name,
          "--object-path", path, "--method", method,
        ] + arguments
      try await Scenario.wait("a successful call to \(method) of \(name)") {
        try await scenario.command(words, environment: environment, succeeding: false).status == 0
      }
    }

    func agent(gateway: LinkGatewayThread? = nil) async throws -> RunningProgram {
      let ready = scenario.folder.file("agent.json")
      var arguments = [
        "agent", "--data", scenario.folder.file("agent"), "--presenter", "json", "--grant", "all",
        "--ready-file", ready,
      ]
      if let gateway {
        let ca = scenario.folder.file("ca.pem")
        try Data(gateway.authorityPEM).write(to: URL(fileURLWithPath: ca))
        arguments += ["--gateway", "127.0.0.1:\(gateway.port)", "--ca", ca, "--enroll", "letmein"]
      }
      let program = try scenario.belfry(arguments, environment: environment)
      _ = try await ScratchFolder.contents(of: ready) { !program.isRunning }
      return program
    }

    /// Queries the agent until it reports the given state of the device.
    func waitForState(_ name: String, _ word: String) async throws {
      try await Scenario.wait("the state \(name)=\(word)") {
        try await scenario.belfryCommand(["state", "--json"]).values.first?[name].string == word
      }
    }
  }

  static let burger = "org.example.burger"
  static let login = "org.freedesktop.login1"

  @Test(.requires(.dbus, .dbusmock, .systemPython, .gdbus))
  func
    `client-api 3.39: texts are hidden when logind locks the session and shown when it unlocks it`()
    async throws
  {
    try await Scenario.run { scenario in
      let machine = try await Machine.open(on: scenario)
      _ = try await machine.mock("logind")
      try await machine.call(
        Self.login, "/org/freedesktop/login1", "org.freedesktop.DBus.Mock.AddSession", "auto",
        "seat0", "0", "me", "true")
      let agent = try await machine.agent()
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "T", "--body", "first", "--id", "1",
      ])
      #expect(try await agent.event("presented")["body"].string == "first")
      _ = try await scenario.belfryCommand([
        "settings", Self.burger, "previews=whenAuthenticated",
      ])
      let session = "/org/freedesktop/login1/session/auto"
      try await machine.call(
        Self.login, session, "org.freedesktop.login1.Session.SetLockedHint", "true")
      try await machine.waitForState("locked", "on")
      #expect(try await agent.event("updated")["body"].string == "Notification")
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "T", "--body", "secret", "--id", "2",
      ])
      let shown = try await agent.event("presented")
      #expect(shown["body"].string == "Notification")
      #expect(shown["title"].string == "")
      // The app is opened only after the screen is unlocked.
      let app = try scenario.belfry(["app", "run", Self.burger, "--state", "background"])
      _ = try await app.event("launched")
      _ = try await scenario.belfryCommand(["center", "open", "2"])
      try await machine.call(
        Self.login, session, "org.freedesktop.login1.Session.SetLockedHint", "false")
      #expect(try await app.event("response")["notification"]["body"].string == "secret")
      #expect(try await agent.event("updated") { $0["id"].string == "1" }["body"].string == "first")
    }
  }

  @Test(.requires(.dbus, .dbusmock, .systemPython, .gdbus))
  func
    `a system bus that starts late is found, its end is noticed, and state is read again`()
    async throws
  {
    try await Scenario.run { scenario in
      let machine = Machine(
        scenario: scenario, environment: ["DBUS_SYSTEM_BUS_ADDRESS": scenario.busAddress(.system)])
      let gateway = try LinkGatewayThread()
      let agent = try await machine.agent(gateway: gateway)
      #expect(try await agent.event("link")["state"].string == "up")
      func waitForSleep(_ sleeps: Bool) async throws {
        try await Scenario.wait("the sleep state \(sleeps)") {
          gateway.with { gateway in
            gateway.links.first { $0.isReady }?.state.contains(.asleep)
          } == sleeps
        }
      }
      let manager = "/org/freedesktop/login1"
      for _ in 0..<2 {
        let bus = try await scenario.startBus(.system)
        _ = try await machine.mock("logind")
        _ = try await machine.mock("upower")
        try await machine.call(
          Self.login, manager, "org.freedesktop.DBus.Mock.AddSession", "auto", "seat0", "0", "me",
          "true")
        // A session that was locked when the old bus stopped might be unlocked when the new bus starts.
        for (hint, word) in [("false", "off"), ("true", "on")] {
          try await machine.call(
            Self.login, manager + "/session/auto", "org.freedesktop.login1.Session.SetLockedHint",
            hint)
          try await machine.waitForState("locked", word)
        }
        try await machine.call(
          "org.freedesktop.UPower", "/org/freedesktop/UPower",
          "org.freedesktop.DBus.Mock.SetupDisplayDevice", "2", "2", "5.0", "3.0", "60.0", "10.0",
          "0", "0", "true", "battery-low", "4")
        try await machine.waitForState("battery", "low")
        try await machine.call(
          Self.login, manager, "org.freedesktop.DBus.Mock.EmitSignal",
          "org.freedesktop.login1.Manager", "PrepareForSleep", "b", "[<true>]")
        try await waitForSleep(true)
        bus.signal(SIGKILL)
        try await machine.waitForState("battery", "normal")
        try await waitForSleep(false)
        // The loss of a bus doesn't unlock the device.
        try await machine.waitForState("locked", "on")
      }
    }
  }

  /// Returns a battery's properties in the format in which the kernel reports them.
  private static func battery(nowMicrowattHours: Int) -> String {
    """
    P: /devices/LNXSYSTM:00/BAT0/power_supply/BAT0
    E: SUBSYSTEM=power_supply
    E: POWER_SUPPLY_NAME=BAT0
    A: type=Battery\\n
    A: present=1\\n
    A: status=Discharging\\n
    A: energy_full=60000000\\n
    A: energy_full_design=60000000\\n
    A: energy_now=\(nowMicrowattHours)\\n
    A: voltage_now=12000000\\n

    """
  }

  @Test(.requires(.dbus, .upower, .umockdev))
  func `A background push waits while the real UPower says that the battery is low`()
    async throws
  {
    try await Scenario.run { scenario in
      let machine = try await Machine.open(on: scenario)
      func upower(_ energy: Int) async throws -> RunningProgram {
        let device = scenario.folder.file("battery-\(energy).umockdev")
        try Data(Self.battery(nowMicrowattHours: energy).utf8)
          .write(to: URL(fileURLWithPath: device))
        return try scenario.start(
          [
            try TestTool.umockdev.required(), "-d", device, "--", try TestTool.upower.required(),
          ], name: "upowerd", environment: machine.environment)
      }
      var service = try await upower(6_000_000)
      let gateway = try LinkGatewayThread()
      let agent = try await machine.agent(gateway: gateway)
      #expect(try await agent.event("link")["state"].string == "up")
      try await machine.waitForState("battery", "low")
      let app = try scenario.belfry([
        "app", "run", Self.burger, "--authorize", "alert", "--register", "--state", "background",
      ])
      _ = try await app.event("registered")
      func deliver(_ payload: String, _ number: UInt64) {
        _ = gateway.with { gateway in
          gateway.links.first { $0.isReady }?.deliver(
            number, handle: 1, payload: Array(payload.utf8), fromStorage: false)
        }
      }
      deliver(#"{"aps":{"content-available":1},"n":1}"#, 1)
      deliver(#"{"aps":{"content-available":1},"n":2}"#, 2)
      deliver(#"{"aps":{"alert":"seen"}}"#, 3)
      // Alerts are shown. Of the waiting pushes, only the latest is delivered, once the device has power.
      #expect(try await agent.event("presented")["body"].string == "seen")
      // S2-17 part 2 of 2: a low battery
      #expect(!app.lines.contains { $0.contains(#""event":"received""#) })
      _ = try await service.stop()
      service = try await upower(50_000_000)
      try await machine.waitForState("battery", "normal")
      #expect(await app.nextEvent("received")["payload"]["n"].integer == 2)
      #expect(!app.untaken.contains { $0["event"].string == "received" })
    }
  }

  @Test(.requires(.dbus, .dbusmock, .systemPython, .gdbus))
  func `The power saver and a metered network hold background work`() async throws {
    try await Scenario.run { scenario in
      let machine = try await Machine.open(on: scenario)
      _ = try await machine.mock("networkmanager")
      _ = try await machine.mock("power_profiles_daemon")
      let manager = "org.freedesktop.NetworkManager"
      let path = "/org/freedesktop/NetworkManager"
      try await machine.call(
        manager, path, "org.freedesktop.DBus.Mock.AddProperty", manager, "Metered", "<uint32 1>")
      let gateway = try LinkGatewayThread()
      let agent = try await machine.agent(gateway: gateway)
      #expect(try await agent.event("link")["state"].string == "up")
      try await machine.waitForState("metered", "on")
      let app = try scenario.belfry([
        "app", "run", Self.burger, "--authorize", "alert", "--register", "--state", "background",
      ])
      _ = try await app.event("registered")
      _ = gateway.with { gateway in
        gateway.links.first { $0.isReady }?.deliver(
          1, handle: 1, payload: Array(#"{"aps":{"content-available":1}}"#.utf8),
          fromStorage: false)
      }
      let profiles = "net.hadess.PowerProfiles"
      try await machine.call(
        profiles, "/net/hadess/PowerProfiles", "org.freedesktop.DBus.Mock.UpdateProperties",
        profiles, "{'ActiveProfile': <'power-saver'>}")
      try await machine.call(
        manager, path, "org.freedesktop.DBus.Mock.UpdateProperties", manager,
        "{'Metered': <uint32 2>}")
      try await machine.waitForState("metered", "off")
      #expect(!app.lines.contains { $0.contains(#""event":"received""#) })
      try await machine.call(
        profiles, "/net/hadess/PowerProfiles", "org.freedesktop.DBus.Mock.UpdateProperties",
        profiles, "{'ActiveProfile': <'balanced'>}")
      _ = try await app.event("received")
    }
  }
}
