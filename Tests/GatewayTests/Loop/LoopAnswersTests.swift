import Foundation
import Testing

@testable import Gateway

/// Tests of collecting the loops' answers to an administrator's question.
@Suite struct LoopAnswersTests {
  @Test func `the answers of all loops are collected, including a later one`() throws {
    let answers = LoopAnswers<Int>()
    answers.add([1])
    // Use a separate thread, as a loop does, because other tests might occupy all threads of a queue.
    Thread.detachNewThread { answers.add([2]) }
    #expect(try answers.wait(for: 2) == [1, 2])
  }

  @Test func `an answer without a loop's part is a failure, not a shorter answer`() throws {
    let answers = LoopAnswers<Int>()
    answers.add([1])
    let failure = #expect(throws: AdministrationFailure.self) {
      try answers.wait(for: 2, milliseconds: 1)
    }
    #expect(failure?.kind == .busy)
  }
}
