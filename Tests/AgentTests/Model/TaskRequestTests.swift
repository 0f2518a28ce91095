import AppWire
import Testing

@testable import Agent

@Suite("Background tasks of apps")
struct TaskRequestTests {
  private static let burger = ModelBench.burger

  private func refresh(_ id: String = "r", at moment: Int64? = nil) -> AppRequest {
    .submitTask(BackgroundTaskRequest(id: id, kind: .refresh, earliestUnixMilliseconds: moment))
  }

  /// Installs an app that has submitted a task request and then disconnected.
  private func asked(_ bench: ModelBench, _ request: AppRequest) {
    bench.install()
    let (connection, _) = bench.connect()
    #expect(bench.ask(connection, request).refusals.isEmpty)
    bench.handle(.appDisconnected(connection))
    _ = bench.take()
  }

  @Test(arguments: [false, true])
  func `a request outlives the process, and starts the app when it is due`(restarts: Bool) throws {
    var bench = ModelBench()
    asked(bench, refresh(at: bench.now + 60_000))
    if restarts {
      bench = bench.restarted()
      _ = bench.start()
    }
    #expect(bench.disk.keys(.tasks) == ["org.example.burger/r"])
    #expect(bench.armedBackgroundWork == bench.now + 60_000)
    bench.move(to: bench.now + 60_000)
    let order = try #require(bench.handle(.backgroundWorkDue).orders.first)
    #expect(order.reason == .task)
    #expect(!order.isForeground)
    let (_, greeted) = bench.connect(launch: order.token)
    #expect(try greeted.answers.first?.welcome().launch.reason == .task)
    let (question, event) = try #require(greeted.asked.first)
    guard case .task(let request) = event else {
      Issue.record("unexpected question: \(event)")
      return
    }
    #expect(request.id == "r")
    // The request is removed when the task begins.
    #expect(bench.disk.keys(.tasks).isEmpty)
    bench.handle(.appReplied(question, .fetched(.newData)))
    #expect(bench.armedBackgroundTime == bench.time.elapsed + 1_000)
  }

  @Test
  func `a low battery holds a task, the app in front as well, and the budget counts it`() throws {
    let bench = ModelBench()
    bench.install()
    let (connection, _) = bench.connect(state: .foreground)
    bench.handle(.conditionChanged(.batteryLow(true)))
    for number in 0..<11 {
      #expect(bench.ask(connection, refresh("r\(number)")).asked.isEmpty)
    }
    bench.ask(connection, .setState(.background))
    #expect(bench.take().asked.isEmpty)
    bench.ask(connection, .setState(.foreground))
    bench.handle(.conditionChanged(.batteryLow(false)))
    #expect(bench.take().asked.isEmpty)
    #expect(bench.ask(connection, .setState(.background)).asked.count == 10)
    #expect(bench.disk.keys(.tasks).count == 1)
  }

  @Test
  func `an app asks for eleven at most, takes them back, and needs the mode`() throws {
    let bench = ModelBench()
    bench.install(modes: ["fetch"])
    let (connection, _) = bench.connect(state: .foreground)
    for number in 0..<11 { bench.ask(connection, refresh("r\(number)")) }
    #expect(bench.ask(connection, refresh("one more")).refusals == [.tooManyTasks])
    #expect(bench.ask(connection, refresh("r0")).refusals.isEmpty)
    let work = BackgroundTaskRequest(id: "w", kind: .processing)
    #expect(bench.ask(connection, .submitTask(work)).refusals == [.taskNotPermitted])
    bench.ask(connection, .cancelTasks(["r1", "none"]))
    #expect(try bench.ask(connection, .pendingTasks).answers.first?.tasks().count == 10)
    // The app is installed again without the background mode. The pending request is discarded when it is due.
    bench.install(modes: [])
    #expect(bench.ask(connection, .setState(.background)).asked.isEmpty)
    #expect(bench.disk.keys(.tasks).isEmpty)
  }

  @Test
  func `an app that does not connect is ended and started again as its budget allows`() throws {
    let bench = ModelBench()
    asked(bench, refresh(at: bench.now + 1_000))
    bench.move(to: bench.now + 1_000)
    let token = try #require(bench.handle(.backgroundWorkDue).orders.first?.token)
    _ = bench.take()
    let effects = bench.handle(.appExpected(Self.burger, token: token))
    #expect(effects.contains(.end(Self.burger)))
    #expect(effects.orders.map(\.reason) == [.task])
    bench.command(.removeApp(Self.burger.text))
    #expect(bench.disk.keys(.tasks).isEmpty)
  }
}
