import AppWire
import Testing

@testable import Agent

@Suite struct LocationModelTests {
  private func bench(
    _ policy: GrantPolicy = .ask, usage: String? = "To ring at the door"
  ) -> (ModelBench, ConnectionID) {
    let bench = ModelBench(policy: policy)
    let (connection, _) = bench.connect { $0.locationUsage = usage }
    return (bench, connection)
  }

  /// Returns true if the app receives the device's location.
  private func mayLocate(_ bench: ModelBench, _ connection: ConnectionID) -> Bool {
    _ = bench.command(.setPlace(latitude: 48.86, longitude: 2.29))
    defer { bench.ask(connection, .setLocationUpdates(false)) }
    return bench.ask(connection, .setLocationUpdates(true)).told.contains {
      if case .place = $0 { true } else { false }
    }
  }

  private func status(_ effects: [AgentEffect]) -> [LocationStatus] {
    effects.answers.compactMap { try? $0.locationStatus() }
  }

  @Test func `The first request asks with the app's own words, later ones do not`() throws {
    let (bench, connection) = bench()
    let asked = bench.ask(connection, .requestLocation(always: false))
    let prompt = try #require(
      asked.compactMap { if case .prompt(let prompt) = $0 { prompt } else { nil } }.first)
    // S1-65 part 1 of 2: the prompt shows the app's text
    #expect(prompt.subject == .location(usage: "To ring at the door"))
    #expect(status(asked) == [] && !mayLocate(bench, connection))
    bench.answerPrompt(isAllowed: true)
    let decided = bench.take()
    // The app is notified; the user isn't asked again.
    #expect(status(decided) == [.whenInUse])
    #expect(decided.told.contains(.locationStatus(.whenInUse)))
    #expect(mayLocate(bench, connection))
    let again = bench.ask(connection, .requestLocation(always: false))
    #expect(status(again) == [.whenInUse] && again.prompts.count == 0)
  }

  @Test func `Without a word on what it is for there is no question and no access`() {
    for usage in [nil, ""] {
      let (bench, connection) = bench(.all, usage: usage)
      let asked = bench.ask(connection, .requestLocation(always: true))
      #expect(status(asked) == [.notDetermined] && asked.prompts.count == 0)
      #expect(!mayLocate(bench, connection))
    }
  }

  @Test func `An app needs to have asked: what was refused stays so`() {
    let (bench, connection) = bench(.none)
    #expect(!mayLocate(bench, connection))
    // S1-64 part 2 of 2: nothing without permission
    #expect(status(bench.ask(connection, .requestLocation(always: false))) == [.denied])
    #expect(!mayLocate(bench, connection))
  }

  @Test(arguments: [["location": "off"], [:]])
  func `A response to a place's notification is not told to an app that may not know the place`(
    device: [String: String]
  ) throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.install()
    bench.command(.changeSettings(app: "\(ModelBench.burger)", ["location": "whenInUse"]))
    bench.command(.setPlace(latitude: 0, longitude: 2.29))
    let door = NotificationRegion(
      id: "door", shape: .circle(latitude: 48.86, longitude: 2.29, radius: 200),
      notifiesOnEntry: true, notifiesOnExit: false)
    func arrive() {
      bench.ask(
        connection, .add(ModelBench.request(trigger: .region(door, repeats: false))))
      bench.command(.setPlace(latitude: 0, longitude: 2.29))
      bench.command(.setPlace(latitude: 48.86, longitude: 2.29))
      #expect(bench.centerIDs() == ["n"])
    }
    func allow(_ isAllowed: Bool) {
      if device.isEmpty {
        bench.command(
          .changeSettings(
            app: "\(ModelBench.burger)", ["location": isAllowed ? "whenInUse" : "denied"]))
      } else {
        bench.command(.changeDevice(["location": isAllowed ? "on" : "off"]))
      }
    }
    let withheld = AgentEffect.log(
      .placeWithheld(AppNotificationID(app: ModelBench.burger, id: "n")))
    arrive()
    allow(false)
    let told = bench.respond("n", .open)
    // S1-66 part 3 of 3: no callback without access
    // S1-73 part 2 of 3: no callback for a notification that was shown before access was turned off
    #expect(told.asked.isEmpty && told.contains(withheld))
    // The app still opens.
    #expect(told.told.contains(.state(.foreground)))
    #expect(bench.centerIDs().isEmpty && bench.disk.keys(.responses).isEmpty)
    // At launch, the app does not receive the response either, even though access was allowed when the user opened the
    // notification.
    bench.ask(connection, .setState(.background))
    allow(true)
    arrive()
    bench.handle(.appDisconnected(connection))
    let order = try #require(bench.respond("n", .open).orders.first)
    allow(false)
    let (_, greeted) = bench.connect(launch: order.token)
    let launch = try #require(greeted.answers.first).welcome().launch
    #expect(launch.response == nil && launch.isForeground && greeted.asked.isEmpty)
    #expect(greeted.contains(withheld) && bench.disk.keys(.responses).isEmpty)
  }

  private static func region(_ id: String = "home") -> NotificationRegion {
    NotificationRegion(
      id: id, shape: .circle(latitude: 48.86, longitude: 2.29, radius: 200), notifiesOnEntry: true,
      notifiesOnExit: false)
  }

  @Test func `an app can stop watching a region, and a removed app watches none`() throws {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    for id in ["home", "work"] { bench.ask(connection, .watchRegion(Self.region(id))) }
    #expect(bench.disk.keys(.regions).count == 2)
    bench.ask(connection, .unwatchRegion("home"))
    let left = try #require(bench.ask(connection, .watchedRegions).answers.first).regions()
    #expect(left.map(\.id) == ["work"] && bench.disk.keys(.regions).count == 1)
    bench.command(.removeApp(ModelBench.burger.text))
    #expect(bench.disk.keys(.regions).isEmpty)
  }

  @Test
  func `after an exit that was not requested and a restart, the next entry shows the notification`()
  {
    func isAt(_ bench: ModelBench, _ latitude: Double) -> Int {
      bench.command(.setPlace(latitude: latitude, longitude: 2.29)).presented.count
    }
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(.changeSettings(app: "\(ModelBench.burger)", ["location": "always"]))
    #expect(isAt(bench, 0) == 0)
    bench.ask(
      connection, .add(ModelBench.request(trigger: .region(Self.region(), repeats: true))))
    #expect(isAt(bench, 48.86) == 1)
    #expect(isAt(bench, 0) == 0)
    #expect(isAt(bench.restarted().started(), 48.86) == 1)
  }

  @Test func `Places switched off for the device are off for all, and back as they were`() {
    let (bench, connection) = bench(.all)
    _ = bench.ask(connection, .requestLocation(always: false))
    var effects = bench.command(.changeDevice(["location": "off"]))
    #expect(effects.told.contains(.locationStatus(.denied)))
    #expect(!mayLocate(bench, connection))
    effects = bench.command(.changeDevice(["location": "on"]))
    #expect(effects.told.contains(.locationStatus(.whenInUse)))
    #expect(mayLocate(bench, connection))
  }

  @Test
  func
    `an app that does not say why it wants the place is named in the log and by the doctor`()
  {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .requestAuthorization([.alert]))
    bench.answerPrompt(isAllowed: true)
    let first = bench.ask(connection, .requestLocation(always: false))
    // S1-65
    #expect(first.prompts.isEmpty && first.contains(.log(.locationUsageMissing(ModelBench.burger))))
    #expect(bench.findings().map(\.isFine) == [false])
    #expect(bench.findings().first?.advice.contains("NSLocationWhenInUseUsageDescription") == true)
    // The log reports this only once.
    #expect(bench.ask(connection, .requestLocation(always: false)).count == 1)
    // If the app provides a usage description, the user is asked.
    let (again, _) = bench.connect { $0.locationUsage = "To ring at the door" }
    #expect(bench.findings().map(\.isFine) == [true])
    #expect(bench.ask(again, .requestLocation(always: false)).prompts.count == 1)
  }

  @Test func `location services run only while an app that needs them may use the location`() {
    func needs(_ effects: [AgentEffect]) -> [LocationNeeds] {
      effects.compactMap { if case .useLocationServices(let needs) = $0 { needs } else { nil } }
    }
    let (bench, connection) = bench()
    #expect(needs(bench.ask(connection, .watchRegion(Self.region()))).isEmpty)
    bench.ask(connection, .requestLocation(always: true))
    bench.answerPrompt(isAllowed: true)
    #expect(needs(bench.take()) == [LocationNeeds(places: true)])
    #expect(needs(bench.command(.changeDevice(["location": "off"]))) == [LocationNeeds()])
    let on = bench.command(.changeDevice(["location": "on"]))
    #expect(needs(on) == [LocationNeeds(places: true)])
    let denied = bench.command(
      .changeSettings(app: ModelBench.burger.text, ["location": "denied"]))
    #expect(needs(denied) == [LocationNeeds()])
  }

  @Test func `a response to a place's notification is not sent again after access was withdrawn`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    _ = bench.connect()
    let app = ModelBench.burger.text
    bench.command(.changeSettings(app: app, ["location": "whenInUse"]))
    bench.command(.setPlace(latitude: 0, longitude: 2.29))
    bench.ask(
      connection, .add(ModelBench.request(trigger: .region(Self.region(), repeats: false))))
    bench.command(.setPlace(latitude: 48.86, longitude: 2.29))
    let asked = bench.respond("n", PersonAction("ACCEPT")).asked
    #expect(asked.count == 1)
    bench.command(.changeSettings(app: app, ["location": "denied"]))
    // The instance that received the response disconnects without answering it. Another instance is running.
    let effects = bench.handle(
      .appDisconnected(asked.first?.0.connection ?? connection))
    #expect(effects.asked.isEmpty && effects.contains(.log(.placeWithheld(ResponseTests.key()))))
    #expect(bench.disk.keys(.responses).isEmpty)
  }
}
