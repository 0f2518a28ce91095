internal import BelfryProvider
internal import BelfryWire
internal import Storage
internal import Synchronization

/// A recipient of a batch with what is sent to it.
struct CampaignAddressee {
  let recipient: CampaignRecipient
  let token: [UInt8]
  let id: NotificationID
}

/// A batch on its way, and what is known of its recipients.
///
/// Confined to its runner.
struct CampaignFlight {
  /// What the batch waits for.
  enum Phase: Equatable {
    /// Answers to all that was sent.
    case answers
    /// The moment at which the rest is sent again, in monotonic nanoseconds.
    case retry(at: Int64)
    /// The moment at which the delivery log is asked, in monotonic nanoseconds.
    case settling(at: Int64)
  }

  private struct TallyKey: Hashable {
    let outcome: CampaignOutcome
    let reason: String
  }

  private(set) var batch: CampaignBatch
  var phase: Phase
  /// Those who are being sent to, in the order of their answers' places.
  private(set) var sent: [CampaignAddressee] = []
  /// Those who are to be sent to again.
  var unsent: [CampaignAddressee] = []
  /// Those of whom it is not known whether the service has their push.
  var uncertain: [CampaignAddressee] = []
  private var counts: [TallyKey: Int64] = [:]
  private(set) var dead: [DeadToken] = []
  /// Times that some were refused for now, in a row.
  private(set) var failures = 0

  init(_ batch: CampaignBatch, phase: Phase) {
    self.batch = batch
    self.phase = phase
  }

  /// Whether everybody has an outcome.
  var isSettled: Bool { sent.isEmpty && unsent.isEmpty && uncertain.isEmpty }

  /// The outcomes that are not in the store yet.
  var tallies: [CampaignTally] {
    counts.map { CampaignTally(outcome: $0.outcome, reason: $0.reason, count: $1) }
  }

  /// The moment of the next step; nil while answers are awaited.
  var due: Int64? {
    switch phase {
    case .answers: nil
    case .retry(let moment), .settling(let moment): moment
    }
  }

  /// Begins to send to those who are unsent; returns them.
  mutating func send() -> [CampaignAddressee] {
    precondition(sent.isEmpty, "the answers to the last attempt have come")
    sent = unsent
    unsent = []
    phase = .answers
    return sent
  }

  /// Counts an outcome.
  mutating func count(_ outcome: CampaignOutcome, _ reason: String = "", _ count: Int64 = 1) {
    counts[TallyKey(outcome: outcome, reason: reason), default: 0] += count
  }

  mutating func countDead(_ token: DeadToken, reason: String) {
    dead.append(token)
    count(.dead, reason)
  }

  /// Has a token leave the registry that is counted elsewhere.
  mutating func drop(_ token: DeadToken) { dead.append(token) }

  /// Notes that all answers have come.
  mutating func answered() {
    sent = []
    failures = unsent.isEmpty ? 0 : failures + 1
  }

  /// Leaves in the batch only those without an outcome, as the store is to have it.
  mutating func narrow(isSent: Bool) {
    batch.unsettled = (sent + unsent + uncertain).map(\.recipient.number)
    batch.isSent = isSent
  }

  /// Counts the batch as sent from this moment on, in milliseconds since 1970.
  mutating func resend(at milliseconds: Int64) {
    batch.claimedMilliseconds = milliseconds
    narrow(isSent: true)
  }

  mutating func forgetCounts() {
    counts = [:]
    dead = []
  }
}

/// Collects the answers to a batch's pushes, which come on the client's thread.
final class BatchAnswers: Sendable {
  typealias Answers = [Result<PushOutcome, ProviderFailure>?]

  private struct State {
    var answers: Answers
    var missing: Int
  }

  private let state: Mutex<State>
  private let onComplete: @Sendable (Answers) -> Void

  /// Calls `onComplete` once `count` answers are there.
  init(count: Int, _ onComplete: @escaping @Sendable (Answers) -> Void) {
    precondition(count > 0, "a batch has a recipient")
    state = Mutex(State(answers: Array(repeating: nil, count: count), missing: count))
    self.onComplete = onComplete
  }

  func add(_ result: Result<PushOutcome, ProviderFailure>, at index: Int) {
    let answers: Answers? = state.withLock { state in
      guard state.answers[index] == nil else {
        assertionFailure("each push is answered once")
        return nil
      }
      state.answers[index] = result
      state.missing -= 1
      return state.missing == 0 ? state.answers : nil
    }
    if let answers { onComplete(answers) }
  }
}
