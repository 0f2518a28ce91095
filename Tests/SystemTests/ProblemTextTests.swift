import System
import Testing

@Suite struct ProblemTextTests {
  @Test(
    arguments: [
      ("cannot use a (connect failed: no such file): check b", "check b"),
      ("cannot use a (b (c: d): e): f", "f"), ("a) is b: c", "c"), ("a: b: c", "b: c"),
      ("the address [::1]:80 is in use", nil), ("it failed (a: b)", nil), ("a:b", nil), ("", nil),
    ] as [(String, String?)])
  func `a message is split at its first colon that is not in parentheses`(
    message: String, advice: String?
  ) {
    let text = ProblemText(message)
    #expect(text.advice == advice)
    #expect(text.problem + (text.advice.map { ": \($0)" } ?? "") == message)
  }

  @Test func `a message that includes another error's message can be split at its last colon`() {
    let text = ProblemText("cannot open a: permission denied: check b (c: d)", atLastColon: true)
    #expect(text.problem == "cannot open a: permission denied")
    #expect(text.advice == "check b (c: d)")
  }
}
