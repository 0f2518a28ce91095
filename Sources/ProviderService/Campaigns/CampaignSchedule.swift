internal import Dispatch
internal import Foundation

/// A thread that starts campaigns at their scheduled time.
final class CampaignSchedule: Sendable {
  private let isNewer = DispatchSemaphore(value: 0)

  /// Starts the thread.
  ///
  /// `startDue` starts the campaigns that are due. It returns the time until its next call, in nanoseconds, or nil to
  /// stop the thread.
  init(_ startDue: @escaping @Sendable () -> Int64?) {
    Thread.detachNewThread { [isNewer] in
      while let pause = startDue() {
        _ = isNewer.wait(timeout: .now() + .nanoseconds(Int(pause)))
      }
    }
  }

  /// Causes the thread to check the campaigns immediately.
  ///
  /// Call this method after a campaign is scheduled, or when the service shuts down.
  func wake() { isNewer.signal() }
}
