import BelfryClient
import BelfryWire
import Foundation
import UserNotifications

extension NSApplication {
  /// Launches if that has not happened, and runs the main run loop until the process ends.
  public func run() {
    finishLaunching()
    isRunning = true
    ApplicationRunLoop.run { NSApplication.shared.ending() }
  }

  /// Ends the app, unless its delegate does not want it.
  public func terminate(_ sender: Any?) {
    switch delegate?.applicationShouldTerminate(self) ?? .terminateNow {
    case .terminateCancel: return
    case .terminateLater: waitsForTerminationReply = true
    case .terminateNow: ApplicationRunLoop.end { ending() }
    }
  }

  /// Decides whether the app ends, after `terminateLater`.
  public func reply(toApplicationShouldTerminate shouldTerminate: Bool) {
    guard waitsForTerminationReply else { return }
    waitsForTerminationReply = false
    if shouldTerminate { ApplicationRunLoop.end { ending() } }
  }

  /// Does nothing: the run loop ends with the process.
  public func stop(_ sender: Any?) {}

  func ending() {
    resignActive()
    notifyDelegate(Self.willTerminateNotification) { $0.applicationWillTerminate($1) }
  }

  /// Moves the app to the front; one without a place in the dock only while it has a key window, unless the agent
  /// knows that it is in front.
  func becomeActive(isKnown: Bool = false) {
    guard isLaunched, !isActive, isKnown || mayBeInFront else { return }
    notifyDelegate(Self.willBecomeActiveNotification) { $0.applicationWillBecomeActive($1) }
    isActive = true
    session.appState = .foreground
    notifyDelegate(Self.didBecomeActiveNotification) { $0.applicationDidBecomeActive($1) }
  }

  func resignActive() {
    guard isLaunched, isActive else { return }
    notifyDelegate(Self.willResignActiveNotification) { $0.applicationWillResignActive($1) }
    isActive = false
    session.appState = .background
    notifyDelegate(Self.didResignActiveNotification) { $0.applicationDidResignActive($1) }
  }

  /// Calls the delegate, then posts a notification.
  func notifyDelegate(
    _ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil,
    _ method: (any NSApplicationDelegate, Notification) -> Void
  ) {
    let notification = Notification(name: name, object: self, userInfo: userInfo)
    if let delegate { method(delegate, notification) }
    NotificationCenter.default.post(notification)
  }
}
