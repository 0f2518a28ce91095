/// The rules that select a plural form for a number: the cardinal rules of CLDR 45 for integers and, where they differ,
/// for numbers with a fraction.
public enum PluralRule {
  /// The plural forms; the names are those in `.stringsdict` files.
  public enum Form: String, Sendable, CaseIterable {
    case zero, one, two, few, many, other
  }

  /// The maximum number of bytes in an argument that is treated as a number: more than the decimal digits of any 64-bit
  /// number.
  ///
  /// Without this limit, a string that uses the same long argument many times to select a form would take a long time
  /// to process.
  private static let numberBytesMax = 64

  /// Returns the plural form for an argument; `other` if the argument is not a number.
  public static func form(of argument: String, language: String) -> Form {
    guard argument.utf8.count <= numberBytesMax else { return .other }
    let code = String(decoding: language.utf8.prefix { !"-_".utf8.contains($0) }, as: UTF8.self)
      .lowercased()
    let isNegative = argument.utf8.first == UInt8(ascii: "-")
    let number = Substring(isNegative ? argument.utf8.dropFirst() : argument.utf8[...])
    guard let whole = UInt64(number) else {
      return Double(number).map { fraction($0, code) } ?? .other
    }
    return form(whole, code)
  }

  /// Returns true if an argument is a number.
  public static func isNumber(_ argument: String) -> Bool {
    argument.utf8.count <= numberBytesMax && Double(argument) != nil
  }

  private static func fraction(_ number: Double, _ code: String) -> Form {
    switch code {
    case "fr", "pt", "hy", "ff", "kab": number < 2 ? .one : .other
    case "cs", "sk", "lt": .many
    case "lv": .other
    default: .other
    }
  }

  private static func form(_ n: UInt64, _ code: String) -> Form {
    let (ten, hundred) = (n % 10, n % 100)
    switch code {
    case "ja", "ko", "zh", "vi", "th", "id", "in", "ms", "lo", "my", "km", "bo", "dz", "jv", "su",
      "to", "wo", "yo":
      return .other
    case "fr", "pt", "hy", "ff", "kab", "hi", "bn", "gu", "kn", "fa", "zu", "am", "as":
      return n <= 1 ? .one : .other
    case "ak", "ln", "mg", "pa", "ti", "wa", "fil", "tl":
      return tagalogLike(n, code)
    case "ru", "uk", "be":
      if ten == 1 && hundred != 11 { return .one }
      if (2...4).contains(ten) && !(12...14).contains(hundred) { return .few }
      return .many
    case "sr", "hr", "bs", "sh":
      if ten == 1 && hundred != 11 { return .one }
      if (2...4).contains(ten) && !(12...14).contains(hundred) { return .few }
      return .other
    case "pl":
      if n == 1 { return .one }
      return (2...4).contains(ten) && !(12...14).contains(hundred) ? .few : .many
    case "cs", "sk": return n == 1 ? .one : (2...4).contains(n) ? .few : .other
    case "sl":
      return hundred == 1
        ? .one : hundred == 2 ? .two : hundred == 3 || hundred == 4 ? .few : .other
    case "lt":
      if (11...19).contains(hundred) || ten == 0 { return .other }
      return ten == 1 ? .one : .few
    case "lv":
      if ten == 0 || (11...19).contains(hundred) { return .zero }
      return ten == 1 && hundred != 11 ? .one : .other
    case "ro", "mo":
      if n == 1 { return .one }
      return n == 0 || (1...19).contains(hundred) ? .few : .other
    case "ar", "ars":
      return arabic(n, hundred)
    case "he", "iw": return n == 1 ? .one : n == 2 ? .two : .other
    case "ga":
      return n == 1
        ? .one : n == 2 ? .two : n < 7 && n > 2 ? .few : (7...10).contains(n) ? .many : .other
    case "cy": return [.zero, .one, .two, .few][safe: n] ?? (n == 6 ? .many : .other)
    case "mt":
      if n == 1 { return .one }
      if n == 2 { return .two }
      if n == 0 || (3...10).contains(hundred) { return .few }
      return (11...19).contains(hundred) ? .many : .other
    case "mk", "is": return ten == 1 && hundred != 11 ? .one : .other
    default: return n == 1 ? .one : .other
    }
  }

  private static func tagalogLike(_ n: UInt64, _ code: String) -> Form {
    guard code == "fil" || code == "tl" else { return n <= 1 ? .one : .other }
    return [4, 6, 9].contains(n % 10) ? .other : .one
  }

  private static func arabic(_ n: UInt64, _ hundred: UInt64) -> Form {
    switch n {
    case 0: return .zero
    case 1: return .one
    case 2: return .two
    default:
      return (3...10).contains(hundred) ? .few : hundred >= 11 ? .many : .other
    }
  }
}

extension Array {
  fileprivate subscript(safe position: UInt64) -> Element? {
    Int(exactly: position).flatMap { indices.contains($0) ? self[$0] : nil }
  }
}
