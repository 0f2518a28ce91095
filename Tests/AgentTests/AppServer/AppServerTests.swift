import AppLink
import BelfryWire
import AppWire
import Foundation
import Glibc
import Synchronization
import System
import TestSupport
import Testing

@testable import Agent

@Suite("The app server over a real socket", .serialized)
struct AppServerTests {
  @Test
  func `an app greets, asks for permission, adds a notification and sees it delivered`() throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let app = TestApp(scenario, state: .background)
    defer { app.close() }
    #expect(app.welcome?.appID == "org.example.burger")
    #expect(try app.connection.call(.requestAuthorization([.alert, .badge])).isGranted)
    let request = ModelBench.request(badge: 2)
    _ = try app.connection.call(.add(request))
    let line = try #require(scenario.line("presented"))
    #expect(line["id"] == "n")
    #expect(line["title"] == "T")
    #expect(line["trigger"] == "now")
    let delivered = try app.connection.call(.delivered).delivered()
    #expect(delivered.map(\.request) == [request])
    #expect(try app.connection.call(.badge).badge == 2)
  }

  @Test
  func `without a way to prompt, the log names the setting that grants permission, and it works`()
    throws
  {
    let lines = Arrivals<String>()
    let scenario = try AgentScenario(
      grant: .ask, log: Log(subsystem: "agent", sink: LogSink { lines.put($0) }))
    defer { scenario.stop() }
    let app = TestApp(scenario)
    defer { app.close() }
    #expect(app.welcome != nil)
    let granted = Arrivals<Bool>()
    app.connection.send(.requestAuthorization([.alert])) { result in
      granted.put((try? result.get().isGranted) ?? false)
    }
    let advice = "answer with 'belfry settings org.example.burger notifications=on'"
    #expect(lines.next { $0.contains(advice) ? true : nil } == true)
    let control = TestApp(scenario, role: .control)
    defer { control.close() }
    _ = try control.connection.call(
      .control(.changeSettings(app: "org.example.burger", ["notifications": "on"])))
    #expect(granted.next { $0 } == true)
  }

  @Test(
    arguments: [
      ("a.png", 10 << 20, nil), ("b.png", (10 << 20) + 1, .attachmentInvalidFileSize),
      ("a.WAV", 5 << 20, nil), ("b.mp3", (5 << 20) + 1, .attachmentInvalidFileSize),
      ("a.mov", 50 << 20, nil), ("b.mov", (50 << 20) + 1, .attachmentInvalidFileSize),
      ("c.png", 0, .attachmentCorrupt), ("d.txt", 1, .attachmentUnrecognizedType),
      ("png", 1, .attachmentUnrecognizedType), ("e.png", nil, .attachmentInvalidURL),
    ] as [(String, UInt64?, AppLinkFailure.Reason?)])
  func `an attachment is taken by type and size, whoever adds it`(
    name: String, bytes: UInt64?, reason: AppLinkFailure.Reason?
  ) throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let app = TestApp(scenario, state: .background)
    defer { app.close() }
    _ = try app.connection.call(.requestAuthorization([.alert]))
    let place = scenario.folder.file(name)
    if let bytes {
      #expect(FileManager.default.createFile(atPath: place, contents: nil))
      try FileHandle(forWritingTo: URL(fileURLWithPath: place)).truncate(atOffset: bytes)
    }
    var request = ModelBench.request()
    request.content.attachments = [NotificationAttachment(id: "f", path: place)]
    guard let reason else {
      _ = try app.connection.call(.add(request))
      let line = try #require(scenario.line("presented"))
      #expect(
        line["attachments"] == [["id": "f", "path": .string(place), "type": .null]])
      return
    }
    let failure = #expect(throws: AppLinkFailure.self) {
      try app.connection.call(.add(request))
    }
    #expect(failure?.reason == reason)
    #expect(failure?.message.isEmpty == false)
    #expect(try app.connection.call(.delivered).delivered().isEmpty)
  }

  @Test
  func `connections without a greeting are closed to make room for an app`() throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let silent = try (0..<Limits.ungreetedConnections + 10).map { number in
      // Let the agent accept the waiting connections before the test opens more.
      if number % 50 == 0 { _ = scenario.with { _ in true } }
      return try RawApp(scenario.socketPath)
    }
    _ = scenario.with { _ in true }
    let app = TestApp(scenario)
    defer { app.close() }
    #expect(app.welcome?.appID == "org.example.burger")
    #expect(silent[0].isEnded)
    // The newest connection is still accepted.
    silent[silent.count - 1].send(AppFrame(["type": "nonsense", "number": 1]).encoded)
    #expect(silent[silent.count - 1].frame() != nil)
  }

  @Test
  func `connections without a greeting cannot fill the agent's memory`() throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let raw = try RawApp(scenario.socketPath)
    // Send only the beginning of a frame that has the maximum size for apps.
    let length = UInt32(WireLimits.appFrameBytesMaxFromApp)
    let head = [length, length - 4].flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
    raw.send(head + [UInt8](repeating: 0x20, count: Limits.ungreetedBytes))
    #expect(raw.isEnded)
  }

  @Test
  func `a request that would make an answer too long is refused, and the connection continues`()
    throws
  {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let app = TestApp(scenario, state: .background)
    defer { app.close() }
    #expect(app.welcome != nil)
    _ = try app.connection.call(.requestAuthorization([.alert]))
    func add(_ number: Int) throws {
      var request = ModelBench.request(
        "p\(number)", trigger: .interval(seconds: 100_000, repeats: false))
      request.content.body = NotificationText(String(repeating: "x", count: 1_000_000))
      _ = try app.connection.call(.add(request), timeoutMilliseconds: 120_000)
    }
    for number in 0..<4 { try add(number) }
    let failure = #expect(throws: AppLinkFailure.self) { try add(4) }
    #expect(failure?.reason == .invalidArgument)
    #expect(try app.connection.call(.pending, timeoutMilliseconds: 120_000).pending().count == 4)
    _ = try app.connection.call(.removePending(["p0"]))
    try add(4)
  }

  @Test
  func `texts that are pipes or devices hold nothing up`() throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let folder = scenario.folder.file("bundle/en.lproj")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    #expect(mkfifo(folder + "/Localizable.strings", 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/Localizable.stringsdict", withDestinationPath: "/dev/zero")
    let raw = try RawApp(scenario.socketPath)
    var hello = AppHello(appID: "org.example.burger", isDevelopment: true, state: .background)
    hello.bundlePath = scenario.folder.file("bundle")
    hello.languages = ["en"]
    raw.send(AppRequest.hello(hello).frame.numbered(1).encoded)
    raw.send(AppRequest.requestAuthorization([.alert]).frame.numbered(2).encoded)
    var request = ModelBench.request()
    request.content.title = NotificationText(key: "KEY", arguments: [], text: "fallback")
    raw.send(AppRequest.add(request).frame.numbered(3).encoded)
    #expect(scenario.line("presented")?["app"] == "org.example.burger")
    // Do the same with the manifest of an app that the user is asked to install.
    let app = scenario.folder.file("Burger.app")
    try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
    #expect(mkfifo(app + "/Info.json", 0o600) == 0)
    let control = TestApp(scenario, role: .control)
    defer { control.close() }
    #expect(throws: AppLinkFailure.self) {
      _ = try control.connection.call(.control(.install(path: app)))
    }
    // Do the same with a desktop file that names the pipe as its program. The agent reads the first bytes of a program.
    let entry = scenario.folder.file("org.example.pipe.desktop")
    let text = "[Desktop Entry]\nType=Application\nName=Pipe\nExec=\(app)/Info.json\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: entry))
    _ = try control.connection.call(.control(.install(path: entry)))
  }

  @Test
  func `only the user can access the socket`() throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    #expect(try FileSystem.mode(of: scenario.socketPath) & 0o777 == 0o600)
  }

  @Test
  func `a second agent on one socket or one data folder is refused`() throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    #expect(throws: AgentFailure.self) { try AgentScenario(folder: scenario.folder) }
  }

  @Test
  func `a socket file that a killed agent left is replaced`() throws {
    let folder = try ScratchFolder()
    let descriptor = try Socket.listen(unixPath: folder.file("agent.sock"))
    Socket.close(descriptor)
    #expect(FileSystem.exists(folder.file("agent.sock")))
    let scenario = try AgentScenario(folder: folder)
    defer { scenario.stop() }
    let app = TestApp(scenario)
    defer { app.close() }
    #expect(app.welcome != nil)
  }

  @Test
  func `the question to the app in front goes over the socket, and its answer decides`() throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let app = TestApp(scenario)
    defer { app.close() }
    _ = try app.connection.call(.requestAuthorization([.alert]))
    _ = try app.connection.call(.add(ModelBench.request("no")))
    let (_, first) = try #require(app.event { if case .willPresent = $0 { true } else { nil } })
    first?.reply(.present([]))
    #expect(scenario.line("suppressed")?["reason"] == "foreground")
    _ = try app.connection.call(.add(ModelBench.request("yes")))
    let (_, second) = try #require(app.event { if case .willPresent = $0 { true } else { nil } })
    second?.reply(.present([.banner]))
    #expect(scenario.line("presented")?["id"] == "yes")
  }

  @Test
  func
    `a restarted agent restores an app's permission, list and badge, and the app reconnects`()
    throws
  {
    let folder = try ScratchFolder()
    var scenario = try AgentScenario(folder: folder)
    let app = TestApp(scenario, state: .background)
    defer { app.close() }
    let run = app.welcome?.agentRun
    _ = try app.connection.call(.requestAuthorization([.alert, .badge]))
    _ = try app.connection.call(.add(ModelBench.request(badge: 4)))
    #expect(scenario.line("presented") != nil)
    scenario.stop()
    #expect(
      app.events.next { if case .disconnected = $0 { true } else { nil } } == true)
    scenario = try AgentScenario.again(folder, grant: .none)
    defer { scenario.stop() }
    let welcome = try #require(app.welcome)
    #expect(welcome.agentRun != run)
    #expect(welcome.settings.alert == .enabled)
    #expect(welcome.badge == 4)
    #expect(scenario.line("badge")?["badge"] == 4)
    #expect(try app.connection.call(.delivered).delivered().count == 1)
  }

  @Test
  func `a request that was made while no agent was there goes out when one is`() throws {
    let folder = try ScratchFolder()
    let first = try AgentScenario(folder: folder)
    first.stop()
    let app = TestApp(first)
    defer { app.close() }
    let answers = Arrivals<Result<AppAnswer, AppLinkFailure>>()
    app.connection.send(.settings) { answers.put($0) }
    let scenario = try AgentScenario.again(folder)
    defer { scenario.stop() }
    let answer = try #require(answers.next { $0 })
    #expect(try answer.get().settings().status == .notDetermined)
  }

  @Test
  func `without an agent a request fails when its time is over, and says what to do`() throws {
    let folder = try ScratchFolder()
    let connection = AppLinkConnection(
      socketPath: folder.file("none.sock"), hello: { AppHello(appID: "a.b") }, handler: { _ in })
    connection.start()
    defer { connection.close() }
    #expect(throws: AppLinkFailure.self) {
      try connection.call(.settings, timeoutMilliseconds: 50)
    }
    let once = AppLinkConnection(
      socketPath: folder.file("none.sock"), reconnects: false, hello: { AppHello(appID: "a.b") },
      handler: { _ in })
    once.start()
    let failure = #expect(throws: AppLinkFailure.self) { try once.call(.settings) }
    #expect(failure?.reason == .agentUnavailable)
    #expect(failure?.message.contains("belfry agent") == true)
  }

  @Test
  func `while somebody waits for the agent, it is looked for ten times a second and not less`()
    throws
  {
    let folder = try ScratchFolder()
    let socketPath = folder.file("hasty.sock")
    // Create a listener that closes each connection immediately.
    let listener = try Socket.listen(unixPath: socketPath)
    let hasty = DispatchSource.makeReadSource(
      fileDescriptor: listener, queue: .init(label: "hasty"))
    hasty.setEventHandler {
      while let stream = try? Socket.accept(listener) { Glibc.close(stream) }
    }
    hasty.setCancelHandler { Glibc.close(listener) }
    hasty.resume()
    defer { hasty.cancel() }
    let attempts = Atomic(0)
    let connection = AppLinkConnection(
      socketPath: socketPath,
      hello: {
        attempts.add(1, ordering: .relaxed)
        return AppHello(appID: "a.b")
      }, handler: { _ in })
    connection.start()
    defer { connection.close() }
    #expect(throws: AppLinkFailure.self) {
      try connection.call(.settings, timeoutMilliseconds: 4_000)
    }
    // The agent makes about 40 attempts. If the pause doubled each time, it would make seven.
    #expect(attempts.load(ordering: .relaxed) > 12)
  }

  @Test(
    arguments: [
      [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 6, 0, 0, 0, 99, 0x7B, 0x7D],
      [0, 0, 0, 6, 0, 0, 0, 2, 0x5B, 0x5D], [0, 0, 0, 6, 0, 0, 0, 2, 0x7B, 0x7D],
    ] as [[UInt8]])
  func `a frame that breaks the protocol ends its connection and no other`(bytes: [UInt8]) throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let app = TestApp(scenario)
    defer { app.close() }
    #expect(app.welcome != nil)
    let raw = try RawApp(scenario.socketPath)
    raw.send(bytes)
    #expect(raw.readToEnd().isEmpty)
    #expect(try app.connection.call(.settings).settings().status == .notDetermined)
  }

  @Test
  func `unknown messages and requests before hello are refused, and the connection stays open`()
    throws
  {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let raw = try RawApp(scenario.socketPath)
    raw.send(AppFrame(["type": "nonsense", "number": 1]).encoded)
    #expect(raw.frame()?.object["error"]?.objectValue?["reason"] == "unsupportedMessage")
    raw.send(AppRequest.settings.frame.numbered(2).encoded)
    #expect(raw.frame()?.object["error"]?.objectValue?["reason"] == "helloExpected")
    raw.send(AppFrame(["type": "hello", "number": 3]).encoded)
    #expect(raw.frame()?.object["error"]?.objectValue?["reason"] == "malformedMessage")
    let hello = AppHello(appID: "a.b", isDevelopment: true)
    raw.send(AppRequest.hello(hello).frame.numbered(4).encoded)
    #expect(raw.frame()?.object["app"] == "a.b")
  }

  @Test
  func `an id that is not installed needs to be a development app`() throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let raw = try RawApp(scenario.socketPath)
    raw.send(AppRequest.hello(AppHello(appID: "a.b")).frame.numbered(1).encoded)
    #expect(raw.frame()?.object["error"]?.objectValue?["reason"] == "unknownApp")
    #expect(raw.readToEnd().isEmpty)
  }

  @Test
  func `a manual clock fires every moment in between, in order, before the command is answered`()
    throws
  {
    let scenario = try AgentScenario(hasManualClock: true)
    defer { scenario.stop() }
    let app = TestApp(scenario, state: .background)
    defer { app.close() }
    _ = try app.connection.call(.requestAuthorization([.alert]))
    var request = ModelBench.request("every")
    request.trigger = .interval(seconds: 60, repeats: true)
    _ = try app.connection.call(.add(request))
    request = ModelBench.request("once")
    request.trigger = .interval(seconds: 90, repeats: false)
    _ = try app.connection.call(.add(request))
    #expect(
      try app.connection.call(.pending).pending().map(\.nextUnixMilliseconds) == [60_000, 90_000])
    let control = TestApp(scenario, role: .control)
    defer { control.close() }
    _ = try control.connection.call(.control(.advanceClock(milliseconds: 180_000)))
    let shown = scenario.lines.all.filter { $0["event"] == "presented" }
    #expect(shown.compactMap { $0["id"]?.stringValue } == ["every", "once", "every", "every"])
    #expect(
      shown.compactMap { $0["at"]?.stringValue } == [
        "1970-01-01T00:01:00.000Z", "1970-01-01T00:01:30.000Z", "1970-01-01T00:02:00.000Z",
        "1970-01-01T00:03:00.000Z",
      ])
    #expect(try app.connection.call(.pending).pending().map(\.request.id) == ["every"])
  }

  @Test
  func `a manual clock waits while the app in front is asked what to show`() throws {
    let scenario = try AgentScenario(hasManualClock: true)
    defer { scenario.stop() }
    let app = TestApp(scenario)
    defer { app.close() }
    _ = try app.connection.call(.requestAuthorization([.alert]))
    for (id, seconds) in [("a", 10.0), ("b", 20.0)] {
      var request = ModelBench.request(id)
      request.trigger = .interval(seconds: seconds, repeats: false)
      _ = try app.connection.call(.add(request))
    }
    let control = TestApp(scenario, role: .control)
    defer { control.close() }
    let answers = Arrivals<Result<AppAnswer, AppLinkFailure>>()
    control.connection.send(.control(.advanceClock(milliseconds: 30_000))) { answers.put($0) }
    for id in ["a", "b"] {
      let (notification, question) = try #require(
        app.event { if case .willPresent(let notification) = $0 { notification } else { nil } })
      #expect(notification.request.id == id)
      #expect(answers.all.isEmpty)
      question?.reply(.present([.banner]))
      let line = try #require(scenario.line("presented"))
      #expect(line["id"] == .string(id))
      #expect(
        line["at"]?.stringValue
          == (id == "a" ? "1970-01-01T00:00:10.000Z" : "1970-01-01T00:00:20.000Z"))
    }
    #expect(try answers.next { $0 }?.get().rows.first?["time"] == "1970-01-01T00:00:30.000Z")
  }

  @Test
  func `client-api 3.1: of many pending requests the soonest are kept, and survive a restart`()
    throws
  {
    let folder = try ScratchFolder()
    var scenario = try AgentScenario(folder: folder, hasManualClock: true, pendingLimit: 3)
    var app = TestApp(scenario, state: .background)
    _ = try app.connection.call(.requestAuthorization([.alert]))
    for seconds in [50.0, 10, 40, 20, 30] {
      var request = ModelBench.request("\(Int(seconds))")
      request.trigger = .interval(seconds: seconds, repeats: false)
      _ = try app.connection.call(.add(request))
    }
    #expect(try app.connection.call(.pending).pending().map(\.request.id) == ["10", "20", "30"])
    app.close()
    scenario.stop()
    scenario = try AgentScenario.again(folder, hasManualClock: true, pendingLimit: 3)
    defer { scenario.stop() }
    app = TestApp(scenario, state: .background)
    defer { app.close() }
    #expect(try app.connection.call(.pending).pending().map(\.request.id) == ["10", "20", "30"])
    _ = try app.connection.call(.removePending(["10", "30"]))
    #expect(try app.connection.call(.pending).pending().map(\.request.id) == ["20"])
    // The same identifier without a trigger replaces the pending request (client-api 3.13).
    _ = try app.connection.call(.add(ModelBench.request("20")))
    #expect(try app.connection.call(.pending).pending().isEmpty)
  }

  @Test
  func `a request that can never fire is refused as Apple refuses it`() throws {
    let scenario = try AgentScenario(hasManualClock: true)
    defer { scenario.stop() }
    let app = TestApp(scenario)
    defer { app.close() }
    _ = try app.connection.call(.requestAuthorization([.alert]))
    var request = ModelBench.request()
    request.trigger = .calendar(
      MatchingComponents([.year: 2026, .month: 2, .day: 30]), repeats: false)
    let failure = #expect(throws: AppLinkFailure.self) {
      try app.connection.call(.add(request))
    }
    #expect(failure?.reason == .notificationInvalidNoDate)
    // A date in the past is not an error. It replaces the pending request with the same identifier and is not pending
    // itself.
    request.trigger = .calendar(MatchingComponents([.day: 30]), repeats: false)
    _ = try app.connection.call(.add(request))
    #expect(try app.connection.call(.pending).pending().count == 1)
    request.trigger = .calendar(MatchingComponents([.year: 1969]), repeats: false)
    _ = try app.connection.call(.add(request))
    #expect(try app.connection.call(.pending).pending().isEmpty)
  }

  @Test
  func
    `a stored notification that asks for gigabytes of text is shown cut at the start, and told of once`()
    throws
  {
    let folder = try ScratchFolder()
    var scenario = try AgentScenario(folder: folder, hasManualClock: true)
    do {
      let app = TestApp(scenario, state: .background)
      defer { app.close() }
      _ = try app.connection.call(.requestAuthorization([.alert]))
      for id in ["a", "b"] {
        var request = ModelBench.request(id)
        request.content.body = NotificationText(
          key: String(repeating: "%1$@", count: 60_000),
          arguments: [String(repeating: "é", count: 10_000)])
        request.trigger = .interval(seconds: 60, repeats: false)
        _ = try app.connection.call(.add(request))
      }
    }
    scenario.stop()
    let lines = Arrivals<String>()
    scenario = try AgentScenario.again(
      folder, hasManualClock: true, log: Log(subsystem: "agent", sink: LogSink { lines.put($0) }))
    defer { scenario.stop() }
    let control = TestApp(scenario, role: .control)
    defer { control.close() }
    _ = try control.connection.call(.control(.advanceClock(milliseconds: 60_000)))
    for _ in 0..<2 {
      let line = try #require(scenario.line("presented"))
      let body = try #require(line["body"]?.stringValue)
      #expect(body.utf8.count == WireLimits.filledTextBytesMax)
      #expect(body.unicodeScalars.allSatisfy { $0 == "é" })
    }
    #expect(lines.all.count { $0.contains("an app's string was truncated") } == 1)
  }
}
