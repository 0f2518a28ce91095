import AppWire
import Scheduling
import Testing

@testable import Agent

@Suite("What nobody has seen yet, after a restart and on a presenter that is new")
struct UnseenTests {
  @Test
  func `a notification that is only in the list is not shown or routed again`() {
    let bench = ModelBench()
    let connection = bench.authorized(options: [.alert, .sound, .badge, .provisional])
    #expect(
      bench.ask(connection, .add(ModelBench.request(badge: 3, sound: true))).suppressed == [.quiet])
    #expect(bench.ask(connection, .setBadge(0)).badges == [0])
    #expect(bench.handle(.presenterAppeared(.json, isNew: true)).replayed.isEmpty)
    let effects = bench.restarted().start()
    #expect(effects.presented.isEmpty && effects.suppressed.isEmpty)
    #expect(effects.badges.isEmpty)
  }

  @Test
  func `a presenter that is new is given only what may still be shown`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    #expect(bench.ask(connection, .add(ModelBench.request(badge: 3))).presented.count == 1)
    #expect(bench.handle(.presenterAppeared(.json, isNew: true)).replayed.count == 1)
    bench.command(.changeSettings(app: "\(ModelBench.burger)", ["notifications": "off"]))
    let effects = bench.handle(.presenterAppeared(.json, isNew: true))
    #expect(effects.replayed.isEmpty && effects.replayedBadges.isEmpty)
    #expect(bench.restarted().start().badges.isEmpty)
  }

  @Test
  func `a presenter that is there before the start gets what is unseen once`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(ModelBench.request()))
    let next = bench.restarted()
    let effects =
      next.handle(.recordsRestored(next.disk.records))
      + next.handle(.presenterAppeared(.desktop, isNew: true)) + next.handle(.started)
    #expect(effects.presented.count + effects.replayed.count == 1)
  }

  @Test
  func `a notification that a service extension is changing is not shown early`() throws {
    let bench = ModelBench()
    bench.install { $0.serviceExtension = "/opt/extension" }
    _ = bench.authorized()
    let effects = bench.push(#"{"aps":{"alert":"B","mutable-content":1}}"#)
    #expect(effects.extensions.count == 1)
    #expect(bench.handle(.presenterAppeared(.json, isNew: true)).replayed.isEmpty)
  }

  @Test
  func `a presenter's word about a notification does not count for the one that takes its place`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    #expect(bench.ask(connection, .add(ModelBench.request(title: "1"))).presented.count == 1)
    bench.ask(connection, .setState(.foreground))
    let effects = bench.ask(connection, .add(ModelBench.request(title: "2")))
    let (question, _) = try #require(effects.asked.first)
    bench.shown("n")
    #expect(bench.restarted().start().presented.map(\.title) == ["2"])
    #expect(
      bench.handle(.appReplied(question, .present([.banner]))).presented.map(\.title) == ["2"])
  }

  @Test(arguments: [AppState.background, .foreground])
  func `a notification that is only listed removes the one that it replaces from the screen`(
    state: AppState
  )
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    #expect(bench.ask(connection, .add(ModelBench.request(title: "1"))).presented.count == 1)
    bench.shown("n")
    bench.ask(connection, .setState(state))
    bench.command(.state(["focus": "on"]))
    var effects = bench.ask(connection, .add(ModelBench.request(title: "2")))
    if let (question, _) = effects.asked.first {
      #expect(effects.withdrawn.isEmpty)
      effects = bench.handle(.appReplied(question, .present([.banner, .list])))
    }
    #expect(effects.withdrawn.map(\.id) == ["n"])
    #expect(bench.centerIDs() == ["n"])
    #expect(bench.ask(connection, .removeDelivered(["n"])).withdrawn.map(\.id) == ["n"])
  }

  @Test
  func `of two repeats at one moment the app is asked about each, and the second one is shown`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(.changeSettings(app: "\(ModelBench.burger)", ["location": "always"]))
    bench.ask(connection, .setState(.foreground))
    let home = NotificationRegion(
      id: "home", shape: .circle(latitude: 48.86, longitude: 2.29, radius: 200),
      notifiesOnEntry: true, notifiesOnExit: true)
    func isAt(_ latitude: Double) -> [Question] {
      bench.command(.setPlace(latitude: latitude, longitude: 2.29)).asked.map(\.0)
    }
    #expect(isAt(0).isEmpty)
    bench.ask(connection, .add(ModelBench.request(trigger: .region(home, repeats: true))))
    let first = try #require(isAt(48.86).first)
    let second = try #require(isAt(0).first)
    #expect(bench.handle(.appReplied(first, .present([.banner]))).isEmpty)
    #expect(bench.handle(.appReplied(second, .present([.banner]))).presented.count == 1)
    bench.shown("n")
    #expect(bench.restarted().start().presented.isEmpty)
  }

  @Test
  func
    `client-api 3.39: texts are hidden also where the presenter has not yet said that it shows them`()
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(
      .changeSettings(app: "\(ModelBench.burger)", ["previews": "whenAuthenticated"]))
    bench.ask(connection, .add(ModelBench.request()))
    let effects = bench.handle(.conditionChanged(.sessionLocked(true)))
    #expect(effects.refreshed.map(\.title) == [""])
  }

  @Test
  func `notifications over the limit of the list are not shown`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    for number in 1...Limits.deliveredPerApp {
      bench.ask(connection, .add(ModelBench.request("\(number)")))
    }
    bench.ask(connection, .setState(.foreground))
    #expect(bench.ask(connection, .add(ModelBench.request())).asked.count == 1)
    let next = bench.restarted()
    let shown = next.start().presented.map(\.key.id)
    #expect(shown.count == Limits.deliveredPerApp)
    #expect(shown == next.centerIDs())
  }

  @Test
  func
    `a sound that the desktop's do-not-disturb mutes is accounted for where it was all there is`()
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(
      .changeSettings(app: "\(ModelBench.burger)", ["style": "none", "center": "off"]))
    bench.handle(.conditionChanged(.desktopQuiet(true)))
    let effects = bench.ask(connection, .add(ModelBench.request(sound: true)))
    #expect(effects.presented.isEmpty && effects.sounds == 0)
    #expect(effects.suppressed == [.focus])
  }

  @Test func `damaged records are logged, and the other records are read`() {
    let bench = ModelBench()
    bench.install()
    let connection = bench.authorized()
    let task = BackgroundTaskRequest(
      id: "r", kind: .refresh, earliestUnixMilliseconds: bench.now + 60_000)
    bench.ask(connection, .submitTask(task))
    bench.ask(connection, .add(ModelBench.request()))
    bench.ask(connection, .add(ModelBench.request("other")))
    bench.handle(.appDisconnected(connection))
    bench.respond("other", .open)
    let collections: [RecordCollection] = [.tasks, .delivered, .responses, .fetches]
    for collection in collections.dropLast() {
      #expect(bench.disk.keys(collection).count == 1, "\(collection)")
    }
    for collection in collections { bench.disk[collection, "damaged"] = [1, 2, 3] }
    let again = ModelBench(disk: bench.disk, agentRun: "again", now: bench.now, isStarted: false)
    let damaged = again.start().filter {
      if case .log(.damagedRecord) = $0 { true } else { false }
    }
    #expect(
      damaged
        == [.delivered, .responses, .fetches, .tasks].map {
          .log(.damagedRecord($0, key: "damaged"))
        })
    #expect(again.centerIDs() == ["n"])
  }

  @Test
  func
    `a location-triggered notification is shown when the location service finds the device there`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(.changeSettings(app: "\(ModelBench.burger)", ["location": "always"]))
    let home = NotificationRegion(
      id: "home", shape: .circle(latitude: 48.86, longitude: 2.29, radius: 200),
      notifiesOnEntry: true, notifiesOnExit: false)
    func isAt(_ latitude: Double) throws -> [String] {
      let place = Place(latitude: latitude, longitude: 2.29, certainty: .exact)
      return bench.handle(.located(try #require(place))).presented.map(\.title)
    }
    #expect(try isAt(0).isEmpty)
    bench.ask(connection, .add(ModelBench.request(trigger: .region(home, repeats: false))))
    #expect(try isAt(48.86) == ["T"])
  }
}

extension [AgentEffect] {
  private var replays: [PresenterEvent] {
    flatMap { effect -> [PresenterEvent] in
      if case .replay(_, let events) = effect { events } else { [] }
    }
  }
  var replayed: [Presentation] {
    replays.compactMap { if case .presented(let presentation) = $0 { presentation } else { nil } }
  }
  fileprivate var replayedBadges: [Int64] {
    replays.compactMap { if case .badge(_, let badge) = $0 { badge } else { nil } }
  }
}
