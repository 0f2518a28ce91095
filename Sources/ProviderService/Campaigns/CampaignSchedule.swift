internal import Dispatch
internal import Foundation

/// The thread that starts scheduled campaigns at their time.
final class CampaignSchedule: Sendable {
  private let isNewer = DispatchSemaphore(value: 0)

  /// Starts the thread.
  ///
  /// `startDue` starts what is due and returns the nanoseconds until the next look, or nil to end the thread.
  init(_ startDue: @escaping @Sendable () -> Int64?) {
    Thread.detachNewThread { [isNewer] in
      while let pause = startDue() {
        _ = isNewer.wait(timeout: .now() + .nanoseconds(Int(pause)))
      }
    }
  }

  /// Looks again at once, because a campaign was scheduled or the service ends.
  func wake() { isNewer.signal() }
}
