import AppWire
import Testing

@testable import Agent

/// Tests of the strings that apps and extensions read in a push that contains keys.
@Suite struct LocalizedEventTests {
  private static let texts = ["EXPIRES": "Eggs expire soon"]
  private static let localized = NotificationText(key: "EXPIRES", text: "Eggs expire soon")

  private static func payload(_ members: String = "") -> String {
    #"{"aps":{"alert":{"title-loc-key":"EXPIRES","body":"EXPIRES"}\#(members)}}"#
  }

  @Test func `An app in the foreground reads the string of a push, not its key`() throws {
    let bench = ModelBench(texts: Self.texts)
    let connection = bench.authorized(state: .foreground)
    let effects = bench.push(Self.payload())
    let asked: [NotificationContent] = effects.asked.compactMap { _, event in
      if case .willPresent(let notification) = event { notification.request.content } else { nil }
    }
    #expect(asked.map(\.title) == [Self.localized])
    // A text that is not a key is never looked up.
    #expect(asked.map(\.body) == ["EXPIRES"])
    let (question, _) = try #require(effects.asked.first)
    bench.handle(.appReplied(question, .present([.banner, .list])))
    let answer = try #require(bench.ask(connection, .delivered).answers.first)
    #expect(try answer.delivered().map(\.request.content.title) == [Self.localized])
  }

  @Test func `A service extension reads the string of a push, and can change it`() throws {
    let bench = ModelBench(texts: Self.texts)
    _ = bench.authorized()
    bench.install {
      $0.executable = nil
      $0.serviceExtension = "/opt/extension"
    }
    let order = try #require(
      bench.push(Self.payload(#","mutable-content":1"#)).extensions.first)
    let (_, greeted) = bench.connect(role: .serviceExtension, launch: order.token)
    let (question, event) = try #require(greeted.asked.first)
    guard case .extend(let request, _) = event else {
      Issue.record("the extension was not asked: \(event)")
      return
    }
    #expect(request.content.title == Self.localized)
    var content = request.content
    content.title = NotificationText("\(content.title.text) [modified]")
    let shown = bench.handle(.appReplied(question, .content(content))).presented
    #expect(shown.map(\.title) == ["Eggs expire soon [modified]"])
  }

  @Test func `An app's own notification is delivered with the text that the app added`() throws {
    let bench = ModelBench(texts: Self.texts)
    let connection = bench.authorized()
    var request = ModelBench.request()
    request.content.title = NotificationText(key: "EXPIRES", text: "Bald abgelaufen")
    bench.ask(connection, .add(request))
    let answer = try #require(bench.ask(connection, .delivered).answers.first)
    #expect(try answer.delivered().map(\.request.content.title) == [request.content.title])
  }
}
