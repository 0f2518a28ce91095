import Scheduling
import Foundation
import Testing

/// Tests that compare the schedule with `scripts/schedule-oracle`: 5,000 cases here, and 100,000 with `make oracle`.
@Suite struct ScheduleOracleTests {
  @Test func `next dates are those of a day-by-day count with Python's zones`() throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["BELFRY_ORACLE_COUNT"].flatMap { Int($0) } ?? 5_000
    let seed = environment["BELFRY_ORACLE_SEED"].flatMap { Int($0) } ?? 1
    let output = try ScheduleOracle.run(seed: seed, count: count)
    guard let output else {
      #expect(environment["CI"] == nil, "python3 or tzdata is missing: install them")
      return
    }
    var oracle = try ScheduleOracle(output)
    var differences: [String] = []
    while let line = oracle.nextLine() {
      if let difference = try oracle.difference(line) { differences.append(difference) }
    }
    #expect(oracle.cases == count)
    #expect(
      differences.isEmpty,
      "\(differences.count) differences, first:\n\(differences.prefix(20).joined(separator: "\n"))")
  }
}

/// The answers of the oracle script, line by line.
private struct ScheduleOracle {
  private var lines: ArraySlice<Substring>
  private let folder: String
  private var zones: [String: Zone] = [:]
  private(set) var cases = 0

  init(_ output: String) throws {
    lines = output.split(separator: "\n")[...]
    let header = lines.popFirst()?.split(separator: "\t")
    folder = String(try #require(header?.last))
  }

  static func run(seed: Int, count: Int) throws -> String? {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../scripts/schedule-oracle").standardized
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script.path, "\(seed)", "\(count)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: output, as: UTF8.self) : nil
  }

  mutating func nextLine() -> Substring? { lines.popFirst() }

  mutating func zone(_ name: Substring) throws -> Zone {
    if let zone = zones[String(name)] { return zone }
    let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
    let zone = try ZoneFile.read([UInt8](bytes).span, name: String(name))
    zones[String(name)] = zone
    return zone
  }

  /// Compares the line with the schedule's answers; returns a description of the difference, or nil if the answers
  /// agree.
  mutating func difference(_ line: Substring) throws -> String? {
    cases += 1
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    let zone = try zone(fields[1])
    if fields[0] == "M" {
      let match = try CalendarMatch(matching: String(fields[2]))
      return compare(fields[4], line, from: try #require(Int(fields[3]))) {
        match.next(after: $0, in: zone)
      }
    }
    let world = OneZone(deviceZone: zone)
    let trigger = Trigger.moment(try start(fields[2]), every: try period(fields[3]))
    return compare(fields[5], line, from: try #require(Int(fields[4]))) {
      trigger.next(after: Int64($0), anchor: 0, in: world).map { Int($0) }
    }
  }

  private func compare(
    _ wanted: Substring, _ line: Substring, from now: Int, next: (Int) -> Int?
  ) -> String? {
    var at = now
    for answer in wanted.split(separator: ",") {
      let found = next(at)
      if answer.first == ">" {
        // The oracle searched only up to this limit and found nothing, so the schedule may find a later date.
        if let found, found <= Int(answer.dropFirst()) ?? .max { return "\(line) found \(found)" }
        return nil
      }
      guard let found, found == Int(answer) else {
        return "\(line) found \(found.map { "\($0)" } ?? "none")"
      }
      at = found
    }
    return nil
  }

  private func start(_ text: Substring) throws -> Trigger.Start {
    let value = try #require(Int(text.dropFirst()))
    return text.first == "i" ? .instant(Int64(value)) : .wall(value, .floating)
  }

  private func period(_ text: Substring) throws -> Period {
    let parts = text.split(separator: ":")
    let amount = try #require(Int(parts[1]))
    switch parts[0] {
    case "seconds": return Period(.span(months: 0, days: 0, seconds: amount))
    case "days": return Period(.span(months: 0, days: amount, seconds: 0))
    case "months": return Period(.span(months: amount, days: 0, seconds: 0))
    default: return .once
    }
  }
}

/// A device in one time zone.
struct OneZone: ScheduleWorld {
  var deviceZone: Zone
  func zone(named name: String) -> Zone? { name == deviceZone.name ? deviceZone : nil }
  func calendar(named name: String) -> (any CalendarSystem)? { nil }
}
