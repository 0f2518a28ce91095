extension JSONValue {
  /// The compact JSON document in UTF-8.
  public var bytes: [UInt8] {
    var output: [UInt8] = []
    append(to: &output)
    return output
  }

  /// The compact JSON document as a string.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends the compact JSON document to `output`.
  ///
  /// A number that is not finite, which JSON cannot represent, is written as `null`.
  public func append(to output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): output.append(contentsOf: String(value).utf8)
    case .double(let value):
      output.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    case .string(let value): Self.append(quoted: value, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (position, element) in elements.enumerated() {
        if position > 0 { output.append(UInt8(ascii: ",")) }
        element.append(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object): object.append(to: &output)
    }
  }

  /// Appends a quoted string in which only the characters that JSON requires are escaped.
  static func append(quoted text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): output.append(contentsOf: #"\""#.utf8)
      case UInt8(ascii: "\\"): output.append(contentsOf: #"\\"#.utf8)
      case UInt8(ascii: "\n"): output.append(contentsOf: #"\n"#.utf8)
      case UInt8(ascii: "\r"): output.append(contentsOf: #"\r"#.utf8)
      case UInt8(ascii: "\t"): output.append(contentsOf: #"\t"#.utf8)
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        output.append(contentsOf: #"\u00"#.utf8)
        output.append(digits[Int(byte >> 4)])
        output.append(digits[Int(byte & 0x0F)])
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}

extension JSONObject {
  /// The compact JSON document in UTF-8.
  public var bytes: [UInt8] {
    var output: [UInt8] = []
    append(to: &output)
    return output
  }

  /// The compact JSON document as a string.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends the compact JSON document to `output`.
  public func append(to output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    for (position, member) in members.enumerated() {
      if position > 0 { output.append(UInt8(ascii: ",")) }
      JSONValue.append(quoted: member.key, to: &output)
      output.append(UInt8(ascii: ":"))
      member.value.append(to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }
}
