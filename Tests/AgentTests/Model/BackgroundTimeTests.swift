import AppWire
import Testing

@testable import Agent

@Suite("Time in the background")
struct BackgroundTimeTests {
  private static let burger = ModelBench.burger

  /// Returns an app that the agent started for a push, together with the question that the agent asked the app.
  private func startedForPush(
    _ bench: ModelBench, modes: [String] = []
  ) throws -> (ConnectionID, Question) {
    bench.install(modes: ["remote-notification"] + modes)
    let token = try #require(bench.push(RoutingTests.background).orders.first?.token)
    let (connection, effects) = bench.connect(launch: token)
    let question = try #require(effects.asked.first?.0)
    return (connection, question)
  }

  /// Advances the clock to the agent's next alarm and returns the effects of the alarm.
  private func wait(_ bench: ModelBench) throws -> [AgentEffect] {
    let moment = try #require(bench.armedBackgroundTime)
    bench.move(to: bench.now + moment - bench.time.elapsed)
    bench.handle(.backgroundTimeDue)
    return bench.take()
  }

  @Test
  func
    `an app started for a push is suspended when it is done and resumed for the next push`()
    throws
  {
    let bench = ModelBench()
    let (_, question) = try startedForPush(bench)
    // S0-22 in part: the time of an app that the agent started expires
    // S1-51 part 2 of 2: its time expires
    #expect(bench.handle(.appReplied(question, .fetched(.newData))).isEmpty)
    #expect(bench.armedBackgroundTime == bench.time.elapsed + 1_000)
    #expect(try wait(bench) == [.suspend(Self.burger)])
    #expect(bench.armedBackgroundTime == nil)
    #expect(bench.command(.apps).answers.first?.rows.first?["state"] == "suspended")
    let effects = bench.push(RoutingTests.background, id: 2)
    let resumed = try #require(effects.firstIndex(of: .resume(Self.burger)))
    let asked = try #require(effects.firstIndex { if case .ask = $0 { true } else { false } })
    #expect(resumed < asked)
    #expect(bench.armedBackgroundTime == bench.time.elapsed + 28_000)
  }

  @Test
  func `the expiration handler runs before time is up, and an app that keeps running is ended`()
    throws
  {
    let bench = ModelBench()
    let (connection, question) = try startedForPush(bench)
    let begun = bench.ask(connection, .beginBackgroundTask(name: "save")).answers.first
    // S0-23 part 3 of 3: its time expires
    #expect(begun?.seconds == 30)
    #expect(begun?.task != nil)
    bench.handle(.appReplied(question, .fetched(.newData)))
    #expect(bench.take().isEmpty)
    let warned = try wait(bench).asked
    #expect(warned.map(\.1) == [.backgroundTimeEnds])
    #expect(bench.time.elapsed == 29_000)
    #expect(bench.ask(connection, .backgroundTime).answers.first?.seconds == 2)
    let warning = try #require(warned.first?.0)
    #expect(bench.handle(.appReplied(warning, .handled)).isEmpty)
    _ = bench.take()
    #expect(try wait(bench) == [.end(Self.burger)])
    #expect(bench.time.elapsed == 31_000)
  }

  @Test
  func `a task that its expiration handler ends leaves the app suspended, not ended`() throws {
    let bench = ModelBench()
    let (connection, question) = try startedForPush(bench)
    // S0-23 part 3 of 3: its time expires
    let task = try #require(
      bench.ask(connection, .beginBackgroundTask(name: nil)).answers.first?.task)
    bench.handle(.appReplied(question, .fetched(.newData)))
    let warning = try #require(try wait(bench).asked.first?.0)
    bench.ask(connection, .endBackgroundTask(task))
    bench.handle(.appReplied(warning, .handled))
    _ = bench.take()
    #expect(try wait(bench) == [.suspend(Self.burger)])
  }

  @Test
  func `a clock that jumps past the end still lets the expiration handler run first`() throws {
    let bench = ModelBench()
    let (_, question) = try startedForPush(bench)
    bench.move(to: bench.now + 3_600_000)
    let effects = bench.handle(.backgroundTimeDue)
    #expect(effects.asked.map(\.1) == [.backgroundTimeEnds])
    #expect(!effects.contains(.end(Self.burger)))
    let warning = try #require(effects.asked.first?.0)
    // The app doesn't answer within its time limit.
    _ = bench.take()
    #expect(bench.handle(.questionTimedOut(warning)) == [.end(Self.burger)])
    #expect(bench.handle(.appReplied(question, .fetched(.newData))).isEmpty)
  }

  @Test(arguments: [false, true])
  func `An app that the user started or used runs out of task time but is never stopped`(
    wasInFront: Bool
  ) throws {
    let bench = ModelBench()
    let connection: ConnectionID
    if wasInFront {
      (connection, _) = try startedForPush(bench)
      bench.ask(connection, .setState(.foreground))
      bench.ask(connection, .setState(.background))
    } else {
      (connection, _) = bench.connect()
      #expect(bench.push(RoutingTests.background).asked.count == 1)
    }
    func left() -> Double? { bench.ask(connection, .backgroundTime).answers.first?.seconds }
    #expect(bench.ask(connection, .beginBackgroundTask(name: nil)).answers.first?.seconds == 30)
    #expect(left() == 30)
    let warned = try wait(bench).asked
    #expect(warned.map(\.1) == [.backgroundTimeEnds])
    #expect(left() == 2)
    let warning = try #require(warned.first?.0)
    #expect(bench.handle(.appReplied(warning, .handled)).isEmpty)
    // The agent doesn't stop the app, and a new task has no time left.
    #expect(try wait(bench).isEmpty)
    #expect(left() == 0)
    #expect(bench.ask(connection, .beginBackgroundTask(name: nil)).answers.first?.seconds == 0)
    bench.move(to: bench.now + 600_000)
    bench.handle(.backgroundTimeDue)
    #expect(bench.take().isEmpty)
    #expect(bench.command(.apps).answers.first?.rows.first?["state"] == "background")
    // After the app has been in the foreground, it has background time again.
    bench.ask(connection, .setState(.foreground))
    #expect(left() == .greatestFiniteMagnitude)
    bench.ask(connection, .setState(.background))
    #expect(left() == 30)
  }

  @Test func `work that arrives in the background gives the app its full time again`() throws {
    let bench = ModelBench()
    let (connection, _) = try startedForPush(bench)
    bench.move(to: bench.now + 20_000)
    #expect(bench.ask(connection, .backgroundTime).answers.first?.seconds == 10)
    #expect(bench.push(RoutingTests.background, id: 2).asked.count == 1)
    #expect(bench.ask(connection, .backgroundTime).answers.first?.seconds == 30)
  }

  @Test func `a task that begins when no time is left has expired, so there is no warning for it`()
    throws
  {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    #expect(try wait(bench).isEmpty)
    #expect(bench.ask(connection, .beginBackgroundTask(name: nil)).answers.first?.seconds == 0)
    bench.ask(connection, .setState(.foreground))
    bench.ask(connection, .setState(.background))
    #expect(try wait(bench).isEmpty)
    #expect(bench.ask(connection, .backgroundTime).answers.first?.seconds == 0)
  }

  @Test func `an app that the user starts while the agent starts it for a push is not suspended`()
    throws
  {
    let bench = ModelBench()
    bench.install()
    #expect(bench.push(RoutingTests.background).orders.count == 1)
    let question = try #require(bench.connect().1.asked.first?.0)
    bench.handle(.appReplied(question, .fetched(.newData)))
    _ = bench.take()
    #expect(try wait(bench).isEmpty)
  }

  @Test func `an app that the agent started for the user is not suspended`() throws {
    let bench = ModelBench()
    let installed = bench.authorized()
    bench.install()
    bench.ask(installed, .add(ModelBench.request()))
    bench.handle(.appDisconnected(installed))
    let order = try #require(bench.respond("n", .open).orders.first)
    let question = try #require(bench.connect(launch: order.token).1.asked.first?.0)
    bench.handle(.appReplied(question, .handled))
    _ = bench.take()
    #expect(try wait(bench).isEmpty)
  }

  @Test(arguments: ["audio", "location", "voip"])
  func `apps with the audio, location or VoIP background mode keep running`(mode: String) throws {
    let bench = ModelBench()
    let (_, question) = try startedForPush(bench, modes: [mode])
    bench.handle(.appReplied(question, .fetched(.newData)))
    bench.move(to: bench.now + 600_000)
    bench.handle(.backgroundTimeDue)
    // S3-33 part 2 of 2: location, VoIP and audio
    #expect(bench.take().isEmpty)
    #expect(bench.command(.apps).answers.first?.rows.first?["state"] == "background")
  }

  @Test
  func `a suspended app is resumed by a tap, its own earlier message or another of its processes`()
    throws
  {
    for way in 0..<3 {
      let bench = ModelBench()
      let (connection, question) = try startedForPush(bench)
      bench.ask(connection, .requestAuthorization([.alert]))
      bench.handle(.appReplied(question, .fetched(.newData)))
      _ = bench.take()
      #expect(try wait(bench) == [.suspend(Self.burger)])
      let effects: [AgentEffect]
      switch way {
      case 0:
        _ = bench.push(RoutingTests.alert, id: 2)
        effects = bench.respond("00000000-0000-0000-0000-000000000002", .open)
      case 1: effects = bench.ask(connection, .setState(.foreground))
      default: effects = bench.connect(state: .foreground).1
      }
      #expect(effects.contains(.resume(Self.burger)))
    }
  }

  @Test(arguments: [false, true])
  func
    `a suspended app whose program is outdated is killed, and the next push starts the new program`(
      isInstalledAgain: Bool
    ) throws
  {
    let bench = ModelBench()
    let (connection, question) = try startedForPush(bench)
    bench.handle(.appReplied(question, .fetched(.newData)))
    _ = try wait(bench)
    let killed: [AgentEffect]
    if isInstalledAgain {
      killed = bench.install()
    } else {
      bench.disk.outdatedProcesses = [1]
      killed = bench.push(RoutingTests.background, id: 2)
      bench.disk.outdatedProcesses = []
    }
    #expect(
      killed.prefix(3) == [
        .log(
          .suspendedAppKilled(Self.burger, isInstalledAgain ? .installedAgain : .fileReplaced)),
        .kill(Self.burger), .close(connection),
      ])
    let pushed =
      isInstalledAgain ? bench.push(RoutingTests.background, id: 2) : killed
    #expect(pushed.asked.isEmpty)
    let order = try #require(pushed.orders.first)
    #expect(!order.isForeground && order.reason == .push)
    // The connection closes later.
    #expect(bench.handle(.appDisconnected(connection)).isEmpty)
    let (_, effects) = bench.connect(launch: order.token)
    #expect(effects.asked.count == 1)
  }

  @Test func `an app that works is not killed when it is installed again`() throws {
    let bench = ModelBench()
    _ = try startedForPush(bench)
    bench.disk.outdatedProcesses = [1]
    #expect(!bench.install().contains(.kill(Self.burger)))
    #expect(bench.push(RoutingTests.background, id: 2).asked.count == 1)
  }

  @Test
  func `news for a suspended app waits, and it is woken before it is removed`() throws {
    let bench = ModelBench()
    let (_, question) = try startedForPush(bench)
    bench.handle(.appReplied(question, .fetched(.newData)))
    _ = try wait(bench)
    bench.command(.changeSettings(app: Self.burger.text, ["notifications": "off"]))
    bench.command(.changeDevice(["languages": "fr"]))
    #expect(!bench.take().contains(.resume(Self.burger)))
    let removed = bench.command(.removeApp(Self.burger.text))
    #expect(removed.contains(.resume(Self.burger)))
  }

  @Test
  func `an app that reports the background state again gets no extra time`() throws {
    let bench = ModelBench()
    let (connection, _) = try startedForPush(bench)
    bench.move(to: bench.now + 20_000)
    bench.ask(connection, .setState(.background))
    #expect(bench.ask(connection, .backgroundTime).answers.first?.seconds == 10)
  }

  @Test func `a suspended app runs on for a region that it watches`() throws {
    let bench = ModelBench()
    let (connection, question) = try startedForPush(bench)
    bench.command(.changeSettings(app: "\(Self.burger)", ["location": "always"]))
    let home = NotificationRegion(
      id: "home", shape: .circle(latitude: 48.86, longitude: 2.29, radius: 200),
      notifiesOnEntry: true, notifiesOnExit: false)
    bench.command(.setPlace(latitude: 0, longitude: 2.29))
    bench.ask(connection, .watchRegion(home))
    bench.handle(.appReplied(question, .fetched(.newData)))
    _ = bench.take()
    #expect(try wait(bench) == [.suspend(Self.burger)])
    let effects = bench.command(.setPlace(latitude: 48.86, longitude: 2.29))
    let resumed = try #require(effects.firstIndex(of: .resume(Self.burger)))
    let told = try #require(
      effects.firstIndex { if case .tell(connection, .regionChanged) = $0 { true } else { false } })
    #expect(resumed < told)
  }
}

@Suite("Suspending a unit")
struct UnitFreezeTests {
  @Test
  func `one call is under way at a time, and the last wish counts`() {
    var freeze = UnitFreeze()
    freeze.isWanted = true
    #expect(freeze.next() == .freeze)
    freeze.isWanted = false
    #expect(freeze.next() == nil)
    freeze.isAnswered(.freeze, isDone: true)
    #expect(freeze.next() == .thaw)
    freeze.isAnswered(.thaw, isDone: true)
    #expect(freeze.isOver)
  }

  @Test
  func `a unit without a freezer is stopped by a signal, and one that has ended by nothing`() {
    var freeze = UnitFreeze()
    freeze.isWanted = true
    #expect(freeze.next() == .freeze)
    freeze.isAnswered(.freeze, isDone: false)
    #expect(freeze.next() == .stopProcesses)
    freeze.isAnswered(.stopProcesses, isDone: true)
    freeze.isWanted = false
    #expect(freeze.next() == .continueProcesses)
    freeze.isAnswered(.continueProcesses, isDone: true)
    freeze.isWanted = true
    #expect(freeze.next() == .stopProcesses)
    freeze.isAnswered(.stopProcesses, isDone: false)
    #expect(freeze.isOver)
  }
}
