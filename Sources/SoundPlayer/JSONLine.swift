/// A JSON object that keeps the order of its keys.
struct JSONLine {
  enum Value {
    case text(String)
    case number(Double)
    case truth(Bool)
    case null
  }

  private let members: [(String, Value)]

  init(_ members: [(String, Value)]) { self.members = members }

  var text: String {
    "{" + members.map { "\(Self.quoted($0)):\(Self.text($1))" }.joined(separator: ",") + "}"
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .text(let text): quoted(text)
    case .number(let number):
      number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
    case .truth(let isTrue): isTrue ? "true" : "false"
    case .null: "null"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
