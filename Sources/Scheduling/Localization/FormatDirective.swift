/// A directive in a localized string: the supported part of the text that follows a percent sign.
///
/// The syntax is ASCII, so the parser reads bytes. A comparison of characters would normalize a run of combining marks,
/// which takes quadratic time.
public struct FormatDirective: Sendable {
  /// The way in which the directive uses the argument.
  public enum Use: Sendable, Equatable {
    case text, number
    /// `%#@name@`: the range of the variable's name in the format's bytes.
    case variable(name: Range<Int>)
  }

  /// The index of the argument that the directive specifies, from 0; nil if the directive uses the next argument.
  public let position: Int?
  /// The way in which the directive uses the argument.
  public let use: Use
  /// The range of the directive's flags, width, and precision.
  public let form: Range<Int>
  /// The index of the byte after the directive.
  public let end: Int

  /// Parses the directive whose percent sign is just before `start`.
  ///
  /// Returns nil if there is no directive.
  public init?(_ format: [UInt8], at start: Int) {
    var at = start
    func byte(_ index: Int) -> UInt8? { index < format.count ? format[index] : nil }
    func skip(_ isSkipped: (UInt8) -> Bool) {
      while let next = byte(at), isSkipped(next) { at += 1 }
    }
    skip(Self.isDigit)
    if byte(at) == UInt8(ascii: "$"), let number = Self.number(format[start..<at]), number > 0 {
      position = number - 1
      at += 1
    } else {
      position = nil
      at = start
    }
    let name = at + 2
    if byte(at) == UInt8(ascii: "#"), byte(at + 1) == UInt8(ascii: "@"),
      let close = format[name...].firstIndex(of: UInt8(ascii: "@"))
    {
      use = .variable(name: name..<close)
      form = at..<at
      end = close + 1
      return
    }
    let formStart = at
    skip { Self.flags.contains($0) }
    skip { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
    form = formStart..<at
    skip { Self.lengths.contains($0) }
    guard let conversion = byte(at) else { return nil }
    if Self.texts.contains(conversion) {
      use = .text
    } else if Self.numbers.contains(conversion) {
      use = .number
    } else {
      return nil
    }
    end = at + 1
  }

  private static let flags = Array("-+0#'".utf8)
  private static let lengths = Array("hlqLztj".utf8)
  private static let texts = Array("@cCsS".utf8)
  private static let numbers = Array("dDiuUxXoOfFeEgGaA".utf8)

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Parses digits as a number.
  ///
  /// Returns nil for an empty slice, or if the number is larger than any argument index.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty else { return nil }
    var number = 0
    for digit in digits {
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
      guard number <= 1_000_000_000 else { return nil }
    }
    return number
  }
}
