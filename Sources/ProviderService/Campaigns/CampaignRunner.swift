internal import BelfryProvider
internal import BelfryWire
internal import Dispatch
internal import Foundation
internal import Storage
internal import Synchronization
internal import System

/// A runner that sends one campaign, on its own thread, until the campaign is finished or stopped.
///
/// A batch is stored as in flight before its first push is sent, and its outcomes are stored in the same transaction as
/// its completion. Pushes that an earlier run left in flight are looked up in the gateway's delivery log (decision
/// 0013).
final class CampaignRunner: Sendable {
  /// The resources of a runner.
  struct Resources: Sendable {
    let registry: Registry
    let service: PushService
    let log: Log
    var clock = CampaignClock(log: .silent)
    var settleNanoseconds = Limits.settleNanoseconds
  }

  /// A message from another thread to the runner.
  private enum Message: Sendable {
    case answered(batch: Int64, BatchAnswers.Answers)
    /// Claim no more recipients, and finish the pushes in flight.
    ///
    /// The value is the state in which to leave the campaign.
    case stop(CampaignRecord.State)
  }

  /// The longest single wait in nanoseconds; an incoming message interrupts it.
  private static let longestPauseNanoseconds: Int64 = 60_000_000_000

  private let inbox = Mutex<[Message]>([])
  private let isNewer = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  private let trouble = Mutex<String?>(nil)
  private let pause = Mutex<CampaignTimeWait?>(nil)
  private let resources: Resources

  /// Starts the thread, which calls `onEnd` when it exits.
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

  /// The reason that the campaign waits for its store; nil if it does not wait.
  var problem: String? { trouble.withLock { $0 } }

  /// The reason that the campaign waits for a time; nil if it does not wait.
  var timeWait: CampaignTimeWait? { pause.withLock { $0 } }

  /// Claims no more recipients, and leaves the campaign in `state` once nothing is in flight.
  func stop(leaving state: CampaignRecord.State) { post(.stop(state)) }

  /// Stops the thread, and leaves the campaign to be resumed at the next start.
  func stop() { post(.stop(.running)) }

  /// Waits, for at most this time, until the thread exits.
  func wait(nanoseconds: Int64) {
    _ = hasEnded.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    hasEnded.signal()
  }

  private func post(_ message: Message) {
    inbox.withLock { $0.append(message) }
    isNewer.signal()
  }

  /// Sends pushes until the campaign is finished or stopped.
  ///
  /// If the campaign's store fails, nothing more is sent, because no outcome could be stored. Another run continues
  /// from the store's state once the store is writable again.
  private func send(_ campaign: CampaignRecord, _ document: CampaignDocument) {
    var campaign = campaign
    // The state in which to leave the campaign, if it is known before the store accepts it.
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
          "a campaign has stopped", ["campaign": campaign.id, "why": failure.description])
      }
      failures = run.hasWritten ? 1 : failures + 1
      if trouble.withLock({ $0 == nil }) {
        resources.log.error(
          "a campaign is waiting for its store",
          ["campaign": campaign.id, "why": failure.description])
      }
      trouble.withLock { $0 = "the campaign is waiting for the registry's store: \(failure)" }
      endState = awaitRetry(of: &run, afterFailures: failures)
      if endState == .running { return }
      do throws(StorageFailure) {
        guard let stored = try resources.registry.store.campaign(campaign.id) else { return }
        campaign = stored
      } catch {
        // Try another run with the values in memory, which also fails if the store still cannot be read.
        continue
      }
    }
  }

  /// Waits until all pushes in flight are answered and the pause is over.
  ///
  /// Returns the state in which to leave the campaign; if the program is exiting, returns immediately. The next run
  /// looks up the pushes in flight in the delivery log, as after a crash.
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
      _ = isNewer.wait(timeout: .now() + .nanoseconds(Int(pause)))
    }
  }

  private func next() -> Message? {
    inbox.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  /// Works until the run is finished or the store fails.
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
        let timeWait = run.timeWait
        pause.withLock { $0 = timeWait }
        if run.hasWritten { trouble.withLock { $0 = nil } }
        guard let due else { return nil }
        let left = min(due - SystemClock.monotonicNanoseconds, Self.longestPauseNanoseconds)
        if left > 0 { _ = isNewer.wait(timeout: .now() + .nanoseconds(Int(left))) }
      }
    } catch {
      pause.withLock { $0 = nil }
      return error
    }
  }
}
