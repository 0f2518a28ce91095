/// Durations in human-readable form: `90`, `4m`, `1h30m`, `1.5h`, `2d`.
enum DurationText {
  static let wanted = "a number of seconds, or a duration such as 90s, 4m, 1h30m or 2d"

  /// Returns the number of seconds that the text represents, or nil if the text isn't a duration.
  static func seconds(_ text: String) -> Double? {
    if let seconds = plainNumber(text[...]) { return seconds }
    var rest = text.lowercased()[...]
    var total = 0.0
    var smallest = Double.infinity
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isNumber || $0 == "." }
      rest = rest.dropFirst(digits.count)
      let letters = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(letters.count)
      // Each unit must be smaller than the previous one, so that a typo isn't accepted as a duration.
      guard let count = plainNumber(digits), let unit = units[String(letters)], unit < smallest
      else {
        return nil
      }
      smallest = unit
      total += count * unit
    }
    return smallest < .infinity ? total : nil
  }

  private static let units: [String: Double] = [
    "ms": 0.001, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800,
  ]

  /// Parses a number without an exponent, a sign, or a name, all of which `Double` would also accept.
  private static func plainNumber(_ text: Substring) -> Double? {
    guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
    return Double(text)
  }
}
