import BelfryClient
import AppWire
import Foundation
import UserNotifications

extension NSApplication {
  /// Launches the app if it has not launched yet, and runs the main run loop until the process exits.
  public func run() {
    finishLaunching()
    isRunning = true
    ApplicationRunLoop.run { NSApplication.shared.ending() }
  }

  /// Terminates the app, unless its delegate cancels the termination.
  public func terminate(_ sender: Any?) {
    switch delegate?.applicationShouldTerminate(self) ?? .terminateNow {
    case .terminateCancel: return
    case .terminateLater: waitsForTerminationReply = true
    case .terminateNow: ApplicationRunLoop.end { ending() }
    }
  }

  /// Terminates the app or cancels the termination, after the delegate has returned `terminateLater`.
  public func reply(toApplicationShouldTerminate shouldTerminate: Bool) {
    guard waitsForTerminationReply else { return }
    waitsForTerminationReply = false
    if shouldTerminate { ApplicationRunLoop.end { ending() } }
  }

  /// Does nothing: the run loop runs until the process exits.
  public func stop(_ sender: Any?) {}

  func ending() {
    resignActive()
    notifyDelegate(Self.willTerminateNotification) { $0.applicationWillTerminate($1) }
  }

  /// Moves the app to the foreground.
  ///
  /// An app without a Dock icon moves to the foreground only if it has a key window. This condition does not apply if
  /// `isKnown` is true, because the agent has then reported that the app is in the foreground.
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

  /// Calls the delegate, and then posts the given notification.
  func notifyDelegate(
    _ name: Notification.Name, userInfo: [AnyHashable: Any]? = nil,
    _ method: (any NSApplicationDelegate, Notification) -> Void
  ) {
    let notification = Notification(name: name, object: self, userInfo: userInfo)
    if let delegate { method(delegate, notification) }
    NotificationCenter.default.post(notification)
  }
}
