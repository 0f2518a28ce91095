import AppWire
import Testing

@testable import Agent

@Suite("The size of an app's pending notifications")
struct PendingBytesTests {
  private func request(_ id: String, bytes: Int) -> AppRequest {
    var content = NotificationContent()
    content.title = "T"
    content.body = NotificationText(String(repeating: "x", count: bytes))
    return .add(
      NotificationRequest(
        id: id, content: content, trigger: .interval(seconds: 600, repeats: false)))
  }

  @Test func `large requests are accepted up to a total, which small ones may exceed`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    for number in 0..<4 {
      #expect(bench.ask(connection, request("\(number)", bytes: 1_000_000)).refusals.isEmpty)
    }
    let refused = bench.ask(connection, request("5", bytes: 900_000)).refusals
    #expect(refused == [.invalidArgument])
    #expect(bench.ask(connection, request("small", bytes: 20_000)).refusals.isEmpty)
    // A request that replaces a large request can use the space of the replaced request.
    #expect(bench.ask(connection, request("0", bytes: 900_000)).refusals.isEmpty)
  }
}
