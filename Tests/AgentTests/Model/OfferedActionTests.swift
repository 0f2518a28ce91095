import AppWire
import Testing

@testable import Agent

@Suite("Actions that commands choose")
struct OfferedActionTests {
  @Test func `a text for an action without a text field is refused, and the notification stays`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    let category = NotificationCategory(
      id: "MESSAGE",
      actions: [
        NotificationAction(id: "ACCEPT", title: "Accept"),
        NotificationAction(id: "REPLY", title: "Reply", textInput: .init()),
      ])
    bench.ask(connection, .setCategories([category]))
    bench.ask(connection, .add(ModelBench.request(category: "MESSAGE")))
    let refused = bench.command(.act(app: nil, id: "n", action: "ACCEPT", text: "yes"))
    #expect(
      refused.refusalMessages == [
        "the action ACCEPT has no text field: remove --text, or use 'REPLY'"
      ])
    #expect(bench.center().count == 1)
    #expect(bench.command(.act(app: nil, id: "n", action: "ACCEPT", text: nil)).refusals.isEmpty)
    #expect(bench.center().isEmpty)
  }
}
