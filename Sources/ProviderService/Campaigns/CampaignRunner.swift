internal import BelfryProvider
internal import BelfryWire
internal import Dispatch
internal import Foundation
internal import Storage
internal import Synchronization
internal import System

/// Sends one campaign, on a thread of its own, until it is finished or told to stop.
///
/// A batch is on disk as in flight before its first push is sent, and its outcomes are in one transaction
/// with its end. What an earlier run left in flight is looked up in the gateway's delivery log (decision 0013).
final class CampaignRunner: Sendable {
  /// What a runner works with.
  struct Resources: Sendable {
    let registry: Registry
    let service: PushService
    let log: Log
    var clock = CampaignClock(log: .silent)
    var settleNanoseconds = Limits.settleNanoseconds
  }

  /// What other threads tell the runner.
  private enum Message: Sendable {
    case answered(batch: Int64, BatchAnswers.Answers)
    /// Claim nothing more; what is in flight ends. The state is what the campaign is left in.
    case stop(CampaignRecord.State)
  }

  /// Nanoseconds of one wait at most; what comes meanwhile ends it.
  private static let longestPauseNanoseconds: Int64 = 60_000_000_000

  private let inbox = Mutex<[Message]>([])
  private let isNews = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  private let trouble = Mutex<String?>(nil)
  private let resources: Resources

  /// Starts the thread; `onEnd` is called on it at its end.
  init(
    _ campaign: CampaignRecord, document: CampaignDocument, resources: Resources,
    onEnd: @escaping @Sendable () -> Void
  ) {
    self.resources = resources
    Thread.detachNewThread { [self] in
      send(campaign, document)
      onEnd()
      hasEnded.signal()
    }
  }

  /// Why the campaign waits for its store; nil while it does not.
  var problem: String? { trouble.withLock { $0 } }

  /// Holds the campaign once what is in flight has ended.
  func pause() { post(.stop(.paused)) }

  /// Ends the thread, and leaves the campaign to be resumed by the next start.
  func stop() { post(.stop(.running)) }

  /// Waits for the thread's end, so long at the most.
  func wait(nanoseconds: Int64) {
    _ = hasEnded.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    hasEnded.signal()
  }

  private func post(_ message: Message) {
    inbox.withLock { $0.append(message) }
    isNews.signal()
  }

  /// Sends until the campaign ends.
  ///
  /// Where its store fails nothing more is sent, since no outcome could be kept; another run begins where the store
  /// stands once it may be written again.
  private func send(_ campaign: CampaignRecord, _ document: CampaignDocument) {
    var campaign = campaign
    // The state to be left in, where that is known before the store takes it.
    var endState: CampaignRecord.State?
    var failures = 0
    while true {
      var run = CampaignRun(campaign, document, resources) { [self] batch, answers in
        post(.answered(batch: batch, answers))
      }
      if let endState { run.stop(leaving: endState) }
      guard let failure = work(&run) else { return trouble.withLock { $0 = nil } }
      guard failure.isOfDisk else {
        return resources.log.error(
          "a campaign stops", ["campaign": campaign.id, "why": failure.description])
      }
      failures = run.hasWritten ? 1 : failures + 1
      if trouble.withLock({ $0 == nil }) {
        resources.log.error(
          "a campaign waits for its store",
          ["campaign": campaign.id, "why": failure.description])
      }
      trouble.withLock { $0 = "it waits for the registry's store: \(failure)" }
      endState = awaitRetry(of: &run, afterFailures: failures)
      if endState == .running { return }
      do throws(StorageFailure) {
        guard let stored = try resources.registry.store.campaign(campaign.id) else { return }
        campaign = stored
      } catch {
        // The next run begins with what is known here, and fails as well where the store cannot be read.
        continue
      }
    }
  }

  /// Waits until what is in flight has its answers and the pause is over; returns the state that the campaign is to be
  /// left in, at once where the program ends.
  ///
  /// What was answered meanwhile is looked up in the delivery log by the next run, as after a crash.
  private func awaitRetry(
    of run: inout CampaignRun, afterFailures failures: Int
  ) -> CampaignRecord.State? {
    let backoff = Backoff(
      firstNanoseconds: Limits.retryPauseNanoseconds,
      longestNanoseconds: Limits.retryPauseNanosecondsMax)
    var random = SystemRandom.Generator()
    var due =
      SystemClock.monotonicNanoseconds
      + backoff.nanoseconds(afterFailures: failures, random: random.next())
    while true {
      while let message = next() {
        switch message {
        case .answered(let batch, _): run.drop(batch)
        case .stop(let state):
          run.stop(leaving: state)
          due = 0
        }
      }
      if run.endState == .running { return .running }
      let now = SystemClock.monotonicNanoseconds
      if !run.isAwaitingAnswers, due <= now { return run.endState }
      let pause = run.isAwaitingAnswers ? Self.longestPauseNanoseconds : due - now
      _ = isNews.wait(timeout: .now() + .nanoseconds(Int(pause)))
    }
  }

  private func next() -> Message? {
    inbox.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  /// Works until the run's end, or until the store fails.
  private func work(_ run: inout CampaignRun) -> StorageFailure? {
    do throws(StorageFailure) {
      try run.recover()
      while true {
        while let message = next() {
          switch message {
          case .answered(let batch, let answers): try run.handle(answers, of: batch)
          case .stop(let state): run.stop(leaving: state)
          }
        }
        let due = try run.advance()
        if run.hasWritten { trouble.withLock { $0 = nil } }
        guard let due else { return nil }
        let pause = min(due - SystemClock.monotonicNanoseconds, Self.longestPauseNanoseconds)
        if pause > 0 { _ = isNews.wait(timeout: .now() + .nanoseconds(Int(pause))) }
      }
    } catch {
      return error
    }
  }
}
