import AppWire

/// The requests that wait for their answers, each with a deadline.
///
/// The methods do not read a clock; they take the current time as an argument.
struct PendingRequests {
  typealias Completion = @Sendable (Result<AppAnswer, AppLinkFailure>) -> Void

  private struct Pending {
    let deadlineMilliseconds: Int64
    let completion: Completion
    var isSent: Bool
  }

  private var nextNumber: Int64 = 1
  private var pending: [Int64: Pending] = [:]

  /// Adds a request and returns its number.
  mutating func add(deadlineMilliseconds: Int64, completion: @escaping Completion) -> Int64 {
    let number = nextNumber
    assert(pending[number] == nil, "request numbers are unique")
    nextNumber += 1
    pending[number] = Pending(
      deadlineMilliseconds: deadlineMilliseconds, completion: completion, isSent: false)
    return number
  }

  /// Marks a request as sent, so that it fails if the connection is lost.
  ///
  /// Returns false if the request is no longer pending.
  mutating func sent(_ number: Int64) -> Bool {
    assert(pending[number]?.isSent != true, "a request is sent only once")
    pending[number]?.isSent = true
    return pending[number] != nil
  }

  /// Removes a request that was answered, and returns its completion handler.
  ///
  /// Returns nil if the answer arrived too late or does not match any request.
  mutating func answered(_ number: Int64) -> Completion? {
    pending.removeValue(forKey: number)?.completion
  }

  /// Removes the requests whose deadlines have passed, and returns their completion handlers.
  ///
  /// The method removes sent requests if `areSent` is true, and unsent requests otherwise.
  mutating func expired(atMilliseconds now: Int64, areSent: Bool) -> [Completion] {
    remove { $0.deadlineMilliseconds <= now && $0.isSent == areSent }
  }

  /// Removes the sent requests, whose answers are lost with the connection, and returns their completion handlers.
  mutating func connectionLost() -> [Completion] { remove(where: \.isSent) }

  /// Removes the requests that have not been sent yet, and returns their completion handlers.
  mutating func abandoned() -> [Completion] { remove { !$0.isSent } }

  /// Removes all requests, and returns their completion handlers.
  mutating func closed() -> [Completion] { remove { _ in true } }

  /// True if a request waits for a connection.
  var isAgentAwaited: Bool { pending.values.contains { !$0.isSent } }

  /// The earliest deadline.
  var nextDeadlineMilliseconds: Int64? { pending.values.map(\.deadlineMilliseconds).min() }

  private mutating func remove(where condition: (Pending) -> Bool) -> [Completion] {
    let numbers = pending.filter { condition($0.value) }.keys.sorted()
    assert(
      numbers.allSatisfy { $0 < nextNumber },
      "a pending request's number is less than the next number")
    return numbers.compactMap { pending.removeValue(forKey: $0)?.completion }
  }
}
