import BelfryWire
import AppWire
import Testing

@testable import Agent

@Suite("Files of attachments, as long as a notification has them")
struct AttachmentFilesTests {
  private static let app = ModelBench.burger

  private static func request(
    _ id: String, _ files: [String], inSeconds seconds: Double? = nil, repeats: Bool = false
  ) -> NotificationRequest {
    var request = ModelBench.request(
      id, trigger: seconds.map { .interval(seconds: $0, repeats: repeats) })
    request.content.attachments = files.map {
      NotificationAttachment(id: "picture", path: "/store/\($0)", type: "public.png")
    }
    return request
  }

  @Test
  func `a file goes with its notification, from the list or from the schedule`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(Self.request("shown", ["a", "b"])))
    bench.ask(connection, .add(Self.request("later", ["c"], inSeconds: 60)))
    #expect(bench.ask(connection, .removeDelivered(["shown"])).deleted == ["/store/a", "/store/b"])
    #expect(bench.ask(connection, .removePending(["later"])).deleted == ["/store/c"])
    #expect(bench.ask(connection, .removePending(nil)).deleted.isEmpty)
  }

  @Test
  func `a file stays while the notification goes from the schedule into the list and to the app`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(Self.request("n", ["a"], inSeconds: 5)))
    bench.move(to: bench.now + 5_000)
    #expect(bench.handle(.scheduleDue).presented.count == 1)
    #expect(bench.take().deleted.isEmpty)
    let effects = bench.respond("n", .open)
    #expect(effects.deleted.isEmpty)
    let (question, _) = try #require(effects.asked.first)
    #expect(bench.handle(.appReplied(question, .handled)).deleted == ["/store/a"])
  }

  @Test
  func `one that repeats has its file as long as it waits`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(Self.request("n", ["a"], inSeconds: 60, repeats: true)))
    bench.move(to: bench.now + 60_000)
    bench.handle(.scheduleDue)
    #expect(bench.ask(connection, .removeDelivered(nil)).deleted.isEmpty)
    #expect(bench.ask(connection, .removePending(nil)).deleted == ["/store/a"])
  }

  @Test
  func `the same name replaces, and a file that the newer one has again stays`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(Self.request("n", ["a", "b"])))
    #expect(bench.ask(connection, .add(Self.request("n", ["b", "c"]))).deleted == ["/store/a"])
    bench.ask(connection, .add(Self.request("w", ["d"], inSeconds: 60)))
    let effects = bench.ask(connection, .add(Self.request("w", ["e"], inSeconds: 60)))
    #expect(effects.deleted == ["/store/d"])
  }

  @Test
  func `a notification that is not shown keeps no file, and removing an app deletes all its files`()
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(.changeSettings(app: Self.app.text, ["alert": "off"]))
    #expect(bench.ask(connection, .add(Self.request("n", ["a"]))).deleted == ["/store/a"])
    #expect(
      bench.command(.removeApp(Self.app.text)).contains(
        .deleteAttachments(Self.app, paths: nil)))
  }

  @Test
  func `a new file trims the app's folder, with the files of the oldest notification first`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(Self.request("one", ["a"])))
    let effects = bench.ask(connection, .add(Self.request("two", ["b"])))
    #expect(effects.contains(.trimAttachments(Self.app, used: ["/store/a", "/store/b"])))
    #expect(
      !bench.ask(connection, .add(ModelBench.request("three"))).contains { effect in
        if case .trimAttachments = effect { true } else { false }
      })
  }

  @Test
  func `lines tell the attachments of what is shown, unless its texts are hidden`() throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    let shown = try #require(
      bench.ask(connection, .add(Self.request("n", ["a"]))).presented.first)
    let expected: JSONValue = [
      ["id": "picture", "path": "/store/a", "type": "public.png"]
    ]
    #expect(shown.json["attachments"] == expected)
    #expect(bench.center().map { $0["attachments"] } == [expected])
    bench.command(.changeSettings(app: Self.app.text, ["previews": "never"]))
    let hidden = try #require(
      bench.ask(connection, .add(Self.request("m", ["b"]))).presented.first)
    #expect(hidden.json["attachments"] == [])
  }

  @Test func `a command's notification loses its files if the user postpones the decision`() {
    let bench = ModelBench(policy: .ask)
    bench.command(.notify(app: Self.app.text, Self.request("n", ["a"])))
    bench.postponePrompt()
    #expect(bench.take().deleted == ["/store/a"])
  }
}

extension [AgentEffect] {
  /// The paths of the files to delete.
  var deleted: [String] {
    flatMap { effect -> [String] in
      if case .deleteAttachments(_, let paths) = effect { paths ?? [] } else { [] }
    }
  }
}
