import AppWire
import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import Agent

/// Tests of servers that report dismissals as expiries, start late, or are started by the bus.
@Suite("The desktop's notification server", .serialized)
struct DesktopServerTests {
  /// The name that MATE's server reports.
  private static let mate = "Notification Daemon"
  private static let prompt = Prompt(
    id: PromptID(number: 7), app: ModelBench.burger, appName: "Burger", icon: nil,
    subject: .notifications)

  @Test(
    .requires(.dbus),
    arguments: [("Notification Daemon", true), ("gnome-shell", false), ("Plasma", false)])
  func `A question is dismissed by its expiry, unless the server reports dismissals as such`(
    name: String, isDismissal: Bool
  ) async throws {
    try await ServiceScenario.run { scenario in
      let server = try FieldServer(scenario, name: name)
      let hearing = Hearing()
      let presenter = try DesktopPresenter(
        bus: try scenario.connect(), listener: hearing, log: .silent)
      presenter.show(
        .presented(DesktopTests.presentation("question", persistent: true)), atUnixMilliseconds: 0)
      #expect(scenario.run { hearing.shown == 1 })
      server.reportClosed(reason: 1)
      // The answer to the next call arrives after the signal.
      presenter.show(.presented(DesktopTests.presentation("banner")), atUnixMilliseconds: 0)
      #expect(scenario.run { hearing.shown == 2 })
      let dismissal = [NotificationResponse.dismissAction]
      #expect(hearing.acted.map { $0.0 } == (isDismissal ? dismissal : []))
      // A banner has a timeout, so its expiry is not a dismissal.
      server.reportClosed(reason: 1)
      presenter.show(.presented(DesktopTests.presentation("other")), atUnixMilliseconds: 0)
      #expect(scenario.run { hearing.shown == 3 })
      #expect(hearing.acted.count == (isDismissal ? 1 : 0))
    }
  }

  @Test(.requires(.dbus))
  func `A prompt that a server reports as expired was dismissed`() async throws {
    try await ServiceScenario.run { scenario in
      let server = try FieldServer(scenario, name: Self.mate)
      let hearing = Hearing()
      let presenter = try DesktopPresenter(
        bus: try scenario.connect(), listener: hearing, log: .silent)
      presenter.show(.prompt(Self.prompt), atUnixMilliseconds: 0)
      #expect(scenario.run { server.notified.count == 1 })
      server.reportClosed(reason: 1)
      #expect(scenario.run { hearing.postponed == [Self.prompt.id] })
    }
  }

  @Test(.requires(.dbus))
  func `Without windows, each server that starts shows the open prompts`() async throws {
    try await ServiceScenario.run { scenario in
      let hearing = Hearing()
      let windows = WindowPresenter(
        .init(words: { .english }, center: { [] }, date: { _ in "" }), isDesktop: true,
        environment: [:], on: scenario.loop, listener: hearing, log: .silent)
      let bus = try scenario.connect()
      let presenter = try DesktopPresenter(
        bus: bus, windows: windows, listener: hearing, log: .silent)
      presenter.show(.prompt(Self.prompt), atUnixMilliseconds: 0)
      windows.show(.prompt(Self.prompt), atUnixMilliseconds: 0)
      // After the answer to this call, the presenter knows that no server is running.
      var isReady = false
      bus.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId"
      ) { _ in isReady = true }
      #expect(scenario.run { isReady })
      #expect(!windows.isShowing(Self.prompt.id))
      for name in [Self.mate, "dunst"] {
        let server = try FieldServer(scenario, name: name)
        #expect(scenario.run { server.notified.count == 1 }, "\(name)")
        server.bus.close()
      }
    }
  }

  /// Runs `body` with a bus that starts a program when the server's name is needed.
  ///
  /// The second argument of `body` is a file that the program creates.
  private static func run(
    program text: String, _ body: (ServiceScenario, String) throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let services = scenario.folder.file("services")
      try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: false)
      let started = scenario.folder.file("started")
      let program = try await scenario.script("server", "echo $$ > \(started)\n\(text)\n")
      try Data("[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=\(program)\n".utf8)
        .write(to: URL(fileURLWithPath: services + "/server.service"))
      // The bus started the program, so the test must terminate it.
      defer {
        if let text = try? String(contentsOfFile: started, encoding: .utf8),
          let process = pid_t(text.filter(\.isNumber))
        {
          kill(process, SIGKILL)
        }
      }
      let address = try await scenario.bus(services: services)
      try body(try ServiceScenario(address), started)
    }
  }

  @Test(.requires(.dbus))
  func `A notification has the bus start a server that is installed and not running`()
    async throws
  {
    try await Self.run(program: "exec sleep 600") { scenario, started in
      let hearing = Hearing()
      let presenter = try DesktopPresenter(
        bus: try scenario.connect(), graceNanoseconds: 0, listener: hearing, log: .silent)
      #expect(scenario.run { presenter.starter.isPossible })
      presenter.show(.badge(ModelBench.burger, 1), atUnixMilliseconds: 0)
      presenter.show(.presented(DesktopTests.presentation()), atUnixMilliseconds: 0)
      #expect(scenario.run { FileSystem.exists(started) })
      // The test owns the name in place of the program.
      let server = try FieldServer(scenario)
      #expect(scenario.run { hearing.shown == 1 })
      #expect(server.notified.count == 1)
      #expect(presenter.starter.problem == nil)
    }
  }

  @Test(.requires(.dbus))
  func `A server that the bus cannot start is reported, and not started again at once`()
    async throws
  {
    try await Self.run(program: "exit 1") { scenario, started in
      let presenter = try DesktopPresenter(
        bus: try scenario.connect(), graceNanoseconds: 0, listener: Hearing(), log: .silent)
      presenter.show(.prompt(Self.prompt), atUnixMilliseconds: 0)
      #expect(scenario.run { presenter.starter.problem != nil })
      #expect(FileSystem.exists(started))
      #expect(!presenter.starter.requestStart())
    }
  }

  @Test(.requires(.dbus))
  func `A desktop has time to start its own server before the bus starts one`() async throws {
    try await Self.run(program: "exec sleep 600") { scenario, started in
      let hearing = Hearing()
      let presenter = try DesktopPresenter(
        bus: try scenario.connect(), listener: hearing, log: .silent)
      #expect(scenario.run { presenter.starter.isPossible })
      presenter.show(.presented(DesktopTests.presentation()), atUnixMilliseconds: 0)
      let server = try FieldServer(scenario)
      #expect(scenario.run { hearing.shown == 1 })
      #expect(server.notified.count == 1)
      #expect(!FileSystem.exists(started))
    }
  }
}
