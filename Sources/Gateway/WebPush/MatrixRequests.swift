import PushWire
import WebPush

/// The requests of Matrix homeservers on one connection, each of which sends a message to several subscriptions.
///
/// A request is answered once, when the outcome for each of its pushkeys is known. The message to one pushkey is a
/// *part* of the request. Its number takes the place of the stream's number in the address of the answer.
struct MatrixRequests {
  /// The answer to a request.
  enum Outcome: Equatable {
    /// The messages were accepted, except those to these pushkeys, which will never be valid again.
    case decided(rejected: [[UInt8]])
    /// Some messages were refused for a temporary reason, so the homeserver must repeat the request.
    case unavailable(because: Rejection)
  }

  private struct Request {
    var rejected: [[UInt8]] = []
    /// The first reason for which a message was refused, but can be sent again.
    var failure: Rejection?
    /// The number of messages that wait for their devices' homes.
    var waiting = 0
    /// True once every pushkey was either submitted or decided.
    var isComplete = false
  }

  private struct Part {
    let stream: Int32
    let pushkey: [UInt8]
  }

  /// The requests that are not answered, by the numbers of their streams.
  private var requests: [Int32: Request] = [:]
  /// The messages that wait for their devices' homes, by their numbers.
  private var parts: [Int32: Part] = [:]
  private var lastPart: Int32 = 0

  /// True if no request waits.
  var isEmpty: Bool { requests.isEmpty && parts.isEmpty }

  /// Returns true if an answer's number is the number of a part; streams have positive numbers.
  static func isPart(_ number: Int32) -> Bool { number < 0 }

  mutating func begin(_ stream: Int32) {
    assert(!Self.isPart(stream) && requests[stream] == nil, "a stream has one request")
    requests[stream] = Request()
  }

  /// Records a pushkey to which no message can be sent again.
  mutating func reject(_ pushkey: [UInt8], of stream: Int32) {
    requests[stream]?.rejected.append(pushkey)
  }

  /// Records a message that was not submitted, but can be sent again.
  mutating func fail(_ stream: Int32, because rejection: Rejection) {
    guard requests[stream]?.failure == nil else { return }
    requests[stream]?.failure = rejection
  }

  /// Returns the number of the message to a pushkey, which is about to be submitted.
  mutating func submit(_ pushkey: [UInt8], of stream: Int32) -> Int32 {
    assert(requests[stream]?.isComplete == false, "the request is not complete")
    // The oldest message has been answered long before the numbers start over.
    lastPart = lastPart == .min ? -1 : lastPart - 1
    assert(parts[lastPart] == nil, "no two waiting messages have the same number")
    parts[lastPart] = Part(stream: stream, pushkey: pushkey)
    requests[stream]?.waiting += 1
    return lastPart
  }

  /// Records that every pushkey was either submitted or decided; returns the outcome if no message waits.
  mutating func complete(_ stream: Int32) -> Outcome? {
    requests[stream]?.isComplete = true
    return takeOutcome(of: stream)
  }

  /// Records the answer of a device's home; returns the outcome of the request if it was the last answer.
  mutating func answer(
    _ part: Int32, _ answer: ProviderAnswer
  ) -> (stream: Int32, outcome: Outcome)? {
    guard let part = parts.removeValue(forKey: part) else {
      assertionFailure("each message is answered once")
      return nil
    }
    requests[part.stream]?.waiting -= 1
    if case .refused(let rejection, _) = answer {
      if Self.isFinal(rejection) {
        reject(part.pushkey, of: part.stream)
      } else {
        fail(part.stream, because: rejection)
      }
    }
    guard let outcome = takeOutcome(of: part.stream) else { return nil }
    return (part.stream, outcome)
  }

  /// Returns true if the subscription has ended, so that no later message to it can be accepted.
  static func isFinal(_ rejection: Rejection) -> Bool {
    WebPushRule(rejection) == .subscriptionEnded
  }

  private mutating func takeOutcome(of stream: Int32) -> Outcome? {
    guard let request = requests[stream], request.isComplete, request.waiting == 0 else {
      return nil
    }
    requests[stream] = nil
    if let failure = request.failure { return .unavailable(because: failure) }
    return .decided(rejected: request.rejected)
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert(requests.values.allSatisfy { $0.waiting >= 0 }, "no count is negative")
    assert(
      requests.values.reduce(0) { $0 + $1.waiting } == parts.count,
      "each waiting message belongs to a request")
    assert(parts.keys.allSatisfy(Self.isPart), "a part's number is negative")
  }
}
