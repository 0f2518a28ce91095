import BelfryWire

/// Which asks still wait for their answers, and until when.
///
/// Knows no clock: times are arguments.
struct PendingAnswers {
  typealias Completion = @Sendable (Result<AppAnswer, AppLinkFailure>) -> Void

  private struct Waiting {
    let deadlineMilliseconds: Int64
    let completion: Completion
    var isSent: Bool
  }

  private var nextNumber: Int64 = 1
  private var waiting: [Int64: Waiting] = [:]

  /// Takes an ask in and gives it its number.
  mutating func add(deadlineMilliseconds: Int64, completion: @escaping Completion) -> Int64 {
    let number = nextNumber
    nextNumber += 1
    waiting[number] = Waiting(
      deadlineMilliseconds: deadlineMilliseconds, completion: completion, isSent: false)
    return number
  }

  /// Notes that an ask is on its way: a lost connection now loses its answer too.
  ///
  /// False when it no longer waits.
  mutating func sent(_ number: Int64) -> Bool {
    waiting[number]?.isSent = true
    return waiting[number] != nil
  }

  /// Whom the answer to a number belongs to; nil when it came too late or was never asked.
  mutating func answered(_ number: Int64) -> Completion? {
    waiting.removeValue(forKey: number)?.completion
  }

  /// Whose time is over.
  mutating func expired(atMilliseconds now: Int64) -> [Completion] {
    remove { $0.deadlineMilliseconds <= now }
  }

  /// Whose answers are lost with the connection.
  mutating func connectionLost() -> [Completion] { remove(where: \.isSent) }

  /// Who asked while no agent was there.
  mutating func abandoned() -> [Completion] { remove { !$0.isSent } }

  /// Everybody who waits.
  mutating func closed() -> [Completion] { remove { _ in true } }

  /// Whether an ask waits for an agent to be there.
  var isAgentAwaited: Bool { waiting.values.contains { !$0.isSent } }

  /// When the next ask's time is over.
  var nextDeadlineMilliseconds: Int64? { waiting.values.map(\.deadlineMilliseconds).min() }

  private mutating func remove(where condition: (Waiting) -> Bool) -> [Completion] {
    let numbers = waiting.filter { condition($0.value) }.keys.sorted()
    return numbers.compactMap { waiting.removeValue(forKey: $0)?.completion }
  }
}
