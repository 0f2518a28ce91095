internal import Foundation
internal import Storage
internal import Synchronization
public import System

/// A poller that queries a feedback service for dead tokens at startup and every hour.
///
/// The poller removes each reported token, unless the app registered the token again after the reported time.
public final class FeedbackPoller: Sendable {
  /// A function that reads the service, as the client library's `FeedbackClient` does.
  public typealias Read = @Sendable () throws -> [(token: [UInt8], unixSeconds: Int64)]

  private let isStopped = NSCondition()
  private let stopped = Mutex(false)

  /// Starts polling on its own thread.
  public init(registry: Registry, log: Log, read: @escaping Read) {
    Thread.detachNewThread { [self] in
      while true {
        do {
          let dead = try read()
          let removed = try registry.removeDead(dead)
          if !dead.isEmpty {
            log.info(
              "the feedback service reported expired tokens",
              ["named": "\(dead.count)", "removed": "\(removed)"])
          }
        } catch {
          log.warning("cannot read from the feedback service", ["why": "\(error)"])
        }
        guard waitForNext() else { return }
      }
    }
  }

  /// Stops polling; a read in progress is finished.
  public func stop() {
    isStopped.lock()
    stopped.withLock { $0 = true }
    isStopped.broadcast()
    isStopped.unlock()
  }

  /// Waits until the next query is due; returns false once polling is stopped.
  private func waitForNext() -> Bool {
    let next = Date(timeIntervalSinceNow: Limits.feedbackPauseSeconds)
    isStopped.lock()
    defer { isStopped.unlock() }
    while !stopped.withLock({ $0 }), Date() < next { _ = isStopped.wait(until: next) }
    return !stopped.withLock { $0 }
  }
}
