import BelfryClient
import BelfryWire
import Foundation
import UserNotifications

extension NSApplication {
  /// Launches if that has not happened, and runs the main run loop until the process ends.
  public func run() {
    finishLaunching()
    isRunning = true
    ProcessLife.run { NSApplication.shared.ending() }
  }

  /// Ends the app, unless its delegate does not want it.
  public func terminate(_ sender: Any?) {
    switch delegate?.applicationShouldTerminate(self) ?? .terminateNow {
    case .terminateCancel: return
    case .terminateLater: waitsForTerminationReply = true
    case .terminateNow: ProcessLife.end { ending() }
    }
  }

  /// Says whether the app ends, after `terminateLater`.
  public func reply(toApplicationShouldTerminate shouldTerminate: Bool) {
    guard waitsForTerminationReply else { return }
    waitsForTerminationReply = false
    if shouldTerminate { ProcessLife.end { ending() } }
  }

  /// Does nothing: the run loop ends with the process.
  public func stop(_ sender: Any?) {}

  func ending() {
    resignActive()
    tell(Self.willTerminateNotification) { $0.applicationWillTerminate($1) }
  }

  func becomeActive() {
    guard isLaunched, !isActive else { return }
    tell(Self.willBecomeActiveNotification) { $0.applicationWillBecomeActive($1) }
    isActive = true
    session.appState = .foreground
    tell(Self.didBecomeActiveNotification) { $0.applicationDidBecomeActive($1) }
  }

  func resignActive() {
    guard isLaunched, isActive else { return }
    tell(Self.willResignActiveNotification) { $0.applicationWillResignActive($1) }
    isActive = false
    session.appState = .background
    tell(Self.didResignActiveNotification) { $0.applicationDidResignActive($1) }
  }

  /// Posts a notification, and tells the delegate first.
  func tell(
    _ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil,
    _ method: (any NSApplicationDelegate, Notification) -> Void
  ) {
    let notification = Notification(name: name, object: self, userInfo: userInfo)
    if let delegate { method(delegate, notification) }
    NotificationCenter.default.post(notification)
  }
}
