import Dispatch
import Storage
import Synchronization

/// A part of a node's answer to a question.
struct ClusterAnswerPart: Equatable, Sendable {
  /// The number of the question.
  let question: UInt64
  /// The position of the part in the answer, from 0.
  let index: UInt32
  let isLast: Bool
  let bytes: [UInt8]

  /// Divides an answer into parts that fit into messages.
  static func parts(of answer: [UInt8], to question: UInt64) -> [ClusterAnswerPart] {
    var parts: [ClusterAnswerPart] = []
    var rest = answer[...]
    repeat {
      let bytes = rest.prefix(Limits.clusterAnswerPartBytes)
      rest = rest.dropFirst(bytes.count)
      parts.append(
        ClusterAnswerPart(
          question: question, index: UInt32(parts.count), isLast: rest.isEmpty, bytes: Array(bytes))
      )
    } while !rest.isEmpty
    assert(parts.last?.isLast == true, "an answer ends with its last part")
    assert(parts.map(\.bytes.count).reduce(0, +) == answer.count, "the parts are the answer")
    return parts
  }
}

/// The answers of other nodes to the questions of this node's administrators.
final class ClusterAnswers: Sendable {
  private struct Answer {
    var bytes: [UInt8] = []
    var nextIndex: UInt32 = 0
    var isComplete = false
  }

  private struct Waiting {
    var answers: [NodeNumber: Answer]
    let answered = DispatchSemaphore(value: 0)

    var isComplete: Bool { answers.values.allSatisfy(\.isComplete) }
  }

  private struct State {
    var lastNumber: UInt64 = 0
    var waiting: [UInt64: Waiting] = [:]
  }

  private let state = Mutex(State())

  /// Starts to wait for the answers of these nodes, and returns the number of the question.
  func begin(_ nodes: Set<NodeNumber>) -> UInt64 {
    assert(!nodes.isEmpty, "a question has receivers")
    return state.withLock { state in
      state.lastNumber += 1
      state.waiting[state.lastNumber] = Waiting(
        answers: Dictionary(uniqueKeysWithValues: nodes.map { ($0, Answer()) }))
      return state.lastNumber
    }
  }

  /// Adds a part of a node's answer; a part that was not expected is ignored, because parts can be lost or doubled.
  func add(_ part: ClusterAnswerPart, from node: NodeNumber) {
    state.withLock { state in
      guard var answer = state.waiting[part.question]?.answers[node], !answer.isComplete,
        part.index == answer.nextIndex,
        answer.bytes.count + part.bytes.count <= Limits.clusterAnswerBytesMax
      else { return }
      answer.bytes += part.bytes
      answer.nextIndex += 1
      answer.isComplete = part.isLast
      state.waiting[part.question]?.answers[node] = answer
      if let waiting = state.waiting[part.question], waiting.isComplete {
        waiting.answered.signal()
      }
    }
  }

  /// Waits until all nodes have answered, for at most `milliseconds`, and returns the complete answers.
  func finish(_ question: UInt64, milliseconds: Int) -> [NodeNumber: [UInt8]] {
    let answered = state.withLock { $0.waiting[question]?.answered }
    _ = answered?.wait(timeout: .now() + .milliseconds(milliseconds))
    let answers = state.withLock { $0.waiting.removeValue(forKey: question)?.answers } ?? [:]
    assert(!answers.isEmpty, "question \(question) was begun")
    return answers.filter(\.value.isComplete).mapValues(\.bytes)
  }
}
