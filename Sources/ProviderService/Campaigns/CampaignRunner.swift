internal import BelfryProvider
internal import BelfryWire
internal import Dispatch
internal import Foundation
internal import Storage
internal import Synchronization
package import System

/// A runner that sends one campaign, on its own thread, until the campaign is finished or stopped.
///
/// A batch is stored as in flight before its first push is sent, and its outcomes are stored in the same transaction as
/// its completion. Pushes that an earlier run left in flight are looked up in the gateway's delivery log (decision
/// 0013).
package final class CampaignRunner: Sendable {
  /// The services and clocks that a runner uses.
  package struct Resources: Sendable {
    let registry: Registry
    let service: PushService
    let log: Log
    package var clock = CampaignClock(log: .silent)
    /// True if a delayed campaign is logged, in addition to its status.
    var logsDelays = true
    var settleNanoseconds = Limits.settleNanoseconds
    /// A function that returns the source of randomness for the pauses between retries.
    package var random: @Sendable () -> any RandomNumberGenerator = { SystemRandom.Generator() }
    /// A function that returns the monotonic clock in nanoseconds and the wall clock in milliseconds since 1970.
    package var time: @Sendable () -> (nanoseconds: Int64, unixMilliseconds: Int64) = {
      (SystemClock.monotonicNanoseconds, SystemClock.unixMilliseconds)
    }

    package init(
      registry: Registry, service: PushService, log: Log,
      clock: CampaignClock = CampaignClock(log: .silent), logsDelays: Bool = true,
      settleNanoseconds: Int64 = Limits.settleNanoseconds,
      random: @escaping @Sendable () -> any RandomNumberGenerator = { SystemRandom.Generator() },
      time: @escaping @Sendable () -> (nanoseconds: Int64, unixMilliseconds: Int64) = {
        (SystemClock.monotonicNanoseconds, SystemClock.unixMilliseconds)
      }
    ) {
      self.registry = registry
      self.service = service
      self.log = log
      self.clock = clock
      self.logsDelays = logsDelays
      self.settleNanoseconds = settleNanoseconds
      self.random = random
      self.time = time
    }

    /// The current time on each clock.
    var now: CampaignMoment {
      let (nanoseconds, unixMilliseconds) = time()
      return CampaignMoment(
        nanoseconds: nanoseconds, unixMilliseconds: unixMilliseconds,
        campaignSeconds: clock.unixSeconds)
    }
  }

  /// The longest single wait in nanoseconds; an incoming message interrupts it.
  private static let longestPauseNanoseconds: Int64 = 60_000_000_000

  private let inbox = Mutex<[CampaignMessage]>([])
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

  /// Stops claiming recipients, and leaves the campaign in `state` once nothing is in flight.
  func stop(leaving state: CampaignRecord.State) { post(.stop(state)) }

  /// Stops the thread, and leaves the campaign to be resumed when the service starts again.
  func stop() { post(.stop(.running)) }

  /// Waits until the thread exits, but for no longer than the given time.
  func wait(nanoseconds: Int64) {
    // Signal again, so that a later wait also finds that the thread has exited.
    if hasEnded.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success {
      hasEnded.signal()
    }
  }

  private func post(_ message: CampaignMessage) {
    inbox.withLock { $0.append(message) }
    isNewer.signal()
  }

  /// Sends pushes until the campaign is finished or stopped.
  private func send(_ campaign: CampaignRecord, _ document: CampaignDocument) {
    var work = CampaignWork(campaign, document, resources) { [self] batch, answers in
      post(.answered(batch: batch, answers))
    }
    while true {
      while let message = next() { work.handle(message) }
      let due = work.turn()
      let (problem, timeWait) = (work.problem, work.timeWait)
      trouble.withLock { $0 = problem }
      pause.withLock { $0 = timeWait }
      guard let due else { return }
      let left = min(due - resources.now.nanoseconds, Self.longestPauseNanoseconds)
      if left > 0 { _ = isNewer.wait(timeout: .now() + .nanoseconds(Int(left))) }
    }
  }

  private func next() -> CampaignMessage? {
    inbox.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
