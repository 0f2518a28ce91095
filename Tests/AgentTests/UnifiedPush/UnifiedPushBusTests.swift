import BelfryWire
import Foundation
import PushWire
import System
import TestSupport
import Testing

@testable import Agent

/// Tests of the distributor on a real bus, with connectors of both versions.
@Suite("UnifiedPush on the bus", .serialized)
struct UnifiedPushBusTests {
  private static let tooth = "org.example.Tooth"
  private static let fluffy = "org.example.Fluffy"

  /// Runs a test with a distributor and an app that owns its name.
  private func run(
    isGatewayUp: Bool = true, answerSeconds: UInt64 = 30,
    _ body: (UnifiedPushScenario, TestConnector) throws -> Void
  ) async throws {
    try await ServiceScenario.run { bus in
      let scenario = try UnifiedPushScenario(
        bus, isGatewayUp: isGatewayUp, answerSeconds: answerSeconds)
      let app = try TestConnector(bus, name: Self.tooth)
      #expect(bus.run { scenario.isServed && app.isNamed })
      try body(scenario, app)
    }
  }

  // MARK: Registrations

  @Test(.requires(.dbus))
  func `An app of version 2 registers, gets messages, and ends its registration`() async throws {
    try await run { scenario, app in
      app.register()
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      #expect(app.outcome == ["REGISTRATION_SUCCEEDED", nil])
      let subject = try #require(scenario.subscribed.first)
      #expect(app.endpoints.map(\.endpoint) == [UnifiedPushScenario.endpoint(subject)])
      let body = [UInt8](0...255)
      let id = scenario.send(subject, body)
      #expect(scenario.bus.run { scenario.storedCount == 0 })
      #expect(app.messages.map(\.payload) == [body] && app.messages.map(\.id) == [id])
      #expect(app.messages.map(\.token) == ["t"])
      app.unregister()
      #expect(scenario.bus.run { !app.unregistered.isEmpty })
      #expect(app.unregistered == ["t"])
      #expect(app.results.last == [.vardict([])])
      #expect(scenario.ended == [subject])
    }
  }

  @Test(.requires(.dbus)) func `Apps that register add no match rules to the bus`() async throws {
    try await run { scenario, app in
      app.register()
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      let count = scenario.connection.matchCount
      for number in 1...3 {
        let other = try TestConnector(scenario.bus, name: "org.example.Other\(number)")
        #expect(scenario.bus.run { other.isNamed })
        other.register("t\(number)")
        #expect(scenario.bus.run { !other.endpoints.isEmpty })
      }
      #expect(scenario.connection.matchCount == count)
    }
  }

  @Test(.requires(.dbus))
  func `An app of version 1 registers, gets messages, and ends its registration`() async throws {
    try await run { scenario, app in
      app.call(1, "Register", [Self.tooth, "t", "Tooth"].map { .string($0) })
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      #expect(app.results == [[.string("REGISTRATION_SUCCEEDED"), .string("")]])
      let subject = try #require(scenario.subscribed.first)
      // A message counts as delivered once the call was sent.
      app.behavior = .hangs
      let ids = [scenario.send(subject), scenario.send(subject)]
      #expect(scenario.bus.run { app.messages.count == 2 && scenario.storedCount == 0 })
      #expect(app.messages.map(\.id) == ids)
      app.call(1, "Unregister", [.string("t")])
      #expect(scenario.bus.run { !app.unregistered.isEmpty })
      #expect(app.unregistered == [""])
      #expect(app.results.last == [])
    }
  }

  @Test(.requires(.dbus))
  func `A program that does not own the service's name is refused`() async throws {
    try await run { scenario, app in
      let other = try TestConnector(scenario.bus)
      other.register(service: Self.tooth)
      #expect(scenario.bus.run { !other.results.isEmpty })
      #expect(other.outcome == ["REGISTRATION_FAILED", "UNAUTHORIZED"])
      other.call(1, "Register", [Self.tooth, "t", ""].map { .string($0) })
      #expect(scenario.bus.run { other.results.count == 2 })
      #expect(other.results.last?.first == .string("REGISTRATION_REFUSED"))
      app.register()
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      other.unregister()
      #expect(scenario.bus.run { !other.failures.isEmpty })
      #expect(other.failures.first?.name == "org.freedesktop.DBus.Error.AccessDenied")
      #expect(scenario.ended.isEmpty)
    }
  }

  @Test(.requires(.dbus))
  func `Calls are handled in the order in which an app sends them`() async throws {
    try await run { scenario, app in
      app.register()
      app.unregister()
      app.register()
      #expect(scenario.bus.run { app.results.count == 3 && app.endpoints.count == 2 })
      #expect(scenario.subscribed.count == 1)
      #expect(app.unregistered == ["t"])
    }
  }

  @Test(.requires(.dbus))
  func `A call with a parameter outside the rules has no effect`() async throws {
    try await run { scenario, app in
      app.register(String(repeating: "x", count: 101))
      app.register(vapid: "short")
      app.call(2, "Register", [.string("t")])
      app.call(1, "Register", [.uint32(1), .string("t")])
      app.call(2, "Subscribe", [.vardict([])])
      #expect(scenario.bus.run { app.failures.count == 5 })
      #expect(app.failures.filter { $0.name.hasSuffix(".InvalidArgs") }.count == 4)
      #expect(scenario.subscribed.isEmpty)
      app.register(vapid: UnifiedPushBench.keys[0].string)
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      #expect(scenario.subscribed.first?.keyHash.count == 32)
    }
  }

  @Test(.requires(.dbus))
  func `If another program owns the distributor's name, the agent continues without it`()
    async throws
  {
    try await run { scenario, app in
      let second = try UnifiedPushScenario(scenario.bus)
      #expect(scenario.bus.run { second.obstacle == .nameTaken })
      #expect(!second.isServed)
      // When the name is free, the agent takes it.
      scenario.end()
      #expect(scenario.bus.run { second.isServed })
      app.register()
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
    }
  }

  // MARK: Messages

  @Test(.requires(.dbus))
  func `A message is sent again until its ID is the answer, and not after it`() async throws {
    try await run(answerSeconds: 1) { scenario, app in
      app.register()
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      let subject = try #require(scenario.subscribed.first)
      var ids: [String] = []
      let behaviors: [TestConnector.Behavior] = [.refuses, .answersWithoutID, .hangs]
      for (count, behavior) in behaviors.enumerated() {
        app.behavior = behavior
        ids.append(scenario.send(subject))
        let expected = scenario.notes.count + (behavior == .hangs ? 1 : count + 1)
        #expect(scenario.bus.run { scenario.notes.count >= expected })
      }
      #expect(scenario.storedCount == 3)
      app.behavior = .acknowledges
      ids.append(scenario.send(subject))
      #expect(scenario.bus.run { scenario.storedCount == 0 })
      #expect(app.messages.suffix(4).map(\.id) == ids)
      let count = app.messages.count
      scenario.send(subject)
      #expect(scenario.bus.run { app.messages.count == count + 1 && scenario.storedCount == 0 })
    }
  }

  @Test(.requires(.dbus))
  func `An app that hangs delays no other app, and no registration`() async throws {
    try await run { scenario, app in
      app.register()
      let other = try TestConnector(scenario.bus, name: Self.fluffy)
      #expect(scenario.bus.run { !app.endpoints.isEmpty && other.isNamed })
      other.register("u")
      #expect(scenario.bus.run { !other.endpoints.isEmpty })
      app.behavior = .hangs
      scenario.send(scenario.subscribed[0])
      scenario.send(scenario.subscribed[0])
      scenario.send(scenario.subscribed[1])
      #expect(scenario.bus.run { !other.messages.isEmpty && scenario.storedCount == 2 })
      // The second message waits for the answer to the first.
      #expect(app.messages.count == 1)
      other.register("v")
      #expect(scenario.bus.run { other.endpoints.count == 2 })
    }
  }

  @Test(.requires(.dbus))
  func `A message for an app that has exited is delivered when its name appears`() async throws {
    try await run { scenario, app in
      app.register()
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      app.bus.close()
      let id = scenario.send(scenario.subscribed[0])
      #expect(scenario.bus.run { !scenario.notes.isEmpty })
      #expect(scenario.storedCount == 1)
      let next = try TestConnector(scenario.bus, name: Self.tooth)
      #expect(scenario.bus.run { scenario.storedCount == 0 })
      #expect(next.messages.map(\.id) == [id])
    }
  }

  @Test(.requires(.dbus))
  func `Registrations and messages survive a restart of the agent`() async throws {
    try await run(answerSeconds: 1) { scenario, app in
      app.register()
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      let subject = try #require(scenario.subscribed.first)
      app.behavior = .refuses
      let id = scenario.send(subject)
      #expect(scenario.bus.run { !scenario.notes.isEmpty })
      scenario.end()
      app.behavior = .acknowledges
      let next = try UnifiedPushScenario(scenario.bus, disk: scenario.disk)
      #expect(scenario.bus.run { next.storedCount == 0 && next.isServed })
      #expect(app.messages.map(\.id) == [id, id])
      #expect(next.subscribed == [subject])
      // The endpoint has not changed, so it is announced only when the app registers.
      #expect(app.endpoints.count == 1)
      app.register()
      #expect(scenario.bus.run { app.endpoints.count == 2 })
    }
  }

  // MARK: Real connectors (webpush 2.5)

  @Test(.requires(.dbus))
  func `KUnifiedPush finds the distributor by its name and by its introspection`() async throws {
    try await run(isGatewayUp: false) { scenario, app in
      var names: [String] = []
      var xml = ""
      let driver = "org.freedesktop.DBus"
      app.bus.call(driver, "/org/freedesktop/DBus", driver, "ListNames") {
        names = (try? $0.get())?.first?.stringsValue ?? []
      }
      app.bus.call(
        UnifiedPushService.name, UnifiedPushService.path,
        "org.freedesktop.DBus.Introspectable", "Introspect"
      ) { xml = (try? $0.get())?.first?.stringValue ?? "" }
      #expect(scenario.bus.run { !names.isEmpty && !xml.isEmpty })
      #expect(
        names.filter { $0.hasPrefix("org.unifiedpush.Distributor.") } == [UnifiedPushService.name])
      #expect(xml.contains("org.unifiedpush.Distributor2"))
      #expect(xml.contains("org.unifiedpush.Distributor1"))
      // The answer is held while the gateway cannot be reached.
      app.register()
      #expect(scenario.bus.run { !scenario.holds.isEmpty })
      #expect(app.results.isEmpty)
      scenario.gatewayAppears()
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      #expect(app.outcome == ["REGISTRATION_SUCCEEDED", nil])
    }
  }

  @Test(.requires(.dbus))
  func `KUnifiedPush registers its token again when the distributor returns`() async throws {
    try await run { scenario, app in
      app.register()
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      var owners: [String] = []
      try app.bus.followOwner(of: UnifiedPushService.name, asksNow: false) {
        owners.append($0)
        if !$0.isEmpty { app.register() }
      }
      scenario.end()
      let next = try UnifiedPushScenario(scenario.bus, disk: scenario.disk)
      #expect(scenario.bus.run { app.endpoints.count == 2 })
      #expect(owners.count == 2 && next.subscribed.count == 1)
      #expect(app.endpoints[0] == app.endpoints[1])
    }
  }

  @Test(.requires(.dbus))
  func `A held answer becomes NETWORK after 20 seconds`() async throws {
    try await run(isGatewayUp: false) { scenario, app in
      app.register()
      #expect(scenario.bus.run { !scenario.holds.isEmpty })
      #expect(Limits.pushHoldMilliseconds == 20_000)
      for hold in scenario.holds { scenario.report(.holdEnded(hold)) }
      #expect(scenario.bus.run { !app.results.isEmpty })
      #expect(app.outcome == ["REGISTRATION_FAILED", "NETWORK"])
      #expect(app.endpoints.isEmpty)
    }
  }

  @Test(.requires(.dbus))
  func `The Flutter library's account names lead to the caller itself`() async throws {
    try await run { scenario, _ in
      let app = try TestConnector(scenario.bus)
      app.register("t", service: "default account")
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      #expect(app.outcome == ["REGISTRATION_SUCCEEDED", nil])
      let subject = try #require(scenario.subscribed.first)
      scenario.send(subject)
      #expect(scenario.bus.run { app.messages.count == 1 && scenario.storedCount == 0 })
      // While the app is connected, no other program can change its registration.
      let other = try TestConnector(scenario.bus)
      other.register("t", service: "default account")
      #expect(scenario.bus.run { other.results.count == 1 })
      #expect(other.outcome == ["REGISTRATION_FAILED", "UNAUTHORIZED"])
      other.unregister("t")
      #expect(scenario.bus.run { other.failures.count == 1 })
      #expect(other.failures.first?.name == "org.freedesktop.DBus.Error.AccessDenied")
      // The app's next process has another unique name, and gets what has waited.
      app.bus.close()
      let id = scenario.send(subject)
      #expect(scenario.bus.run { !scenario.notes.isEmpty })
      let next = try TestConnector(scenario.bus)
      next.register("t", service: "default account")
      #expect(scenario.bus.run { scenario.storedCount == 0 })
      #expect(next.messages.map(\.id) == [id])
      #expect(next.endpoints.map(\.endpoint) == [UnifiedPushScenario.endpoint(subject)])
      #expect(scenario.subscribed == [subject])
    }
  }

  /// An app that the bus starts: a Python program that appends what it receives to a file, and exits.
  private static let program = """
    import sys, dbus, dbus.service, dbus.mainloop.glib
    from gi.repository import GLib
    name, version, log = sys.argv[1], sys.argv[2], sys.argv[3]
    def note(*words):
        with open(log, "a") as file: file.write(" ".join(words) + "\\n")
    note("started", *sys.argv[4:])
    loop = GLib.MainLoop()
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    class Connector1(dbus.service.Object):
        @dbus.service.method("org.unifiedpush.Connector1", in_signature="says")
        def Message(self, token, message, id):
            note("message", token, bytes(message).decode(), id)
            loop.quit()
        @dbus.service.method("org.unifiedpush.Connector1", in_signature="ss")
        def NewEndpoint(self, token, endpoint): note("endpoint", token, endpoint)
    class Connector2(dbus.service.Object):
        @dbus.service.method("org.unifiedpush.Connector2", in_signature="a{sv}",
                             out_signature="a{sv}")
        def Message(self, args):
            note("message", args["token"], bytes(args["message"]).decode(), args["id"])
            GLib.timeout_add(100, loop.quit)
            return {"id": args["id"]}
        @dbus.service.method("org.unifiedpush.Connector2", in_signature="a{sv}",
                             out_signature="a{sv}")
        def NewEndpoint(self, args):
            note("endpoint", args["token"], args["endpoint"])
            return dbus.Dictionary({}, signature="sv")
    path = "/org/unifiedpush/Connector"
    connector = (Connector1 if version == "1" else Connector2)(bus, path)
    owned = dbus.service.BusName(name, bus)
    if "UNIFIEDPUSH_DBUS_BACKGROUND_ACTIVATION" not in sys.argv:
        it = bus.get_object("org.unifiedpush.Distributor.belfry", "/org/unifiedpush/Distributor")
        if version == "1":
            result = it.Register(name, "t", "Go", dbus_interface="org.unifiedpush.Distributor1")
            note("registered", result[0])
        else:
            result = it.Register({"service": name, "token": "t"}, signature="a{sv}",
                                 dbus_interface="org.unifiedpush.Distributor2")
            note("registered", result["success"])
        GLib.timeout_add(500, loop.quit)
    loop.run()
    note("exited")
    """

  /// The bus starts an app that has exited, as it does for go_dbus_connector (version 1) and for KDE's apps.
  @Test(.requires(.dbus, .dbusPython), arguments: ["1", "2"])
  func `An app that is not running is started for a message`(version: String) async throws {
    try await Scenario.run { scenario in
      let services = scenario.folder.file("services")
      try FileSystem.makeDirectories(services)
      let program = scenario.folder.file("app.py")
      let log = scenario.folder.file("app.log")
      try FileSystem.write(Array(Self.program.utf8), to: program, mode: 0o644)
      let python = try TestTool.systemPython.required()
      let command = "\(python) \(program) \(Self.tooth) \(version) \(log)"
      let service = """
        [D-BUS Service]
        Name=\(Self.tooth)
        Exec=\(command) UNIFIEDPUSH_DBUS_BACKGROUND_ACTIVATION

        """
      try FileSystem.write(
        Array(service.utf8), to: services + "/\(Self.tooth).service", mode: 0o644)
      let address = try await scenario.bus(services: services)
      let bus = try ServiceScenario(address)
      let distributor = try UnifiedPushScenario(bus)
      func lines() -> [String] {
        let bytes = (try? FileSystem.read(log, limit: 1 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      }
      #expect(bus.run { distributor.isServed })
      let app = try scenario.start(
        command.split(separator: " ").map(String.init),
        environment: ["DBUS_SESSION_BUS_ADDRESS": address])
      #expect(bus.run { lines().last == "exited" })
      _ = try await app.end()
      let subject = try #require(distributor.subscribed.first)
      let endpoint = "endpoint t " + UnifiedPushScenario.endpoint(subject)
      #expect(lines().contains("registered REGISTRATION_SUCCEEDED"))
      #expect(lines().contains(endpoint))
      let id = distributor.send(subject, Array("hello".utf8))
      #expect(bus.run { lines().filter { $0 == "exited" }.count == 2 })
      #expect(
        Array(lines().suffix(3)) == [
          "started UNIFIEDPUSH_DBUS_BACKGROUND_ACTIVATION", "message t hello \(id)", "exited",
        ])
      #expect(bus.run { distributor.storedCount == 0 })
    }
  }

  @Test(.requires(.dbus))
  func `An app that was uninstalled loses its registrations at the next start`() async throws {
    try await run { scenario, app in
      app.register()
      #expect(scenario.bus.run { !app.endpoints.isEmpty })
      let subject = try #require(scenario.subscribed.first)
      app.bus.close()
      scenario.end()
      let next = try UnifiedPushScenario(scenario.bus, disk: scenario.disk)
      #expect(scenario.bus.run { next.isServed })
      #expect(next.ended == [subject])
    }
  }
}
