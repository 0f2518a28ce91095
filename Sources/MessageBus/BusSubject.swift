/// The rules for subjects.
///
/// The library sends a subject as it is, so a space or a newline in a subject would change the protocol.
enum BusSubject {
  /// Returns whether a message can be published to `subject`.
  static func canPublish(to subject: String) -> Bool {
    isValid(subject) { token in
      !token.contains(UInt8(ascii: "*")) && !token.contains(UInt8(ascii: ">"))
    }
  }

  /// Returns whether `subject` can be subscribed to: a token can be `*`, and the last token can be `>`.
  static func canSubscribe(to subject: String) -> Bool {
    let end = subject.utf8.endIndex
    return isValid(subject) { token in
      if token.elementsEqual("*".utf8) { return true }
      if token.elementsEqual(">".utf8) { return token.endIndex == end }
      return !token.contains(UInt8(ascii: "*")) && !token.contains(UInt8(ascii: ">"))
    }
  }

  /// Returns whether the subject has only printable ASCII characters, and all of its tokens are valid.
  private static func isValid(
    _ subject: String, _ isToken: (Substring.UTF8View) -> Bool
  ) -> Bool {
    let bytes = subject.utf8
    guard (1...Limits.subjectBytes).contains(bytes.count),
      bytes.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return false }
    return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && isToken($0) }
  }
}
