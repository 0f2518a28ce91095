import BelfryWire
import Foundation
import Glibc
import System

/// The output that shows a campaign's progress to users and programs.
struct CampaignOutput {
  /// The time, in microseconds, between two queries of a campaign: short enough for a smooth progress bar.
  static let pollMicroseconds: UInt32 = 200_000
  private static let barWidth = 30

  private let id: String
  private let asJSON: Bool
  private let isTerminal: Bool
  /// The effect of Ctrl-C while the campaign is waiting.
  private let interruption: String
  private let startedAt = SystemClock.monotonicNanoseconds
  private var first: Int64?
  private var last: JSONObject?
  private var lastWait: String?
  private var hasProblem = false

  /// `isLocal` is true if this process itself sends the campaign.
  init(id: String, asJSON: Bool, isLocal: Bool) {
    self.id = id
    self.asJSON = asJSON
    interruption =
      isLocal
      ? "Ctrl-C stops sending; 'belfry campaign resume \(id)' continues the campaign"
      : "Ctrl-C ends only this command; the provider continues the campaign"
    isTerminal = !asJSON && isatty(STDERR_FILENO) == 1
    if !asJSON { Self.error("campaign \(id)\n") }
  }

  /// Shows the progress: as a JSON line for each change, as a bar on a terminal, or otherwise as a line for each wait
  /// and each problem.
  mutating func progress(_ status: JSONObject) {
    guard status != last else { return }
    last = status
    if asJSON {
      var line = status
      line["event"] = "progress"
      Output.json(.object(line))
    } else if isTerminal {
      // Print the effect of Ctrl-C once, above the progress bar.
      if lastWait == nil, let wait = Self.wait(status) {
        Self.error("\r\u{1B}[K\(interruption)\n")
        lastWait = wait
      }
      Self.error("\r\u{1B}[K" + bar(status))
    } else {
      // Without a progress bar, a campaign that waits for hours would seem to have failed.
      let wait = Self.wait(status)
      if let wait, wait != lastWait { Self.error("\(wait) (\(interruption))\n") }
      lastWait = wait
      reportProblem(status)
    }
  }

  /// Prints a line when a problem begins to delay the campaign, and a line when the problem ends.
  private mutating func reportProblem(_ status: JSONObject) {
    let problem = status["problem"]?.stringValue
    if let problem, !hasProblem {
      Self.error("the campaign is delayed: \(OutputTable.printable(problem))\n")
    } else if problem == nil, hasProblem {
      Self.error("the problem is solved\n")
    }
    hasProblem = problem != nil
  }

  /// Returns the reason that a campaign is waiting and the end of the wait; nil if the campaign isn't waiting.
  private static func wait(_ status: JSONObject) -> String? {
    guard let reason = status["waitsFor"]?.stringValue,
      let until = status["waitsUntil"]?.stringValue
    else { return nil }
    return reason == "quiet hours"
      ? "waiting for quiet hours to end at \(until)"
      : "waiting for the campaign's time in the next time zone at \(until)"
  }

  /// Shows that the campaign is complete; for a program, the last line contains the outcome.
  mutating func finish(_ status: JSONObject) {
    if isTerminal {
      Self.error("\r\u{1B}[K" + bar(status) + "\n")
    } else if !asJSON, status["state"] == "completed" {
      reportProblem(status)
    }
    func number(_ key: String) -> JSONValue { status[key] ?? .integer(0) }
    if asJSON {
      Output.json([
        "id": .string(id), "accepted": number("accepted"), "dead": number("dead"),
        "failed": number("failed"), "kept": number("kept"), "sent": number("sent"),
        "unknown": number("unknown"), "state": status["state"] ?? .null,
      ])
    } else {
      let parts = ["accepted", "dead", "failed", "unknown"].map { key in
        let kept = key == "dead" ? status["kept"]?.integerValue ?? 0 : 0
        let note = kept > 0 ? " (\(kept) kept because of a newer registration)" : ""
        return "\(number(key).text) \(key)\(note)"
      }
      Output.line(
        "\(id) \(status["state"]?.stringValue ?? "unknown"): \(parts.joined(separator: ", "))")
    }
  }

  /// Shows a campaign that isn't currently being sent.
  static func added(_ status: JSONObject, asJSON: Bool) {
    if asJSON { return Output.json(.object(status)) }
    let id = status["id"]?.stringValue ?? ""
    let name = status["name"]?.stringValue.map { " \"\($0)\"" } ?? ""
    let text: String
    if let at = status["at"]?.stringValue, status["state"] == "scheduled" {
      // A wall time doesn't end with a zone.
      let isFixed =
        at.utf8.last == UInt8(ascii: "Z")
        || at.utf8.dropFirst(16).contains { "+-".utf8.contains($0) }
      text = "scheduled for \(at)" + (isFixed ? "" : " in each device's time zone")
    } else {
      text = status["state"]?.stringValue ?? "unknown"
    }
    Output.line(OutputTable.printable("\(id)\(name) \(text)"))
  }

  /// Prints the command that starts a draft.
  static func adviseOnDraft(_ id: String) {
    error("start the draft with 'belfry campaign resume \(id)'\n")
  }

  private mutating func bar(_ status: JSONObject) -> String {
    let total = max(1, status["devices"]?.integerValue ?? 1)
    let done = (status["sent"]?.integerValue ?? 0) + (status["unknown"]?.integerValue ?? 0)
    if first == nil { first = done }
    let seconds = Double(SystemClock.monotonicNanoseconds - startedAt) / 1e9
    let rate = seconds > 0.5 ? Double(done - (first ?? 0)) / seconds : 0
    let share = min(1, Double(done) / Double(total))
    let filled = Int(share * Double(Self.barWidth))
    let bar =
      String(repeating: "█", count: filled)
      + String(repeating: "░", count: Self.barWidth - filled)
    var text = "\(bar) \(Int(share * 100))%  \(done) of \(total)  \(Int(rate))/s"
    if rate > 0, done < total { text += "  \(Self.duration(Double(total - done) / rate)) left" }
    if let wait = Self.wait(status) { text += "  \(wait)" }
    if let problem = status["problem"]?.stringValue {
      text += "  \(OutputTable.printable(problem))"
    }
    return text
  }

  private static func duration(_ seconds: Double) -> String {
    let seconds = Int(min(seconds.rounded(.up), 360_000))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return seconds >= 3_600
      ? "\(seconds / 3_600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
      : "\(seconds / 60):\(two(seconds % 60))"
  }

  // MARK: Previews

  /// Prints warnings for the user before anything is sent.
  static func warn(of preview: JSONObject) {
    guard case .array(let warnings)? = preview["warnings"] else { return }
    for warning in warnings {
      error("belfry: warning: \(OutputTable.printable(warning.stringValue ?? ""))\n")
    }
  }

  /// Returns the reasons that a campaign would not be sent, one per line.
  static func problems(of preview: JSONObject) -> [String] {
    guard case .array(let problems)? = preview["problems"] else { return [] }
    return problems.compactMap(\.objectValue).map { problem in
      let field = problem["field"]?.stringValue.map { "\($0): " } ?? ""
      let text = "\(field)\(problem["error"]?.stringValue ?? "")"
      return OutputTable.printable("\(text): \(problem["advice"]?.stringValue ?? "")")
    }
  }

  /// Reports the devices that wait for the end of quiet hours or for the campaign's time, if the campaign has them.
  static func waits(in preview: JSONObject, of campaign: JSONObject) {
    guard let devices = preview["waitingDevices"]?.integerValue, devices > 0,
      let until = preview["waitsUntil"]?.stringValue
    else { return }
    let hasTime = (campaign["at"] ?? .null) != .null
    let hasQuietHours = (campaign["quietHours"] ?? .null) != .null
    let end =
      hasQuietHours
      ? "quiet hours to end" + (hasTime ? " or for the campaign's time" : "")
      : "the campaign's time"
    error(
      "\(Output.counted(devices, "device")) \(devices == 1 ? "waits" : "wait") for \(end); "
        + "\(devices == 1 ? "it" : "the first of them") gets the campaign at \(until)\n")
  }

  /// Shows the strings that devices of each language would display, and the start of a campaign for the time `at`.
  static func show(preview: JSONObject, at: String?, asJSON: Bool) {
    func objects(_ key: String) -> [JSONObject] {
      guard case .array(let values)? = preview[key] else { return [] }
      return values.compactMap(\.objectValue)
    }
    let devices = preview["devices"] ?? .integer(0)
    if asJSON {
      for (key, event) in [("languages", "language"), ("timeZones", "timeZone")] {
        for var line in objects(key) {
          line["event"] = .string(event)
          Output.json(.object(line))
        }
      }
      Output.json([
        "id": .null, "accepted": 0, "dead": 0, "failed": 0, "sent": 0, "devices": devices,
        "dryRun": true,
      ])
      return
    }
    for line in objects("languages") {
      let alert = line["alert"]?.objectValue
      let texts = ["title", "subtitle", "body"].compactMap { alert?[$0]?.stringValue }
      let other = line["alert"] == .null ? "nothing" : line["alert"]?.text ?? ""
      let shown = texts.isEmpty ? other : texts.joined(separator: " / ")
      let language = line["language"]?.stringValue ?? "no language"
      let chosen = line["shows"]?.stringValue.map { " in \($0)" } ?? ""
      Output.line(
        "\(language): \(Output.counted(line["devices"]?.text ?? "0", "device"))\(chosen): "
          + OutputTable.printable(shown))
    }
    // A campaign whose time has passed is refused, so it has no times to show.
    let isPast = objects("problems").contains { $0["field"] == "at" }
    for line in isPast ? [] : objects("timeZones") {
      let zone = line["timeZone"]?.stringValue
      let count = Output.counted(line["devices"]?.text ?? "0", "device")
      let time = localTime(line["at"]?.stringValue ?? "", in: zone)
      Output.line("\(zone ?? "no time zone"): \(count) at \(time)")
    }
    // Without time zones, the time is the same for all devices.
    if objects("timeZones").isEmpty, let at,
      let seconds = preview["startsInSeconds"]?.integerValue, seconds > 0
    {
      Output.line("starts \(OutputTable.printable(at)) (in \(rounded(seconds)))")
    }
    Output.line("\(Output.counted(devices.text, "device")), nothing sent")
  }

  /// Returns a duration in its largest unit, such as "15 h".
  private static func rounded(_ seconds: Int64) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: Output.counted(seconds / 86_400, "day")
    }
  }

  /// Returns an RFC 3339 time as the time in a zone, with its offset, without fractions of a second.
  ///
  /// Without a zone, UTC applies. Anything else is returned unchanged.
  private static func localTime(_ text: String, in zone: String?) -> String {
    let reader = ISO8601DateFormatter()
    reader.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    guard let date = reader.date(from: text) else { return text }
    let writer = ISO8601DateFormatter()
    let local = zone.flatMap { TimeZone(identifier: $0) }
    if let local { writer.timeZone = local }
    return writer.string(from: date)
  }

  private static func error(_ text: String) {
    _ = StandardStream.error.write(text.utf8)
  }
}
