/// A detector of long runs of combining marks in text that is passed to Foundation.
///
/// Foundation normalizes strings before it compares or hashes them. The normalization takes time quadratic in the
/// length of a run, and a file from an app can contain a million marks. Stream-safe text, as Unicode defines it, has no
/// more than 30 marks in a row (Unicode Standard Annex #15).
public struct CombiningRuns {
  /// The maximum number of consecutive marks in accepted text.
  private static let marksMax = 64
  private var marks = 0

  /// True if a run was too long.
  private(set) var isLong = false

  /// Checks the next scalar of the text.
  mutating func append(_ scalar: Unicode.Scalar) {
    // U+0300 is the first combining mark of Unicode.
    let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
    marks = isMark ? marks + 1 : 0
    if marks > Self.marksMax { isLong = true }
  }

  /// Returns true if a property list, once parsed, would contain a run that is too long.
  public static func areLong(inList bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: "bplist".utf8) else { return areLong(inText: bytes) }
    // Non-ASCII strings in a binary list are big-endian UTF-16 and can start at any byte.
    return [0, 1].contains { start in
      areLong(
        inUTF16: stride(from: start, to: bytes.count - 1, by: 2).lazy.map {
          UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        })
    }
  }

  private static func areLong(inUTF16 units: some Sequence<UInt16>) -> Bool {
    var runs = CombiningRuns()
    var units = units.makeIterator()
    var decoder = UTF16()
    while true {
      switch decoder.decode(&units) {
      case .scalarValue(let scalar): runs.append(scalar)
      case .error: runs.append(" ")
      case .emptyInput: return runs.isLong
      }
    }
  }

  /// Returns true if a property list in XML or in the older text format, once parsed, would contain a run that is too
  /// long.
  private static func areLong(inText bytes: [UInt8]) -> Bool {
    var runs = CombiningRuns()
    let scalars = scalars(of: bytes)
    var at = scalars.startIndex
    func follows(_ text: String) -> Bool {
      scalars[at...].starts(with: text.unicodeScalars)
    }
    while at < scalars.endIndex {
      let scalar = scalars[at]
      switch scalar {
      case "<" where follows("<![CDATA["): at += 9
      case "]" where follows("]]>"): at += 3
      case "&" where follows("&#"):
        let isHexadecimal = follows("&#x")
        at += isHexadecimal ? 3 : 2
        append(&runs, scalars, &at, radix: isHexadecimal ? 16 : 10, digits: 8)
        if at < scalars.endIndex, scalars[at] == ";" { at += 1 }
      case "\\" where follows("\\U") || follows("\\u"):
        at += 2
        append(&runs, scalars, &at, radix: 16, digits: 4)
      default:
        runs.append(scalar)
        at += 1
      }
      if runs.isLong { return true }
    }
    return false
  }

  /// Checks a scalar that is written as a numeric reference or escape sequence.
  private static func append(
    _ runs: inout CombiningRuns, _ scalars: [Unicode.Scalar], _ at: inout Int, radix: UInt32,
    digits: Int
  ) {
    var value: UInt32 = 0
    let end = min(scalars.endIndex, at + digits)
    while at < end, let digit = Character(scalars[at]).hexDigitValue, digit < radix {
      value = value &* radix &+ UInt32(digit)
      at += 1
    }
    if let scalar = Unicode.Scalar(value) { runs.append(scalar) }
  }

  /// Returns the scalars of a text file, which is UTF-16 if it has a byte order mark.
  private static func scalars(of bytes: [UInt8]) -> [Unicode.Scalar] {
    guard bytes.count >= 2, [[0xFE, 0xFF], [0xFF, 0xFE]].contains(Array(bytes[..<2])) else {
      return Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    }
    let high = bytes[0] == 0xFE ? 0 : 1
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + 1 - high])
    }
    return Array(String(decoding: units, as: UTF16.self).unicodeScalars)
  }
}
