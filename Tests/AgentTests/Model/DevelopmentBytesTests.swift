import BelfryWire
import AppWire
import Testing

@testable import Agent

@Suite("The bytes that all development apps store")
struct DevelopmentBytesTests {
  private static let total = 410_000

  private func app(_ name: String) throws -> AppID { try #require(AppID("org.example.\(name)")) }

  private func request(
    _ id: String, bytes: Int = 100_000, trigger: NotificationTrigger? = nil
  ) -> NotificationRequest {
    var content = NotificationContent()
    content.body = NotificationText(String(repeating: "x", count: bytes))
    return NotificationRequest(id: id, content: content, trigger: trigger)
  }

  private let later = NotificationTrigger.interval(seconds: 600, repeats: false)

  /// Uses up the space for development apps with one notification from each of four apps.
  ///
  /// Returns the connection of the last app.
  private func fill(_ bench: ModelBench) throws -> ConnectionID {
    var last = ConnectionID(number: 0)
    for number in 1...4 {
      last = bench.authorized(try app("made-up\(number)"))
      let added = bench.ask(last, .add(request("n", bytes: 97_000, trigger: later)))
      #expect(added.refusals.isEmpty, "app \(number)")
    }
    return last
  }

  @Test func `apps that share no limit of their own share the total`() throws {
    let bench = ModelBench(developmentBytesMax: Self.total)
    let connection = try fill(bench)
    var categories: [NotificationCategory] = []
    for number in 0..<200 {
      categories.append(NotificationCategory(id: "category \(number)"))
    }
    let task = BackgroundTaskRequest(
      id: String(repeating: "t", count: 255), kind: .refresh, earliestUnixMilliseconds: nil)
    let region = NotificationRegion(
      id: String(repeating: "r", count: 1_000),
      shape: .circle(latitude: 1, longitude: 1, radius: 100))
    let requests: [AppRequest] = [
      .add(request("another")), .add(request("soon", trigger: later)),
      .setCategories(categories), .submitTask(task), .watchRegion(region),
      .setLanguages((0..<100).map { String(repeating: "a", count: 200) + "\($0)" }),
    ]
    var count = 0
    while bench.ask(connection, .add(request("\(count)", bytes: 10, trigger: later))).refusals
      .isEmpty
    {
      count += 1
      try #require(count < 100)
    }
    for request in requests {
      #expect(bench.ask(connection, request).refusals == [.storageFailed], "\(request)")
    }
    let (_, greeted) = bench.connect(try app("new"))
    #expect(greeted.refusals == [.storageFailed])
    let notify = bench.command(.notify(app: "org.example.new", request("n")))
    #expect(notify.refusals == [.storageFailed])
    // An app that the agent already knows can still connect and free space.
    let (again, welcomed) = bench.connect(try app("made-up1"))
    #expect(welcomed.refusals.isEmpty)
    #expect(bench.ask(again, .removePending(nil)).refusals.isEmpty)
    #expect(bench.ask(connection, .add(request("another", bytes: 50_000))).refusals.isEmpty)
  }

  @Test func `a known app that connects with a longer path keeps its record if no room is left`()
    throws
  {
    let bench = ModelBench(developmentBytesMax: Self.total)
    _ = try fill(bench)
    let id = try app("made-up1")
    func bundle() -> JSONValue? {
      let rows = bench.command(.apps).answers.first?.rows ?? []
      return rows.first { $0["app"] == .string(id.text) }?["bundle"]
    }
    let short = bench.connect(id) { $0.bundlePath = "/opt/made-up1" }
    #expect(short.1.refusals.isEmpty && bundle() == "/opt/made-up1")
    let long = bench.connect(id) { $0.bundlePath = "/" + String(repeating: "b", count: 20_000) }
    #expect(long.1.refusals.isEmpty && bundle() == "/opt/made-up1")
  }

  @Test func `installed apps are not affected, and do not count`() throws {
    let bench = ModelBench(developmentBytesMax: Self.total)
    bench.install()
    let installed = bench.authorized()
    for number in 1...4 {
      let added = bench.ask(installed, .add(request("\(number)", trigger: later)))
      #expect(added.refusals.isEmpty)
    }
    let made = try fill(bench)
    #expect(bench.ask(installed, .add(request("more"))).refusals.isEmpty)
    #expect(bench.ask(made, .add(request("more"))).refusals == [.storageFailed])
    // A development app no longer counts toward the limit once the user has installed it.
    bench.install(try app("made-up2"))
    #expect(bench.ask(made, .add(request("more", bytes: 90_000))).refusals.isEmpty)
  }

  @Test func `the total is the same after a start, and falls when an app is removed`() throws {
    let first = ModelBench(developmentBytesMax: Self.total)
    _ = try fill(first)
    let bench = first.restarted(developmentBytesMax: Self.total).started()
    let (connection, _) = bench.connect(try app("made-up4"))
    #expect(bench.ask(connection, .add(request("more"))).refusals == [.storageFailed])
    bench.command(.removeApp("org.example.made-up1"))
    #expect(bench.ask(connection, .add(request("more", bytes: 90_000))).refusals.isEmpty)
  }

  @Test func `delivered notifications count after a start as they did before`() throws {
    let first = ModelBench(developmentBytesMax: Self.total)
    for number in 1...4 {
      let id = try app("made-up\(number)")
      let added = first.ask(first.authorized(id), .add(request("n", bytes: 97_000)))
      #expect(added.refusals.isEmpty)
      // When the agent starts, it presents and stores a notification again if the user might not have seen it.
      first.handle(.notificationShown(AppNotificationID(app: id, id: "n")))
    }
    let bench = first.restarted(developmentBytesMax: Self.total).started()
    let (connection, _) = bench.connect(try app("made-up4"))
    #expect(bench.ask(connection, .add(request("more"))).refusals == [.storageFailed])
  }

  @Test func `a request replaces one of its size when no room is left`() throws {
    let bench = ModelBench(developmentBytesMax: Self.total)
    let connection = try fill(bench)
    let same = request("n", bytes: 97_000, trigger: later)
    #expect(bench.ask(connection, .add(same)).refusals.isEmpty)
    let larger = request("n", bytes: 107_000, trigger: later)
    #expect(bench.ask(connection, .add(larger)).refusals == [.storageFailed])
  }

  @Test func `a push takes the place of the app's oldest notifications when no room is left`()
    throws
  {
    let bench = ModelBench(developmentBytesMax: Self.total)
    let connection = bench.authorized()
    bench.register()
    for number in 1...3 {
      bench.ask(connection, .add(request("\(number)", bytes: 30_000)))
    }
    let other = bench.authorized(try app("other"))
    for number in 1...3 {
      let added = bench.ask(other, .add(request("\(number)", bytes: 97_000, trigger: later)))
      #expect(added.refusals.isEmpty)
    }
    let text = String(repeating: "p", count: 8_000)
    for number in 1...3 {
      let shown = bench.push(#"{"aps":{"alert":"\#(text)"}}"#, id: UInt64(number)).presented
      #expect(shown.count == 1)
    }
    let ids = bench.centerIDs(ModelBench.burger)
    #expect(!ids.contains("1") && ids.count >= 4, "\(ids)")
  }

  @Test func `a push that exceeds the total removes the oldest notification immediately`() {
    let bench = ModelBench(developmentBytesMax: 100_000)
    let connection = bench.authorized()
    bench.register()
    #expect(bench.ask(connection, .add(request("old", bytes: 90_000))).refusals.isEmpty)
    let text = String(repeating: "p", count: 8_000)
    let effects = bench.push(#"{"aps":{"alert":"\#(text)"}}"#)
    #expect(effects.presented.count == 1 && effects.withdrawn.map(\.id) == ["old"])
  }

  @Test func `commands cannot make any number of notifications wait for the user's decision`() {
    let bench = ModelBench(policy: .ask)
    bench.install()
    func notify(_ id: Int) -> [AppLinkFailure.Reason] {
      bench.command(.notify(app: ModelBench.burger.text, ModelBench.request("n\(id)"))).refusals
    }
    for number in 0..<Limits.waitingNotificationsPerApp { #expect(notify(number).isEmpty) }
    #expect(notify(-1) == [.invalidArgument])
    // A notification that replaces another one is accepted.
    #expect(notify(0).isEmpty)
    bench.answerPrompt(isAllowed: true)
    #expect(notify(-1).isEmpty)
  }

  @Test
  func `a list of all notifications that is too long for an answer is refused before it is made`()
    throws
  {
    let bench = ModelBench()
    for name in ["one", "two"] {
      bench.install(try app(name))
      let connection = bench.authorized(try app(name))
      for number in 0..<8 {
        bench.ask(connection, .add(request("\(name)\(number)", bytes: 500_000)))
      }
    }
    #expect(bench.command(.center(app: nil)).refusals == [.invalidArgument])
    #expect(bench.centerIDs(try app("one")).count == 8)
  }

  @Test func `requests for permission cannot wait in any number`() {
    let bench = ModelBench(policy: .ask)
    bench.install()
    let (connection, _) = bench.connect { $0.locationUsage = "Why" }
    for request in [AppRequest.requestLocation(always: false), .requestAuthorization([.alert])] {
      for _ in 0..<Limits.waitingRequestsPerApp {
        _ = bench.decide(.appRequested(RequestID(connection: connection, number: 1), request))
      }
      #expect(bench.ask(connection, request).refusals == [.invalidArgument], "\(request)")
    }
    bench.handle(.appDisconnected(connection))
    let (again, _) = bench.connect()
    #expect(bench.ask(again, .requestAuthorization([.alert])).refusals.isEmpty)
  }

  @Test func `a request for permission beyond the limit is refused and gets no second answer`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    for _ in 0..<Limits.waitingRequestsPerApp {
      #expect(bench.ask(connection, .requestAuthorization([.alert])).refusals.isEmpty)
    }
    let refused = bench.ask(connection, .requestAuthorization([.alert])).refusals
    #expect(refused == [.invalidArgument])
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().answers.count == Limits.waitingRequestsPerApp)
  }

  @Test func `notifications that wait for the user's decision have the limit of the list`() throws {
    let bench = ModelBench(policy: .ask)
    bench.install()
    let (connection, _) = bench.connect()
    for number in 0...Limits.deliveredPerApp {
      var request = ModelBench.request("n\(number)")
      request.content.generation = .local
      bench.ask(connection, .add(request))
    }
    let keys = bench.disk.keys(.delivered)
    #expect(keys.count == Limits.deliveredPerApp)
    #expect(!keys.contains("org.example.burger/n0"))
  }
}
