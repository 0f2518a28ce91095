import Dispatch
import Synchronization

/// A collector of the loops' answers to an administrator's query; any thread can wait for the answers.
final class LoopAnswers<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  private let answered = DispatchSemaphore(value: 0)

  /// Adds a loop's answer.
  func add(_ part: [Element]) {
    elements.withLock { $0 += part }
    answered.signal()
  }

  /// Waits for the answers of `loops` loops and returns their elements.
  ///
  /// Throws if a loop doesn't answer in time. Partial answers would be mistaken for complete ones; for example, a
  /// campaign would resend a push that they don't contain.
  func wait(
    for loops: Int, milliseconds: Int = Limits.loopAnswerMilliseconds
  ) throws(AdministrationFailure) -> [Element] {
    let deadline = DispatchTime.now() + .milliseconds(milliseconds)
    for _ in 0..<loops where answered.wait(timeout: deadline) == .timedOut {
      throw AdministrationFailure(
        .busy, "an event loop of the gateway did not respond in time",
        do: "try again once the gateway is less busy")
    }
    return elements.withLock { $0 }
  }
}
