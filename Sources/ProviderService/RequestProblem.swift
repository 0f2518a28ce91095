internal import BelfryWire

/// What is wrong with a field of a request or of a campaign, and what to do.
public struct RequestProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The field; nil where it is the request as a whole.
  public let field: String?
  /// What is wrong.
  public let what: String
  /// What to do.
  public let advice: String

  /// A problem of a field.
  public init(_ field: String?, _ what: String, do advice: String) {
    self.field = field
    self.what = what
    self.advice = advice
  }

  /// One line for the person who asked.
  public var description: String {
    "\(field.map { "\($0): " } ?? "")\(what): \(advice)"
  }

  /// The object in a response.
  var json: JSONValue {
    [
      "field": field.map { .string($0) } ?? .null, "error": .string(what),
      "advice": .string(advice),
    ]
  }
}

/// Several problems, so that a person mends them all at once.
public struct RequestProblems: Error, Sendable, CustomStringConvertible {
  /// At least one.
  public let all: [RequestProblem]

  init(_ all: [RequestProblem]) {
    precondition(!all.isEmpty, "without a problem there is nothing to refuse")
    self.all = all
  }

  /// One line each.
  public var description: String { all.map(\.description).joined(separator: "\n") }
}
