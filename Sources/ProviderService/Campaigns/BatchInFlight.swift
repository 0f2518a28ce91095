internal import BelfryProvider
internal import PushWire
internal import Storage
internal import Synchronization

/// A recipient of a batch, with its token and notification ID.
struct CampaignAddressee {
  let recipient: CampaignRecipient
  /// The device token, or the endpoint of a subscription.
  let token: [UInt8]
  /// The Web Push subscription; nil for a device.
  var subscription: WebPushSubscription?
  let id: NotificationID
  /// The language of the recipient's text; empty if the campaign has the same text for everyone.
  let language: String  // text: one of the campaign's own languages
  /// True if the service answered the latest push with an internal error.
  var isInterrupted = false

  var isWebPush: Bool { subscription != nil }
}

/// A batch in flight, and the state of its recipients.
///
/// Only the runner's thread accesses a batch.
struct BatchInFlight {
  /// The next event that the batch waits for.
  enum Phase: Equatable {
    /// The responses to all pushes that were sent.
    case answers
    /// The time at which the push is sent again to the remaining recipients, in monotonic nanoseconds.
    case retry(at: Int64)
    /// The time at which the delivery log is queried, in monotonic nanoseconds.
    case settling(at: Int64)
  }

  private struct TallyKey: Hashable {
    let outcome: CampaignOutcome
    let reason: String
    let language: String  // text: one of the campaign's own languages
    let isWebPush: Bool
  }

  private(set) var batch: CampaignBatch
  var phase: Phase {
    didSet { held = nil }
  }
  /// The reason that the batch's next retry is postponed until its group can receive pushes; nil if the retry is not
  /// postponed.
  private(set) var held: CampaignTimeWait?
  /// The recipients whose pushes are in flight, in the same order as their responses.
  private(set) var sent: [CampaignAddressee] = []
  /// The recipients that still need a push: a first attempt, or another one.
  var unsent: [CampaignAddressee] = []
  /// The recipients for whom it is unknown whether the service received the push.
  var uncertain: [CampaignAddressee] = []
  private var counts: [TallyKey: Int64] = [:]
  private(set) var dead: [DeadToken] = []
  /// The time of the latest attempt, in monotonic nanoseconds.
  private var sentNanoseconds: Int64 = 0
  /// The number of consecutive attempts that the service temporarily refused.
  private(set) var failures = 0

  init(_ batch: CampaignBatch, phase: Phase) {
    self.batch = batch
    self.phase = phase
  }

  /// True if every recipient has an outcome.
  var isSettled: Bool { sent.isEmpty && unsent.isEmpty && uncertain.isEmpty }

  /// The outcomes that are not in the store yet.
  var tallies: [CampaignTally] {
    counts.map {
      CampaignTally(
        outcome: $0.outcome, reason: $0.reason, language: $0.language, isWebPush: $0.isWebPush,
        count: $1)
    }
  }

  /// The time of the next step; nil while responses are awaited.
  var due: Int64? {
    switch phase {
    case .answers: nil
    case .retry(let moment), .settling(let moment): moment
    }
  }

  /// The time from which the batch waits only for Web Push services, or for longer than usual, in monotonic
  /// nanoseconds; nil if it does not.
  ///
  /// From this time on, the batch does not delay other batches.
  var parkedFrom: Int64? {
    guard held == nil, uncertain.isEmpty else { return nil }
    switch phase {
    case .answers:
      guard sent.contains(where: \.isWebPush) else { return nil }
      let isRepetition = failures > 0 && sent.allSatisfy(\.isWebPush)
      return isRepetition ? .min : sentNanoseconds + Limits.webPushPatienceNanoseconds
    case .retry: return failures > 0 && unsent.allSatisfy(\.isWebPush) ? .min : nil
    case .settling: return nil
    }
  }

  /// Starts sending to the unsent recipients at a time in monotonic nanoseconds, and returns them.
  mutating func send(at nanoseconds: Int64) -> [CampaignAddressee] {
    precondition(sent.isEmpty, "all answers to the previous attempt have arrived")
    sentNanoseconds = nanoseconds
    sent = unsent
    unsent = []
    phase = .answers
    return sent
  }

  /// Postpones the retry, because the batch's devices cannot receive pushes yet.
  ///
  /// The wait is checked again at `moment`, in monotonic nanoseconds.
  mutating func hold(_ wait: CampaignTimeWait, until moment: Int64) {
    phase = .retry(at: moment)
    held = wait
  }

  /// Adds one recipient to the number of recipients with this outcome, reason, language, and kind.
  mutating func count(
    _ outcome: CampaignOutcome, _ reason: String = "", in language: String, isWebPush: Bool
  ) {
    let key = TallyKey(
      outcome: outcome, reason: reason, language: language, isWebPush: isWebPush)
    counts[key, default: 0] += 1
  }

  /// Counts the outcome of an addressee.
  mutating func count(
    _ outcome: CampaignOutcome, _ reason: String = "", of addressee: CampaignAddressee
  ) {
    count(outcome, reason, in: addressee.language, isWebPush: addressee.isWebPush)
  }

  mutating func countDead(_ token: DeadToken, reason: String, of addressee: CampaignAddressee) {
    dead.append(token)
    count(.dead, reason, of: addressee)
  }

  /// Gives up on the Web Push subscriptions that were waiting for another attempt, if there were too many attempts.
  mutating func giveUpOnWebPush() {
    guard failures >= Limits.webPushAttemptsMax else { return }
    for addressee in unsent where addressee.isWebPush {
      count(.failed, "PushServiceUnavailable", of: addressee)
    }
    unsent.removeAll(where: \.isWebPush)
  }

  /// Gives up on the recipients that were waiting for another attempt.
  ///
  /// Call this method when the campaign is cancelled.
  mutating func discardUnsent() { unsent = [] }

  /// Marks a token for removal from the registry without counting an outcome, which the caller counts separately.
  mutating func drop(_ token: DeadToken) { dead.append(token) }

  /// Records that all responses have been received.
  mutating func answered() {
    sent = []
    let hasFailed = !unsent.isEmpty || uncertain.contains(where: \.isInterrupted)
    failures = hasFailed ? failures + 1 : 0
  }

  /// Reduces the batch to the recipients without an outcome, in preparation for storing the batch.
  mutating func narrow(isSent: Bool) {
    batch.unsettled = (sent + unsent + uncertain).map(\.recipient.number)
    batch.isSent = isSent
  }

  /// Records that the batch is being sent again, at a time in milliseconds since 1970.
  mutating func resend(at milliseconds: Int64) {
    batch.claimedMilliseconds = milliseconds
    narrow(isSent: true)
  }

  mutating func forgetCounts() {
    counts = [:]
    dead = []
  }

  /// Asserts the invariants that hold between events.
  func checkInvariants() {
    switch phase {
    case .answers: assert(!sent.isEmpty, "a batch that awaits answers has sent pushes")
    case .retry: assert(sent.isEmpty && uncertain.isEmpty, "a retry follows all outcomes")
    case .settling: assert(sent.isEmpty && !uncertain.isEmpty, "a query is about recipients")
    }
    assert(failures >= 0 && dead.count <= Limits.batchRecipientsMax, "a batch is limited")
    assert(
      (sent + unsent + uncertain).allSatisfy {
        batch.after < $0.recipient.number && $0.recipient.number <= batch.last
      }, "a batch contains only its own recipients")
  }
}

/// The responses to a batch's pushes, which are received on the client's thread.
package final class BatchAnswers: Sendable {
  package typealias Answers = [PushConsequence?]

  private struct State {
    var answers: Answers
    var missing: Int
  }

  private let state: Mutex<State>
  private let onComplete: @Sendable (Answers) -> Void

  /// Creates a collector that calls `onComplete` once `count` responses have been received.
  init(count: Int, _ onComplete: @escaping @Sendable (Answers) -> Void) {
    precondition(count > 0, "a batch has at least one recipient")
    state = Mutex(State(answers: Array(repeating: nil, count: count), missing: count))
    self.onComplete = onComplete
  }

  func add(_ answer: PushConsequence, at index: Int) {
    let answers: Answers? = state.withLock { state in
      guard state.answers[index] == nil else {
        assertionFailure("a push was answered twice")
        return nil
      }
      state.answers[index] = answer
      state.missing -= 1
      return state.missing == 0 ? state.answers : nil
    }
    if let answers { onComplete(answers) }
  }
}
