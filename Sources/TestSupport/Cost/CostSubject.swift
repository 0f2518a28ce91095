/// A handler of untrusted bytes, paired with one kind of hostile input that can be generated in any size.
///
/// The cost per byte must not depend on the size. A cost that grows with the square of the size goes unnoticed in small
/// tests, but brings a service to a halt at the limit.
public struct CostSubject: Sendable {
  /// A handler that is ready to run.
  typealias Run = () -> Void

  /// The name of the interface and of the kind of input.
  public let name: String
  /// The size in bytes of the largest input that the interface accepts.
  public let limit: Int
  /// Generates an input of about the given size, and returns a closure that handles it.
  ///
  /// The closure can run any number of times.
  let prepare: @Sendable (_ bytes: Int) -> Run

  init(_ name: String, limit: Int, _ prepare: @escaping @Sendable (Int) -> Run) {
    self.name = name
    self.limit = limit
    self.prepare = prepare
  }

  /// All subjects of the check.
  public static var all: [CostSubject] {
    json + appLink + pushes + texts + files + registry + campaigns + requests + protocols
  }
}

/// Generators of text and JSON that an attacker could send.
enum Hostile {
  /// Returns a letter followed by combining marks of two alternating classes.
  ///
  /// Putting the marks into canonical order takes time quadratic in their number.
  static func marks(_ bytes: Int) -> String {
    "a" + CostGrowth.combiningMarks(max(4, bytes))
  }

  /// Generators of JSON objects of about a given size; each name describes what is unusual about the object.
  static let json: [(name: String, make: @Sendable (Int) -> String)] = [
    ("combining marks in a key", { #"{"\#(marks($0))":1}"# }),
    (
      "combining marks in keys of 1 KB",
      { object($0, each: 1_024) { #""\#($0)\#(marks(1_000))":1"# } }
    ),
    ("combining marks in a string", { #"{"k":"\#(marks($0))"}"# }),
    (
      "escaped combining marks in a key",
      {
        #"{"\#(String(repeating: #"\u0301\u0316"#, count: max(1, $0 / 12)))":1}"#
      }
    ),
    ("small members", { object($0, each: 10) { #""\#($0)":0"# } }),
    ("one key repeated", { object($0, each: 6) { _ in #""k":0"# } }),
    ("small strings in an array", { #"{"k":["# + list($0, each: 3) { _ in "\"\"" } + "]}" }),
    (
      "nested arrays",
      {
        let nest = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        return #"{"k":["# + list($0, each: 81) { _ in nest } + "]}"
      }
    ),
    ("digits", { #"{"k":\#(String(repeating: "7", count: max(1, $0)))}"# }),
    ("numbers with exponents", { #"{"k":[\#(list($0, each: 9) { _ in "1.5e-300" })]}"# }),
  ]

  /// Returns an object whose members each have about `each` bytes.
  static func object(_ bytes: Int, each: Int, _ member: (Int) -> String) -> String {
    "{" + list(bytes, each: each, member) + "}"
  }

  /// Returns elements separated by commas.
  static func list(_ bytes: Int, each: Int, _ element: (Int) -> String) -> String {
    (0..<max(1, bytes / each)).map(element).joined(separator: ",")
  }
}
