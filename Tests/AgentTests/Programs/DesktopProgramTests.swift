import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the desktop presenter with a real notification server: dunst under Xvfb on a separate bus.
@Suite("A real desktop", .serialized)
struct DesktopProgramTests {
  /// A bus, a screen, and a notification server that run for the duration of the scenario.
  struct Desktop {
    let scenario: Scenario
    let environment: [String: String]

    /// Opens a desktop.
    ///
    /// `services` is a folder of services that the bus can start.
    static func open(on scenario: Scenario, services: String? = nil) async throws -> Desktop {
      let address = try await scenario.bus(services: services)
      let screen = try scenario.start(
        [
          try TestTool.xvfb.required(), "-displayfd", "1", "-screen", "0", "640x480x24",
          "-nolisten", "tcp",
        ], name: "Xvfb")
      let display = ":" + (try await screen.firstLine())
      return Desktop(
        scenario: scenario,
        environment: ["DBUS_SESSION_BUS_ADDRESS": address, "DISPLAY": display])
    }

    /// Starts dunst.
    ///
    /// When dunst shows its menu, the menu command chooses the line that contains `choice`.
    func startServer(choosing choice: String = "nothing") async throws -> RunningProgram {
      let menu = try await scenario.script("menu", "grep -m1 '\(choice)'")
      let configuration = scenario.folder.file("dunstrc")
      try Data(
        """
        [global]
        dmenu = \(menu)
        markup = full
        idle_threshold = 0
        [urgency_normal]
        timeout = 0
        [urgency_critical]
        timeout = 0
        """.utf8
      ).write(to: URL(fileURLWithPath: configuration))
      return try scenario.start(
        [try TestTool.dunst.required(), "-conf", configuration], name: "dunst",
        environment: environment)
    }

    func dunstctl(_ arguments: String...) async throws -> String {
      try await scenario.command(
        ["/usr/bin/env"] + environment.map { "\($0.key)=\($0.value)" } + ["dunstctl"] + arguments
      ).output
    }

    func displayed() async throws -> Int? { Int(try await dunstctl("count", "displayed")) }

    /// Returns the screen's pixels.
    func picture() async throws -> Data {
      let file = scenario.folder.file("screen.ppm")
      _ = try await scenario.command([
        try TestTool.importPicture.required(), "-display", environment["DISPLAY"] ?? "", "-window",
        "root", file,
      ])
      return try Data(contentsOf: URL(fileURLWithPath: file))
    }

    func agent(
      _ more: [String] = ["--grant", "all"], environment added: [String: String] = [:]
    ) async throws -> RunningProgram {
      let ready = scenario.folder.file("agent.json")
      let program = try scenario.belfry(
        [
          "agent", "--data", scenario.folder.file("agent"), "--presenter", "desktop", "--presenter",
          "json", "--ready-file", ready,
        ] + more, environment: environment.merging(added) { $1 })
      _ = try await ScratchFolder.contents(of: ready) { !program.isRunning }
      return program
    }
  }

  static let burger = "org.example.burger"
  static let category =
    #"{"id":"INVITE","actions":[{"id":"YES","title":"Accept"},{"id":"NO","title":"Decline"}]}"#

  @Test(.requires(.dbus, .dbusMonitor, .dunst, .xvfb, .importPicture))
  func
    `the notification is displayed with Notify's arguments, changes pixels, and a click reaches the app`()
    async throws
  {
    try await Scenario.run { scenario in
      let desktop = try await Desktop.open(on: scenario)
      let monitor = try scenario.start(
        [
          try TestTool.dbusMonitor.required(), "--session", "--monitor",
          "interface='org.freedesktop.Notifications'",
        ], name: "dbus-monitor", environment: desktop.environment)
      _ = try await desktop.startServer()
      let agent = try await desktop.agent()
      let app = try scenario.belfry([
        "app", "run", Self.burger, "--authorize", "alert", "--state", "background",
      ])
      _ = try await app.event("authorized")
      try await Scenario.wait("dunst to answer") { (try? await desktop.displayed()) == 0 }
      let before = try await desktop.picture()
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Special", "--body", "Avocado & <Bacon>", "--id",
        "n",
      ])
      _ = try await agent.event("presented")
      try await Scenario.wait("the notification") { try await desktop.displayed() == 1 }
      try await Scenario.wait("the screen to change") { try await desktop.picture() != before }
      for argument in [
        #": Special""#, "Avocado &amp; &lt;Bacon&gt;", #"string "suppress-sound""#,
        #"string "\#(Self.burger)""#,
      ] {
        try await Scenario.wait("a call to Notify with \(argument)") {
          monitor.lines.contains { $0.contains(argument) }
        }
      }
      _ = try await desktop.dunstctl("action", "0")
      let response = try await app.event("response")
      #expect(response["action"].string == "com.apple.UNNotificationDefaultActionIdentifier")
      #expect(response["notification"]["id"].string == "n")
      try await Scenario.wait("the notification to disappear") {
        try await desktop.displayed() == 0
      }
      #expect(try await agent.stop() == 0)
    }
  }

  @Test(.requires(.dbus, .dunst, .xvfb))
  func `a named button reaches the app by its action's identifier`() async throws {
    try await Scenario.run { scenario in
      let desktop = try await Desktop.open(on: scenario)
      _ = try await desktop.startServer(choosing: "Decline")
      let agent = try await desktop.agent()
      let category = scenario.folder.file("category.json")
      try Data(Self.category.utf8).write(to: URL(fileURLWithPath: category))
      let app = try scenario.belfry([
        "app", "run", Self.burger, "--authorize", "alert", "--category", category, "--state",
        "background",
      ])
      _ = try await app.event("authorized")
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Party", "--category", "INVITE",
      ])
      _ = try await agent.event("presented")
      try await Scenario.wait("the notification") { (try? await desktop.displayed()) == 1 }
      _ = try await desktop.dunstctl("context")
      #expect(try await app.event("response")["action"].string == "NO")
    }
  }

  @Test(.requires(.dbus, .dunst, .xvfb))
  func
    `a server that starts late or restarts shows current notifications; withdrawing closes them`()
    async throws
  {
    try await Scenario.run { scenario in
      let desktop = try await Desktop.open(on: scenario)
      let agent = try await desktop.agent()
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "1", "--id", "1",
      ])
      _ = try await agent.event("presented")
      var dunst = try await desktop.startServer()
      try await Scenario.wait("the notification") { (try? await desktop.displayed()) == 1 }
      dunst.signal(SIGKILL)
      _ = try await dunst.end()
      dunst = try await desktop.startServer()
      try await Scenario.wait("the notification") { (try? await desktop.displayed()) == 1 }
      _ = try await scenario.belfryCommand(["center", "dismiss", "1"])
      try await Scenario.wait("the notification to disappear") {
        try await desktop.displayed() == 0
      }
    }
  }

  @Test(.requires(.dbus, .mateNotifications, .xvfb, .xdotool, .importPicture), arguments: [0, 1])
  func
    `Buttons are shown in order, and pressing one reaches the app`(
      number: Int
    ) async throws
  {
    try await Scenario.run { scenario in
      let desktop = try await Desktop.open(on: scenario)
      let server = try scenario.start(
        [try TestTool.mateNotifications.required()], name: "mate-notification-daemon",
        environment: desktop.environment.merging([
          "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1",
        ]) { $1 })
      let agent = try await desktop.agent()
      let category = scenario.folder.file("category.json")
      try Data(Self.category.utf8).write(to: URL(fileURLWithPath: category))
      let app = try scenario.belfry([
        "app", "run", Self.burger, "--authorize", "alert", "--category", category, "--state",
        "background",
      ])
      _ = try await app.event("authorized")
      let before = try await desktop.picture()
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Dinner & drinks", "--body",
        "Burgers <b>at</b> eight", "--category", "INVITE", "--id", "inv",
      ])
      _ = try await agent.event("presented")
      func xdotool(_ arguments: String...) async throws -> [String] {
        try await scenario.command(
          [try TestTool.xdotool.required()] + arguments, environment: desktop.environment,
          succeeding: false
        ).lines
      }
      var place: [String: Int] = [:]
      try await Scenario.wait("the window") {
        #expect(server.isRunning)
        guard
          let window = try await xdotool("search", "--onlyvisible", "--name", "Notification")
            .first
        else { return false }
        for line in try await xdotool("getwindowgeometry", "--shell", window) {
          let parts = line.split(separator: "=")
          if parts.count == 2, let value = Int(parts[1]) { place[String(parts[0])] = value }
        }
        return place["WIDTH"] != nil && place["HEIGHT"] != nil
      }
      try await Scenario.wait("the screen to change") { try await desktop.picture() != before }
      // The theme places the buttons in the lower-right corner at intervals of 66 pixels. The last button is 71 pixels
      // from the corner.
      let right = (place["X"] ?? 0) + (place["WIDTH"] ?? 0)
      let bottom = (place["Y"] ?? 0) + (place["HEIGHT"] ?? 0)
      _ = try await xdotool(
        "mousemove", "\(right - 71 - 66 * (1 - number))", "\(bottom - 27)", "click", "1")
      let response = await app.nextEvent("response")
      // S1-29
      // S4-3 part 3 of 3: an alert over other windows
      #expect(response["action"].string == ["YES", "NO"][number])
      #expect(response["notification"]["id"].string == "inv")
    }
  }

  @Test(.requires(.dbus, .dbusMonitor, .dunst, .xvfb))
  func `The app's own sound is heard, and a phone vibrates`() async throws {
    try await Scenario.run { scenario in
      let desktop = try await Desktop.open(on: scenario)
      _ = try await desktop.startServer()
      let monitor = try scenario.start(
        [try TestTool.dbusMonitor.required(), "--session", "member='TriggerFeedback'"],
        name: "dbus-monitor", environment: desktop.environment)
      _ = try await monitor.firstLine()
      let heard = scenario.folder.file("heard")
      let alsa = scenario.folder.file("asound.conf")
      try Data(
        """
        pcm.nowhere { type null }
        pcm.!default { type file slave.pcm nowhere file "\(heard)" format raw }

        """.utf8
      ).write(to: URL(fileURLWithPath: alsa))
      let agent = try await desktop.agent(
        environment: ["ALSA_CONFIG_PATH": alsa, "PULSE_SERVER": "unix:/nonexistent"])
      let folder = scenario.folder.file(".local/share/\(Self.burger)/Library/Sounds")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      // Use 1,000 identical samples, so that no other sound can be mistaken for this one.
      let samples = [UInt8](repeating: 0x37, count: 2_000)
      let header =
        "RIFF".utf8 + [0xF4, 7, 0, 0] + "WAVEfmt ".utf8 + [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F]
        + [0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0] + "data".utf8 + [0xD0, 7, 0, 0]
      try Data(header + samples).write(to: URL(fileURLWithPath: folder + "/ding.wav"))
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Ding", "--sound", "ding.wav",
      ])
      // S4-3 part 2 of 3: the sound
      #expect(await agent.nextEvent("sound")["sound"].string == "ding.wav")
      try await Scenario.wait("the sound") {
        (try? Data(contentsOf: URL(fileURLWithPath: heard)))?.range(of: Data(samples)) != nil
      }
      try await Scenario.wait("the vibration") {
        monitor.lines.contains { $0.contains("message-new-instant") }
      }
    }
  }

  @Test(.requires(.dbus, .dunst, .xvfb))
  func `a bus that starts after the agent is found, and waiting notifications are shown`()
    async throws
  {
    try await Scenario.run { scenario in
      let ready = scenario.folder.file("agent.json")
      let agent = try scenario.belfry(
        [
          "agent", "--data", scenario.folder.file("agent"), "--grant", "all", "--ready-file", ready,
        ],
        environment: ["DBUS_SESSION_BUS_ADDRESS": scenario.busAddress()])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Early", "--id", "early",
      ])
      _ = try await agent.output(called: "the line of the notification") { lines in
        lines.contains { $0.contains("Early") }
      }
      let desktop = try await Desktop.open(on: scenario)
      _ = try await desktop.startServer()
      try await Scenario.wait("the notification") { (try? await desktop.displayed()) == 1 }
      _ = try await scenario.belfryCommand(["center", "dismiss", "early"])
      try await Scenario.wait("the notification to disappear") {
        try await desktop.displayed() == 0
      }
      #expect(try await agent.stop() == 0)
    }
  }

  @Test(.requires(.dbus, .xvfb))
  func
    `An app that D-Bus can activate is started by it, and told what was opened`()
    async throws
  {
    try await Scenario.run { scenario in
      let services = scenario.folder.file("services")
      try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: false)
      let desktop = try await Desktop.open(on: scenario, services: services)
      let log = scenario.folder.file("burger.log")
      let number = scenario.folder.file("burger.pid")
      let script = try await scenario.script(
        "burger",
        "echo $$ > \(number)\nexec \(Installation.belfry) app run \(Self.burger) > \(log)")
      // The bus started the program, so the test must terminate it.
      defer {
        if let text = try? String(contentsOfFile: number, encoding: .utf8),
          let process = pid_t(text.filter(\.isNumber))
        {
          kill(process, SIGKILL)
        }
      }
      try Data("[D-BUS Service]\nName=\(Self.burger)\nExec=\(script)\n".utf8)
        .write(to: URL(fileURLWithPath: services + "/\(Self.burger).service"))
      let file = scenario.folder.file("\(Self.burger).desktop")
      try Data(
        "[Desktop Entry]\nType=Application\nName=Burger\nDBusActivatable=true\n".utf8
      ).write(to: URL(fileURLWithPath: file))
      // This agent has no desktop presenter, but the bus still starts apps.
      let agent = try await AgentProgramTests.agent(
        scenario, environment: desktop.environment)
      _ = try await scenario.belfryCommand(["app", "install", file])
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Open me", "--id", "o",
      ])
      _ = try await agent.event("presented")
      _ = try await scenario.belfryCommand(["center", "open", "o"])
      _ = try await agent.event("launched")
      try await Scenario.wait("the launch of the app") {
        let lines = ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
          .split(separator: "\n").compactMap { JSONLine(String($0)) }
        return lines.contains {
          $0["event"].string == "launched" && $0["reason"].string == "response"
        } && lines.contains { $0["event"].string == "response" }
      }
    }
  }

  @Test(.requires(.dbus, .dunst, .xvfb))
  func `a desktop that is not to be disturbed silences the agent, and says so to belfry doctor`()
    async throws
  {
    try await Scenario.run { scenario in
      let desktop = try await Desktop.open(on: scenario)
      _ = try await desktop.startServer()
      let agent = try await desktop.agent()
      func waitForRow(_ state: String) async throws {
        try await Scenario.wait("the do-not-disturb state \(state)") {
          try await scenario.belfryCommand(["doctor", "--json"]).values.contains {
            $0["feature"].string == "do not disturb" && $0["state"].string == state
          }
        }
      }
      try await waitForRow("ok")
      _ = try await desktop.dunstctl("set-paused", "true")
      try await waitForRow("attention")
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "1", "--sound", "default", "--id", "1",
      ])
      _ = try await agent.event("presented")
      _ = try await desktop.dunstctl("set-paused", "false")
      try await waitForRow("ok")
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "2", "--sound", "default", "--id", "2",
      ])
      // The agent reports no sound for the first notification, so the first reported sound belongs to the second.
      #expect(try await agent.event("sound")["id"].string == "2")
    }
  }

  @Test(.requires(.dbus, .mateNotifications, .xvfb, .dconf, .gsettings))
  func `MATE's own do-not-disturb, a setting in dconf, silences the agent`() async throws {
    try await Scenario.run { scenario in
      let services = scenario.folder.file("services")
      try FileManager.default.createDirectory(
        atPath: services, withIntermediateDirectories: true)
      // Don't read or write the developer's own settings.
      let settings = ["XDG_CONFIG_HOME": scenario.folder.file("config"), "NO_AT_BRIDGE": "1"]
      try Data(
        """
        [D-BUS Service]
        Name=ca.desrt.dconf
        Exec=/usr/bin/env XDG_CONFIG_HOME=\(scenario.folder.file("config")) \(
          try TestTool.dconf.required())

        """.utf8
      ).write(to: URL(fileURLWithPath: services + "/ca.desrt.dconf.service"))
      let desktop = try await Desktop.open(on: scenario, services: services)
      let environment = desktop.environment.merging(settings) { $1 }
      func set(_ schema: String, _ key: String, _ value: String) async throws {
        _ = try await scenario.command(
          [try TestTool.gsettings.required(), "set", schema, key, value], environment: environment)
      }
      // Another desktop's setting has no effect here.
      try await set("org.gnome.desktop.notifications", "show-banners", "false")
      _ = try scenario.start(
        [try TestTool.mateNotifications.required()], name: "mate-notification-daemon",
        environment: environment)
      _ = try await desktop.agent(environment: settings)
      func waitForRow(_ state: String, _ detail: String) async throws {
        try await Scenario.wait("the do-not-disturb detail \(detail)") {
          try await scenario.belfryCommand(["doctor", "--json"]).values.contains {
            $0["feature"].string == "do not disturb" && $0["state"].string == state
              && $0["detail"].string == detail
          }
        }
      }
      for _ in 0..<2 {
        try await waitForRow("ok", "off")
        try await set("org.mate.NotificationDaemon", "do-not-disturb", "true")
        try await waitForRow("attention", "on, according to mate")
        try await set("org.mate.NotificationDaemon", "do-not-disturb", "false")
      }
    }
  }

  @Test(.requires(.dbus, .dunst, .xvfb))
  func `A command gets a warning if neither the server nor a window has a text field`()
    async throws
  {
    try await Scenario.run { scenario in
      let desktop = try await Desktop.open(on: scenario)
      _ = try await desktop.startServer()
      // Without a display, no window can be opened.
      _ = try await desktop.agent(environment: ["DISPLAY": ""])
      try await Scenario.wait("the server's features") {
        try await scenario.belfryCommand(["doctor", "--json"]).values.contains {
          $0["feature"].string == "inline reply"
        }
      }
      for (option, isWarned) in [("--reply", true), ("--action", false)] {
        let answer = try await scenario.belfryCommand(
          ["notify", "Lunch?", "--app", Self.burger, option, "a=Answer", "--timeout", "1"],
          succeeding: false)
        #expect(answer.status == 1)
        #expect(answer.errors.contains("has no text field") == isWarned, "\(answer.errors)")
      }
    }
  }

  @Test(.requires(.dbus, .dunst, .xvfb), arguments: ["Allow", "Don’t Allow"])
  func `permission is requested on the desktop, and the user's answer reaches the app`(
    answer: String
  )
    async throws
  {
    try await Scenario.run { scenario in
      let desktop = try await Desktop.open(on: scenario)
      _ = try await desktop.startServer(
        choosing: "#\(answer) ".replacingOccurrences(of: "'", with: "."))
      // Without a display for windows, the notification server shows the prompt, with its buttons in a menu.
      let agent = try await desktop.agent(["--grant", "ask"], environment: ["DISPLAY": ""])
      let app = try scenario.belfry(["app", "run", Self.burger, "--authorize", "alert"])
      _ = try await agent.event("prompt")
      try await Scenario.wait("the question") { (try? await desktop.displayed()) == 1 }
      _ = try await desktop.dunstctl("context")
      let answered = try await app.event("authorized")
      #expect(answered["granted"].boolean == (answer == "Allow"))
    }
  }
}
