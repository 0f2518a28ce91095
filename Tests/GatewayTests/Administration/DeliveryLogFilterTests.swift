import PushWire
import Testing

@testable import Gateway

/// Tests of the filters by which the console and scripts select lines of the delivery log.
@Suite struct DeliveryLogFilterTests {
  private static let line = DeliveryLogLine(
    atMilliseconds: 1_000, state: "Refused", reason: "BadDeviceToken",
    id: NotificationID(high: 0xABCD, low: 1), uniqueID: NotificationID(high: 2, low: 0xEF),
    device: 42, topic: "com.example.App", pushType: .background)

  @Test(
    arguments: [
      ([], true), ([("topic", "com.example.App")], true), ([("topic", "example.app")], true),
      ([("topic", "com.example.App2")], false), ([("reason", "devicetoken")], true),
      ([("state", "Refused")], true), ([("state", "Sent")], false),
      ([("reason", "BadDeviceToken")], true), ([("reason", "BadTopic")], false),
      ([("type", "background")], true), ([("type", "alert")], false),
      ([("device", "42")], true), ([("device", "4")], false),
      ([("since", "1000")], true), ([("since", "1001")], false),
      ([("until", "1001")], true), ([("until", "1000")], false),
      ([("q", "EXAMPLE.app")], true), ([("q", "baddevice")], true), ([("q", "42")], true),
      ([("q", "abcd-0000")], true), ([("q", "00ef")], true), ([("q", "nothing")], false),
      ([("q", String(repeating: "a", count: 128))], false),
      ([("topic", "com.example.App"), ("state", "Sent")], false), ([("topic", "")], true),
    ] as [([(String, String)], Bool)])
  func `a line meets all conditions of a filter`(
    query: [(String, String)], isMatch: Bool
  ) throws {
    let filter = try DeliveryLogFilter(query: query.map { (name: $0.0, value: $0.1) })
    #expect(filter.matches(Self.line) == isMatch)
  }

  @Test(arguments: [
    ("type", "nothing"), ("device", "-1"), ("device", "x"), ("since", "now"), ("until", "-1"),
    ("q", String(repeating: "a", count: 129)), ("state", "sent"), ("state", "Discarded"),
  ])
  func `a condition that no line can have is refused`(name: String, value: String) {
    #expect(throws: AdministrationFailure.self) {
      _ = try DeliveryLogFilter(query: [(name: name, value: value)])
    }
  }

  @Test
  func `a wrong state is refused with the states that lines can have`() throws {
    let failure = #expect(throws: AdministrationFailure.self) {
      _ = try DeliveryLogFilter(query: [(name: "state", value: "Delivered")])
    }
    for state in DeliveryState.allCases {
      #expect(failure?.advice.contains(state.label) == true, "\(state)")
      #expect(try DeliveryLogFilter(query: [(name: "state", value: state.label)]).state != nil)
    }
    for state in ["Refused", "Relayed", "Unknown"] {
      #expect(failure?.advice.contains(state) == true, "\(state)")
    }
  }

  @Test
  func `a topic that looks the same but has other bytes does not match`() throws {
    var line = Self.line
    line.topic = "com.example.caf\u{E9}"
    for (topic, isMatch) in [("com.example.caf\u{E9}", true), ("com.example.cafe\u{301}", false)] {
      let filter = try DeliveryLogFilter(query: [(name: "topic", value: topic)])
      #expect(filter.matches(line) == isMatch)
    }
  }

  @Test
  func `a line without a reason, a type or a unique ID does not match them`() throws {
    var line = Self.line
    (line.reason, line.pushType, line.uniqueID) = (nil, nil, nil)
    for query in [("reason", "BadDeviceToken"), ("type", "background"), ("q", "00ef")] {
      #expect(!(try DeliveryLogFilter(query: [(name: query.0, value: query.1)])).matches(line))
    }
  }
}
