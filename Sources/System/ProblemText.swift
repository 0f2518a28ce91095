/// An error message in the form "problem: advice", in its two parts.
package struct ProblemText: Sendable, Hashable {
  /// The text before the first colon, or the whole message if it contains no advice.
  package let problem: String
  /// The text after the first colon.
  package let advice: String?

  package init(_ message: String) {
    let colon = message.firstRange(of: ": ")
    problem = String(message[..<(colon?.lowerBound ?? message.endIndex)])
    advice = colon.map { String(message[$0.upperBound...]) }
  }
}
