import Agent
import BelfryWire
import AppWire
import Scheduling

/// Extreme inputs from apps and providers: the largest sizes and numbers, strings that are equal only after Unicode
/// normalization, and strings that take a long time to normalize.
enum SimulatedExtremes {
  /// Two identifiers that `String` considers equal.
  static let twins = ["n-caf\u{E9}", "n-cafe\u{301}"]

  /// An identifier of the maximum length.
  static let longestID = "n-" + CostGrowth.combiningMarks(WireLimits.identifierBytesMax - 2)

  /// Sets fields to extreme values, except those whose values the ledgers predict.
  static func widen(_ content: inout NotificationContent, in world: AgentSimulation) {
    let marks = CostGrowth.combiningMarks(world.pick([1, 255, 4_095]))
    content.subtitle = NotificationText(marks)
    content.actionTitle = NotificationText(
      key: "%1$@%1$@%2$ld\(marks)", arguments: [String](repeating: marks, count: 8))
    content.thread = marks
    content.targetContent = marks
    content.filterCriteria = marks
    content.launchImage = marks
    content.relevance = world.pick([
      -.greatestFiniteMagnitude, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ])
    content.badge = world.pick([.max, .min, nil])
    content.userInfo[marks] = .string(marks)
    content.userInfo["\u{E9}"] = .integer(.max)
    content.userInfo["e\u{301}"] = .integer(.min)
    content.sound = NotificationSound(
      name: marks, isCritical: true, volume: world.pick([-1, .greatestFiniteMagnitude]))
    content.archive = [UInt8](repeating: 0xFF, count: 4_096)
  }

  /// Returns a trigger with the most extreme values that a schedule accepts.
  static func trigger(in world: AgentSimulation) -> NotificationTrigger {
    let longest = Double(ScheduleLimits.longestIntervalMilliseconds / 1_000)
    switch world.random(0...4) {
    case 0: return .interval(seconds: longest, repeats: world.chance(0.5))
    case 1:
      return .date(
        unixMilliseconds: world.pick([-377_000_000_000_000, 253_000_000_000_000]), zone: nil,
        recurrence: world.pick([nil, .unit(4)]), recurrenceCalendar: nil)
    case 2:
      return .date(
        unixMilliseconds: world.machine.now.wall - 3_155_000_000_000, zone: "Asia/Shanghai",
        recurrence: world.pick([.unit(8), .unit(2_048), .unit(4)]), recurrenceCalendar: "chinese")
    case 3:
      return .calendar(
        MatchingComponents([.month: 2, .day: 29, .weekday: 1, .hour: 2, .minute: 30]),
        repeats: true)
    default:
      return .calendar(
        MatchingComponents([.year: 9_999, .month: 12, .day: 31, .second: 59]), repeats: false)
    }
  }

  /// Enlarges a push's `aps` dictionary so that the payload has nearly the maximum size.
  static func widen(_ payload: inout JSONObject, in world: AgentSimulation) {
    guard var aps = payload["aps"]?.objectValue else { return }
    let marks = CostGrowth.combiningMarks(world.pick([255, 1_200]))
    aps["thread-id"] = .string(marks)
    aps["badge"] = .integer(world.pick([.max, .min, 0]))
    aps["relevance-score"] = .double(1e300)
    aps[marks] = .integer(1)
    payload["aps"] = .object(aps)
    payload["\u{E9}"] = .integer(.max)
    payload["e\u{301}"] = .integer(.min)
  }
}
