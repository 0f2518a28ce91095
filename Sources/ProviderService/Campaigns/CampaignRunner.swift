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
  private let resources: Resources

  /// Starts the thread; `onEnd` is called on it at its end.
  init(
    _ campaign: CampaignRecord, document: CampaignDocument, resources: Resources,
    onEnd: @escaping @Sendable () -> Void
  ) {
    self.resources = resources
    Thread.detachNewThread { [self] in
      var run = CampaignRun(campaign, document, resources) { [self] batch, answers in
        post(.answered(batch: batch, answers))
      }
      work(&run)
      onEnd()
      hasEnded.signal()
    }
  }

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

  private func work(_ run: inout CampaignRun) {
    do throws(StorageFailure) {
      try run.recover()
      while true {
        let messages = inbox.withLock { inbox in
          defer { inbox = [] }
          return inbox
        }
        for message in messages {
          switch message {
          case .answered(let batch, let answers): try run.handle(answers, of: batch)
          case .stop(let state): run.stop(leaving: state)
          }
        }
        guard let due = try run.advance() else { return }
        let pause = min(due - SystemClock.monotonicNanoseconds, Self.longestPauseNanoseconds)
        if pause > 0 { _ = isNews.wait(timeout: .now() + .nanoseconds(Int(pause))) }
      }
    } catch {
      // The store cannot be written: nothing more may be sent, since no outcome of it could be kept.
      resources.log.error(
        "a campaign stops", ["campaign": run.campaign.id, "why": error.description])
    }
  }
}
