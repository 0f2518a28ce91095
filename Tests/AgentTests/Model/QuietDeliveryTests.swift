import AppWire
import Testing

@testable import Agent

@Suite("What comes without a banner")
struct QuietDeliveryTests {
  private func groups(_ bench: ModelBench) -> [CenterGroup] { bench.model.centerGroups }

  @Test
  func `client-api 3.33: provisional notifications are listed but not presented`() {
    let bench = ModelBench()
    let connection = bench.authorized(options: [.alert, .sound, .provisional])
    let effects = bench.ask(connection, .add(ModelBench.request(sound: true)))
    #expect(effects.presented.isEmpty && effects.sounds == 0)
    #expect(effects.listed.map(\.key.id) == ["n"])
    #expect(groups(bench).map(\.isProvisional) == [true])
  }

  @Test(arguments: [1, 2])
  func `a listed notification is withdrawn even if its replacement was never presented`(
    replacements: Int
  ) {
    let bench = ModelBench()
    let connection = bench.authorized(options: [.alert, .provisional])
    bench.ask(connection, .add(ModelBench.request()))
    bench.ask(connection, .setState(.foreground))
    for _ in 0..<replacements {
      // The app does not answer the question about its presentation options.
      #expect(bench.ask(connection, .add(ModelBench.request())).asked.count == 1)
    }
    #expect(bench.ask(connection, .removeDelivered(["n"])).withdrawn == [ResponseTests.key()])
  }

  @Test(arguments: ["focus", "style"])
  func `notifications that a focus or the alert style suppresses are listed`(what: String) {
    let bench = ModelBench()
    let connection = bench.authorized()
    if what == "focus" {
      bench.command(.state(["focus": "on"]))
    } else {
      bench.command(.changeSettings(app: "\(ModelBench.burger)", ["style": "none"]))
    }
    let effects = bench.ask(connection, .add(ModelBench.request()))
    #expect(effects.presented.isEmpty)
    #expect(effects.listed.map(\.title) == ["T"])
    #expect(groups(bench).first?.threads.first?.items.map(\.key.id) == ["n"])
  }

  @Test
  func `a notification that is presented or excluded from the list is not reported as listed`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    #expect(bench.ask(connection, .add(ModelBench.request())).listed.isEmpty)
    bench.command(
      .changeSettings(app: "\(ModelBench.burger)", ["style": "none", "center": "off"]))
    #expect(bench.ask(connection, .add(ModelBench.request("o"))).listed.isEmpty)
  }

  @Test(arguments: [true, false])
  func `client-api 3.33: the user can keep quiet notifications or turn them off`(isKept: Bool)
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized(options: [.alert, .provisional])
    bench.ask(connection, .add(ModelBench.request()))
    let effects = bench.handle(.provisionalDecided(ModelBench.burger, isKept: isKept))
    #expect(effects.told.count == 1)
    #expect(
      bench.settings()["authorization"] == .string(isKept ? "authorized" : "denied"))
    #expect(groups(bench).map(\.isProvisional) == [false])
    // The question has been answered, so a second press of a button changes nothing.
    #expect(bench.handle(.provisionalDecided(ModelBench.burger, isKept: !isKept)).isEmpty)
    #expect(
      bench.settings()["authorization"] == .string(isKept ? "authorized" : "denied"))
  }

  @Test func `the Notification Center shows the newest, and hidden texts are hidden there`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    for number in 1...3 {
      bench.ask(connection, .add(ModelBench.request("\(number)", title: "T\(number)")))
    }
    let titles = { groups(bench).flatMap(\.threads).flatMap(\.items).map(\.title) }
    #expect(titles() == ["T3", "T2", "T1"])
    bench.command(.changeSettings(app: "\(ModelBench.burger)", ["previews": "never"]))
    #expect(titles() == ["", "", ""])
  }

  @Test
  func `a row of the Notification Center has the app's name, its permission and all actions`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(
      connection,
      .setCategories([
        NotificationCategory(
          id: "C",
          actions: [
            NotificationAction(id: "R", title: "Reply", textInput: .init(placeholder: "Answer")),
            NotificationAction(id: "D", title: "Delete", options: [.destructive]),
            NotificationAction(id: "L", title: "Later"),
          ])
      ]))
    bench.ask(connection, .add(ModelBench.request(category: "C")))
    let row = try #require(bench.center().first)
    #expect(row["name"] == .string(ModelBench.burger.text))
    #expect(row["authorization"] == "authorized")
    #expect(
      row["actions"] == [
        ["id": "R", "title": "Reply", "destructive": false, "placeholder": "Answer"],
        ["id": "D", "title": "Delete", "destructive": true],
        ["id": "L", "title": "Later", "destructive": false],
      ])
  }

  @Test func `the window is opened on the display of who asks`() {
    let bench = ModelBench()
    let effects = bench.command(.openCenter(["DISPLAY": ":7"]))
    #expect(
      effects.contains {
        if case .openCenter(_, ["DISPLAY": ":7"]) = $0 { true } else { false }
      })
  }
}

extension [AgentEffect] {
  fileprivate var listed: [Presentation] {
    compactMap { if case .list(let presentation) = $0 { presentation } else { nil } }
  }
}
