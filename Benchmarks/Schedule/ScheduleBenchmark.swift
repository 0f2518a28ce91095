import Scheduling
import Foundation
import Storage

/// A benchmark of the schedule.
///
/// It compares the cost of computing next dates with Foundation's cost, and measures the cost of firing one entry in
/// schedules of ten to a million entries.
@main
struct ScheduleBenchmark {
  static func main() throws {
    let isQuick = CommandLine.arguments.contains("--quick")
    var report: [String: Any] = [:]
    report["nextDate"] = NextDates.measure()
    report["firing"] = try Firings.measure(large: isQuick ? 100_000 : 1_000_000)
    let data = try JSONSerialization.data(
      withJSONObject: report, options: [.prettyPrinted, .sortedKeys])
    let folder = URL(filePath: "Benchmarks/results")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try data.write(to: folder.appending(path: "local-schedule.json"))
  }

  /// Returns the time, in nanoseconds, that one call of `body` takes: the best of five rounds.
  static func nanoseconds(times: Int, _ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<5 {
      let start = ContinuousClock.now
      for _ in 0..<times { try body() }
      let spent = (ContinuousClock.now - start).components
      best = min(
        best, (Double(spent.attoseconds) / 1e9 + Double(spent.seconds) * 1e9) / Double(times))
    }
    return best
  }
}

/// A comparison of Belfry's search with `Calendar.nextDate`; both search for the same dates.
private enum NextDates {
  private static let questions = [
    "hour=9", "weekday=2 hour=9", "day=15 hour=9 minute=30", "month=12 day=25",
    "weekday=2 weekdayOrdinal=1 hour=8", "weekOfYear=10 weekday=2", "minute=30",
    "year=2030 month=6 day=1 hour=12", "month=2 day=29", "day=31 hour=9",
  ]

  static func measure() -> [[String: Any]] {
    print("next date, Europe/Paris            ours ns   Foundation ns   ratio")
    guard let bytes = try? Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Paris")),
      let zone = try? ZoneFile.read([UInt8](bytes).span, name: "Europe/Paris")
    else { return [] }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "Europe/Paris") ?? .gmt
    return questions.compactMap { text in
      guard let match = try? CalendarMatch(matching: text) else { return nil }
      let components = components(match)
      var at = 1_790_000_000
      let ours = ScheduleBenchmark.nanoseconds(times: 20_000) {
        at += 86_413
        if match.next(after: at, in: zone) == nil { at = 1_790_000_000 }
        if at > 1_880_000_000 { at = 1_790_000_000 }
      }
      at = 1_790_000_000
      let theirs = ScheduleBenchmark.nanoseconds(times: 200) {
        at += 86_413
        let now = Date(timeIntervalSince1970: Double(at))
        let next = calendar.nextDate(
          after: now, matching: components, matchingPolicy: .nextTime, repeatedTimePolicy: .first)
        if next == nil || at > 1_880_000_000 { at = 1_790_000_000 }
      }
      print(
        text.padding(toLength: 34, withPad: " ", startingAt: 0),
        String(format: "%8.0f %12.0f %9.1f", ours, theirs, theirs / ours))
      return ["match": text, "oursNs": ours, "foundationNs": theirs]
    }
  }

  private static func components(_ match: CalendarMatch) -> DateComponents {
    var components = DateComponents()
    components.year = match[.year]
    components.month = match[.month]
    components.day = match[.day]
    components.hour = match[.hour]
    components.minute = match[.minute]
    components.weekday = match[.weekday]
    components.weekdayOrdinal = match[.weekdayOrdinal]
    components.weekOfYear = match[.weekOfYear]
    return components
  }
}

/// A measurement of firings.
///
/// A firing takes the entry that is due, computes its next date, and stores the entry in one durable transaction.
///
/// The schedules of different sizes take turns, so that other activity on the machine affects all of them. Every commit
/// counts, including the commits that move the write-ahead log into the file.
private final class Firings {
  private struct World: ScheduleWorld {
    let deviceZone: Zone
    func zone(named name: String) -> Zone? { nil }
    func calendar(named name: String) -> (any CalendarSystem)? { nil }
  }

  private static let turns = 40
  private static let firingsATurn = 100

  private let count: Int
  private var schedule: Schedule<World>
  private var now = ScheduleMoment(wall: 1_790_000_000_000, elapsed: 0)
  private let folder: String
  private let store: SQLiteRecordStore
  private let memory: Double
  /// The nanoseconds that all firings have taken so far: `engine` counts only the decisions, and `whole` includes the
  /// disk.
  private var engine = 0.0
  private var whole: [Double] = []

  static func measure(large: Int) throws -> [[String: Any]] {
    print("\nfiring                   engine µs   with disk µs: mean    median   resident MiB")
    let all = try Set([10, 100_000, large]).sorted().map(Firings.init)
    for turn in 0..<turns {
      // Each turn begins with a different size.
      for index in all.indices { try all[(index + turn) % all.count].take() }
    }
    let rows = all.map(\.row)
    if let first = rows.first, let last = rows.last {
      func ratio(_ key: String) -> Double {
        (last[key] as? Double ?? 0) / (first[key] as? Double ?? 1)
      }
      print(
        String(
          format: "%d : 10    engine × %.2f    with disk × %.2f, median × %.2f", large,
          ratio("engineMicros"), ratio("wholeMicros"), ratio("wholeMedianMicros")))
    }
    return rows
  }

  private init(_ count: Int) throws {
    self.count = count
    let bytes = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Paris"))
    let zone = try ZoneFile.read([UInt8](bytes).span, name: "Europe/Paris")
    let before = Self.resident()
    var schedule = Schedule(world: World(deviceZone: zone))
    var entries: [ScheduleEntry] = []
    for number in 0..<count {
      var match = CalendarMatch()
      match[.hour] = number % 24
      match[.minute] = number / 24 % 60
      match[.second] = number / 1_440 % 60
      entries.append(
        ScheduleEntry(
          key: ScheduleKey(app: "org.example.app\(number / 64)", id: "reminder-\(number)"),
          trigger: .calendar(match, repeats: true), since: now.wall, handled: now.wall,
          order: UInt64(number)))
    }
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    store = try SQLiteRecordStore(path: folder + "/agent.sqlite")
    try store.commit(entries.map(Self.put))
    _ = schedule.restore(entries, at: now)
    entries = []
    memory = Self.resident() - before
    self.schedule = schedule
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func take() throws {
    for _ in 0..<Self.firingsATurn {
      let start = ContinuousClock.now
      let entry = fire()
      let decided = ContinuousClock.now
      if let entry { try store.commit([Self.put(entry)]) }
      engine += Self.nanoseconds(decided - start)
      whole.append(Self.nanoseconds(ContinuousClock.now - start))
    }
  }

  private var row: [String: Any] {
    let sorted = whole.sorted()
    let mean = whole.reduce(0, +) / Double(max(whole.count, 1)) / 1_000
    let median = (sorted.isEmpty ? 0 : sorted[sorted.count / 2]) / 1_000
    let engine = engine / Double(max(whole.count, 1)) / 1_000
    print(
      "\(count)".padding(toLength: 22, withPad: " ", startingAt: 0),
      String(format: "%10.2f %20.1f %10.1f %12.1f", engine, mean, median, memory))
    return [
      "entries": count, "engineMicros": engine, "wholeMicros": mean, "wholeMedianMicros": median,
      "residentMiB": memory,
    ]
  }

  /// Advances the clock to the next due time and fires the entry that is due.
  private func fire() -> ScheduleEntry? {
    if let wall = schedule.wakeUp.wall, wall > now.wall { now.wall = wall }
    if case .fire(let firing) = schedule.step(at: now) { return firing.remaining }
    return nil
  }

  private static func nanoseconds(_ duration: Duration) -> Double {
    let spent = duration.components
    return Double(spent.attoseconds) / 1e9 + Double(spent.seconds) * 1e9
  }

  private static func put(_ entry: ScheduleEntry) -> SQLiteRecordStore.Change {
    // The value is as long as the agent's record, and always differs, because SQLite doesn't write unchanged data.
    let handled = (0..<24).map { UInt8(truncatingIfNeeded: entry.handled >> Int64($0 % 8 * 8)) }
    return .put(
      collection: "schedule", key: "\(entry.key.app)\n\(entry.key.id)",
      value: handled + entry.trigger.bytes)
  }

  private static func resident() -> Double {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 256
  }
}
