/// An error message in the form "problem: advice", in its two parts.
package struct ProblemText: Sendable, Hashable {
  /// The text before the colon, or the whole message if it contains no advice.
  package let problem: String
  /// The text after the colon.
  package let advice: String?

  /// Splits a message at its first colon, or at its last one.
  ///
  /// Colons in parentheses do not count, because the parentheses can contain the message of another error.
  package init(_ message: String, atLastColon: Bool = false) {
    var depth = 0
    var colon: String.Index?
    for index in message.indices {
      switch message[index] {
      case "(": depth += 1
      case ")": depth = max(0, depth - 1)
      case ":" where depth == 0 && (colon == nil || atLastColon):
        if message[index...].hasPrefix(": ") { colon = index }
      default: break
      }
    }
    assert(depth >= 0, "a parenthesis closes only an open one")
    problem = String(message[..<(colon ?? message.endIndex)])
    advice = colon.map { String(message[$0...].dropFirst(2)) }
  }
}
