internal import BelfryWire

/// An error in a field of a request or of a campaign, with advice on how to fix it.
public struct RequestProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The field; nil if the error applies to the whole request.
  public let field: String?
  /// A description of the error.
  public let what: String
  /// Advice on how to fix the error.
  public let advice: String

  /// Creates a problem with a field.
  public init(_ field: String?, _ what: String, do advice: String) {
    self.field = field
    self.what = what
    self.advice = advice
  }

  /// Returns the beginning of a string from a client or a user, for use in a message.
  static func excerpt(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(Limits.excerptScalars + 1)
    guard scalars.count > Limits.excerptScalars else { return text }
    return String(scalars.dropLast()) + "…"
  }

  /// Returns the beginning of a value from a client or a user, for use in a message.
  static func excerpt(_ value: JSONValue) -> String { excerpt(value.stringValue ?? value.text) }

  /// A one-line message for the sender of the request.
  public var description: String {
    "\(field.map { "\($0): " } ?? "")\(what): \(advice)"
  }

  /// The problem as an object in a response.
  var json: JSONValue {
    [
      "field": field.map { .string($0) } ?? .null, "error": .string(what),
      "advice": .string(advice),
    ]
  }
}

/// A list of problems, which allows the sender to fix all of them at once.
public struct RequestProblems: Error, Sendable, CustomStringConvertible {
  /// The problems; at least one.
  public let all: [RequestProblem]

  init(_ all: [RequestProblem]) {
    precondition(!all.isEmpty, "a refusal has at least one problem")
    self.all = all
  }

  /// The problems, one line each.
  public var description: String { all.map(\.description).joined(separator: "\n") }
}
