import Foundation
import TestSupport
import Testing

/// Tests of the programs for the other parts of an app: a server, languages, and sounds.
@Suite(.serialized, .timeLimit(.minutes(60))) struct FurtherExampleTests {
  /// A server that answers every request and prints the request's path.
  private static let server = """
    import http.server
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            print("asked " + self.path, flush=True)
            self.send_response(204); self.end_headers()
        def log_message(self, *_): pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    print("port %d" % server.server_port, flush=True)
    server.serve_forever()
    """

  @Test
  func `The token goes to the app's server, with the user's language`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let server = try scenario.start(
        ["/usr/bin/env", "python3", "-c", Self.server], name: "server")
      let port = try await server.text("port ").dropFirst(5)
      try await scenario.tell(agent, "settings", "--languages", "fr-CA,en")
      let app = try await scenario.example(
        "TokenCourier", on: agent, environment: ["TOKEN_SERVER": "http://127.0.0.1:\(port)"])
      let asked = try await server.text("asked ")
      #expect(try await app.text("delivered") == "delivered 204")
      let url = try #require(URLComponents(string: String(asked.dropFirst(6))))
      let items = Dictionary(
        uniqueKeysWithValues: (url.queryItems ?? []).map { ($0.name, $0.value) })
      #expect(url.path == "/register")
      #expect(items["language"] == "fr-CA")
      // A push to this token must reach the app.
      let token = try #require(items["token"] ?? nil)
      #expect(token.count == 64)
      try await scenario.push(
        #"{"aps":{"alert":"hi"}}"#, to: token, topic: "org.example.TokenCourier", of: gateway)

      // An address without a scheme, as in the document's listing, fails; the app continues.
      let other = try await scenario.example("TokenCourier", on: agent)
      #expect(try await other.text("not delivered").count > 14)
    }
  }

  private static func plural(_ one: String, _ other: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>MINUTES</key><dict>
    <key>NSStringLocalizedFormatKey</key><string>%#@minutes@</string><key>minutes</key><dict>
    <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
    <key>one</key><string>\(one)</string><key>other</key><string>\(other)</string>
    </dict></dict></dict></plist>
    """
  }

  @Test
  func `Texts from the app and from the system are in the user's language`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      // The program schedules its notification for three minutes after the machine's time, so set the agent's clock to
      // that time.
      func setClock() async throws {
        let now = ISO8601DateFormatter().string(from: Date())
        try await scenario.tell(agent, "clock", "set", now)
      }
      try await setClock()
      let id = "org.example.match"
      let folder = try await scenario.bundle(
        "MatchReminder", id: id, manifest: ["CFBundleDevelopmentRegion": "en"],
        languages: [
          "en": """
          "REMINDER" = "Reminder"; "MATCH_BEGINS" = "The match begins"; "WATCH" = "Watch";
          "PLAYS_AGAINST" = "%@ plays against %@";
          """,
          "fr": """
          "REMINDER" = "Rappel"; "MATCH_BEGINS" = "Le match commence"; "WATCH" = "Regarder";
          "PLAYS_AGAINST" = "%2$@ reçoit %1$@";
          """,
        ])
      for (language, text) in [
        ("en", Self.plural("a minute", "%d minutes")),
        ("fr", Self.plural("une minute", "%d minutes en tout")),
      ] {
        try text.write(
          toFile: folder + "/\(language).lproj/Localizable.stringsdict", atomically: true,
          encoding: .utf8)
      }
      try await scenario.tell(agent, "app", "install", folder)
      func start() throws -> RunningProgram {
        try scenario.start(
          [folder + "/MatchReminder"], environment: ["BELFRY_SOCKET": agent.socket])
      }
      let english = try start()
      #expect(try await english.text("title") == "title Reminder")
      #expect(try await english.text("minutes") == "minutes a minute")
      #expect(try await english.text("minutes") == "minutes 5 minutes")
      _ = try await english.text("scheduled")
      try await english.stop()

      try await scenario.tell(agent, "settings", "--languages", "fr-CA,en")
      let french = try start()
      #expect(try await french.text("title") == "title Rappel")
      #expect(try await french.text("minutes") == "minutes une minute")
      #expect(try await french.text("minutes") == "minutes 5 minutes en tout")
      _ = try await french.text("scheduled")
      try await french.stop()

      // The notification uses the language that is set when it is shown.
      try await scenario.tell(agent, "clock", "advance", "3700")
      // S0-11 part 1 of 2: the message
      // S3-21 part 1 of 2: the message
      #expect(await agent.nextPresented(id)["body"].string == "Le match commence")
      try await scenario.tell(agent, "settings", "--languages", "en")
      try await scenario.tell(agent, "clock", "advance", "3700")
      let shown = try await agent.program.event("presented") {
        $0["id"].string == "plays"
      }
      #expect(shown["title"].string == "Reminder")
      #expect(shown["body"].string == "Ajax plays against Porto")
    }
  }

  @Test
  func `A sound file of the app's own is what sounds`() async throws {
    try await Scenario.run { scenario in
      // The output of ALSA's default device is written to a file.
      let heard = scenario.folder.file("heard")
      let alsa = scenario.folder.file("asound.conf")
      let devices = """
        pcm.nowhere { type null }
        pcm.!default { type file slave.pcm nowhere file "\(heard)" format raw }

        """
      try devices.write(toFile: alsa, atomically: true, encoding: .utf8)
      let agent = try await scenario.agent(
        of: nil, presenters: ["json", "terminal"],
        environment: [
          "ALSA_CONFIG_PATH": alsa, "PULSE_SERVER": "unix:/nonexistent",
          "PULSE_CLIENTCONFIG": "/dev/null",
        ])
      let id = "org.example.sound"
      let folder = try await scenario.bundle("OwnSound", id: id)
      let samples = [UInt8](repeating: 0x37, count: 2_000)
      let header =
        "RIFF".utf8 + [0xF4, 7, 0, 0] + "WAVEfmt ".utf8 + [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F]
        + [0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0] + "data".utf8 + [0xD0, 7, 0, 0]
      try Data(header + samples).write(to: URL(fileURLWithPath: folder + "/ring.wav"))
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/OwnSound"], environment: ["BELFRY_SOCKET": agent.socket])
      _ = try await app.text("ready")
      try await scenario.tell(agent, "state", "front=none")
      for (order, name) in [("ring", "ring.wav"), ("default", "default")] {
        app.tell(order)
        let sound = try await agent.program.event("sound") { $0["app"].string == id }
        // S0-13, S3-23
        // S1-46 part 2 of 2: by name, and the default
        #expect(sound["sound"].string == name)
        guard order == "ring" else { continue }
        func isHeard() -> Bool {
          (try? Data(contentsOf: URL(fileURLWithPath: heard)))?.range(of: Data(samples)) != nil
        }
        try? await Scenario.wait("the sound") { isHeard() }
        // S0-1 part 2 of 3: a local notification specifies a sound, and the sound is played
        #expect(isHeard())
      }
    }
  }

  @Test
  func `A Mac app that uses the older interface shows no permission prompt`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(
        of: nil, options: ["--clock", "manual", "--grant", "ask"])
      // The program schedules its notification for three minutes after the machine's time, so set the agent's clock to
      // that time.
      func setClock() async throws {
        let now = ISO8601DateFormatter().string(from: Date())
        try await scenario.tell(agent, "clock", "set", now)
      }
      try await setClock()
      let id = "org.example.reminder"
      let folder = try await scenario.bundle("MacReminder", id: id)
      try await scenario.tell(agent, "app", "install", folder)
      func start() throws -> RunningProgram {
        try scenario.start([folder + "/MacReminder"], environment: ["BELFRY_SOCKET": agent.socket])
      }
      let app = try start()
      #expect(try await app.text("launched") == "launched by nobody")
      #expect(try await app.text("scheduled") == #"scheduled ["Tea"]"#)
      // In the background, the notification is shown, and a tap reaches the running process.
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.tell(agent, "clock", "advance", "200")
      // S1-1 part 2 of 2: on the Mac, nothing is registered for local notifications
      // S1-54
      #expect(await agent.nextPresented(id)["title"].string == "Tea")
      try await scenario.tell(agent, "center", "open", "tea")
      #expect(await app.nextText("activated") == "activated Tea")
      try await app.stop()

      // If the app isn't running, the agent starts it with the notification.
      try await setClock()
      let again = try start()
      _ = try await again.text("scheduled")
      try await again.stop()
      try await scenario.tell(agent, "clock", "advance", "200")
      #expect(await agent.nextPresented(id)["title"].string == "Tea")
      try await scenario.tell(agent, "center", "open", "tea")
      try await agent.program.error("launched by Tea")
      try await agent.program.error("activated Tea")
      #expect(agent.program.untaken.allSatisfy { $0["event"].string != "prompt" })
      // A notification that a shell shows on the app's behalf is delivered like one of the app's own.
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.tell(agent, "notify", "--app", id, "--title", "Coffee", "--id", "coffee")
      #expect(await agent.nextPresented(id)["title"].string == "Coffee")
      try await scenario.tell(agent, "center", "open", "coffee")
      try await agent.program.error("activated Coffee")

      // The app's notifications are shown until the user turns them off.
      try await scenario.tell(agent, "settings", id, "notifications=off")
      let off = try await scenario.example("MacReminder", on: agent, app: id)
      #expect(await off.nextText("scheduled") == "scheduled []")
      try await scenario.tell(agent, "app", "remove", id)
    }
  }

  @Test
  func `A content extension, a message's sender, background work and a log, as today's apps have`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try await scenario.example("DrawnNotification", on: agent)
      #expect(try await app.text("drawn") == "drawn Anna")
      _ = try await app.text("added")
      #expect(try await agent.presented("org.example.DrawnNotification")["title"].string == "Anna")
      // A task waits until the user has left the app.
      try await scenario.tell(agent, "state", "front=none")
      #expect(try await app.text("refreshing") == "refreshing true")
      try await app.error("default [org.example.drawn:launch] launched with 0 options")
    }
  }
}
