import Foundation

/// A filter that selects the events that a developer needs to understand a violation.
enum SimulationTrace {
  /// True if the environment variable `TRACE` requests all events of a world.
  static var isWhole: Bool { ProcessInfo.processInfo.environment["TRACE"] == "all" }

  /// Returns the lines about the push in the violation, its device, and the gateway.
  ///
  /// If the violation does not mention a push, returns the last lines about the device in the violation and the last
  /// lines overall.
  ///
  /// Returns all lines if the environment contains `TRACE=all`.
  static func relevant(
    _ lines: [String], _ violation: String?, _ ledger: DeliveryLedger
  ) -> [String] {
    guard let violation else { return [] }
    guard !isWhole else { return lines }
    let words = words(violation)
    guard let name = words.first(where: { $0.hasPrefix("#") }), let index = Int(name.dropFirst()),
      ledger.pushes.indices.contains(index)
    else { return deviceLines(lines, violation).suffix(80) + lines.suffix(80) }
    let push = ledger.pushes[index]
    let same = Set(ledger.pushes.filter { $0.target == push.target }.map { "#\($0.number)" })
    let relevant = lines.filter { line in
      guard let mark = self.words(line).first(where: { $0.hasPrefix("#") }) else { return true }
      return String(mark) == name
        || same.contains(String(mark)) && index + 12 > (Int(mark.dropFirst()) ?? 0)
    }
    guard let first = relevant.firstIndex(where: { $0.contains("\(name) to device") }) else {
      return relevant.suffix(80)
    }
    // Show the beginning, the lines about the push itself, and the end.
    let beginning = min(relevant.count, first + 60)
    let end = max(beginning, relevant.count - 60)
    return Array(relevant[max(0, first - 10)..<beginning])
      + relevant[beginning..<end].filter { $0.contains("\(name) ") || $0.contains("\(name):") }
      + relevant[end...]
  }

  /// Returns the lines about the device in the violation.
  private static func deviceLines(_ lines: [String], _ violation: String) -> [String] {
    guard let start = violation.firstRange(of: "device "),
      let number = violation[start.upperBound...].split(whereSeparator: { !$0.isNumber }).first
    else { return [] }
    return lines.filter { $0.contains("device \(number) ") }
  }

  private static func words(_ line: String) -> [String] {
    line.split(whereSeparator: { " :,".contains($0) }).map(String.init)
  }
}
