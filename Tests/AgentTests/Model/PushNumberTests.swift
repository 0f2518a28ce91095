import BelfryWire
import Testing

@testable import Agent

@Suite("Numbers in pushes that no type can hold")
struct PushNumberTests {
  private func logged(_ effects: [AgentEffect]) -> [LogEntry] {
    effects.compactMap { if case .log(let entry) = $0 { entry } else { nil } }
  }

  @Test(arguments: [
    (#"{"aps":{"alert":"A","badge":1e400}}"#, ["badge"]),
    (#"{"aps":{"alert":"A","badge":-1e400,"sound":"s"},"x":1}"#, ["badge"]),
    (#"{"aps":{"alert":"A"},"x":1e400,"y":[1e400],"z":{"w":1e999}}"#, ["x", "w"]),
    (
      #"{"aps":{"alert":{"body":"A","loc-args":[1e400]},"relevance-score":1e400}}"#,
      ["relevance-score"]
    ),
    (#"{"aps":{"alert":"A"},"digits":\#(String(repeating: "9", count: 400))}"#, ["digits"]),
  ])
  func `a number out of range is left out, and the rest is shown`(
    payload: String, keys: [String]
  ) throws {
    let bench = ModelBench()
    _ = bench.authorized()
    bench.register()
    let effects = bench.push(payload)
    #expect(effects.presented.map(\.body) == ["A"])
    #expect(effects.badges.isEmpty)
    let entries = logged(effects)
    guard case .pushValuesIgnored(ModelBench.burger, keys, _)? = entries.first, entries.count == 1
    else {
      Issue.record("unexpected log: \(entries)")
      return
    }
  }

  @Test(arguments: ["1e308", "-1", "1.5", "99999999999999999999"])
  func `a badge that no icon can show is ignored, and the log says so`(badge: String) {
    let bench = ModelBench()
    _ = bench.authorized()
    bench.register()
    let effects = bench.push(#"{"aps":{"alert":"A","badge":\#(badge)},"x":1e308}"#)
    #expect(effects.presented.map(\.body) == ["A"])
    #expect(effects.badges.isEmpty)
    let entries = logged(effects)
    guard case .pushValuesIgnored(ModelBench.burger, ["badge"], _)? = entries.first,
      entries.count == 1
    else {
      Issue.record("unexpected log: \(entries)")
      return
    }
  }

  @Test func `an app is launched with a payload that it can read`() throws {
    let bench = ModelBench()
    bench.install()
    bench.register()
    for (connection, _) in [bench.connect(state: .background)] {
      bench.ask(connection, .requestAuthorization([.alert]))
      bench.handle(.appDisconnected(connection))
    }
    let effects = bench.push(
      #"{"aps":{"alert":"A","content-available":1},"x":1e400,"y":2}"#)
    #expect(effects.presented.map(\.body) == ["A"])
    #expect(effects.launches == [.push])
    let token = try #require(effects.orders.first?.token)
    let (_, greeted) = bench.connect(launch: token)
    let payloads = greeted.asked.compactMap { _, event in
      if case .arrived(let arrival) = event { arrival.payload } else { nil }
    }
    let payload = try JSONValue(parsing: try #require(payloads.first))
    #expect(payload == ["aps": ["alert": "A", "content-available": 1], "y": 2])
  }

  @Test func `a payload that cannot be read is logged`() {
    let bench = ModelBench()
    _ = bench.authorized()
    bench.register()
    let deep = String(repeating: "[", count: 80) + String(repeating: "]", count: 80)
    let effects = bench.push(#"{"aps":{"alert":"A"},"x":\#(deep)}"#)
    #expect(effects.presented.isEmpty)
    guard case .pushUnreadable(ModelBench.burger, _)? = logged(effects).first else {
      Issue.record("unexpected log: \(effects)")
      return
    }
  }
}
