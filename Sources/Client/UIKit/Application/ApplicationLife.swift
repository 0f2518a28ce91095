import BelfryClient
import AppWire
import Foundation
import UserNotifications

/// The life cycle of the app.
///
/// This class changes the state and calls the delegate, scenes, and observers in the same order as Apple's systems.
@MainActor
final class ApplicationLife {
  private(set) var state = UIApplication.State.inactive
  private var hasLaunched = false
  /// The number of open permission prompts that cover the app.
  private var covers = 0

  /// The user's response that launched the app, stored until the matching event arrives.
  var launchResponse: AppWire.NotificationResponse?

  private var application: UIApplication { .shared }

  /// Returns whether this response launched the app, and discards the stored launch response.
  ///
  /// A second call with the same response therefore returns false.
  func claimLaunch(_ response: AppWire.NotificationResponse) -> Bool {
    defer { launchResponse = nil }
    return launchResponse?.notification.request.id == response.notification.request.id
      && launchResponse?.action == response.action
  }

  /// Sets the initial state, so that the delegate's launch methods can read it.
  func begins(inBackground: Bool) { state = inBackground ? .background : .inactive }

  /// Completes the launch: activates the app, or starts its background time.
  func launched(inBackground: Bool) {
    hasLaunched = true
    if inBackground {
      state = .background
      application.backgroundTasks.timeBegins()
      application.session.appState = .background
    } else {
      application.scenes.connectIfNeeded(response: nil)
      application.scenes.willEnterForeground()
      activate()
    }
  }

  /// Moves the app to the foreground.
  func enterForeground(response: UNNotificationResponse? = nil) {
    guard hasLaunched, state == .background else { return }
    application.backgroundTasks.timeEnds()
    application.session.appState = .foreground
    application.scenes.connectIfNeeded(response: response)
    application.delegate?.applicationWillEnterForeground(application)
    application.scenes.willEnterForeground()
    post(UIApplication.willEnterForegroundNotification)
    activate()
  }

  /// Moves the app to the background.
  func enterBackground() {
    guard hasLaunched, state != .background else { return }
    if state == .active { deactivate() }
    state = .background
    application.backgroundTasks.timeBegins()
    application.session.appState = .background
    application.delegate?.applicationDidEnterBackground(application)
    application.scenes.didEnterBackground()
    post(UIApplication.didEnterBackgroundNotification)
  }

  /// Deactivates the app while a permission prompt covers it (S4-10).
  func cover() {
    covers += 1
    if state == .active { deactivate() }
  }

  /// Reactivates the app when the last permission prompt is answered.
  func uncover() {
    covers -= 1
    if covers == 0, hasLaunched, state == .inactive { activate() }
  }

  /// Calls the delegate and observers before the app exits.
  func terminate() {
    guard hasLaunched else { return }
    if state == .active { deactivate() }
    application.delegate?.applicationWillTerminate(application)
    post(UIApplication.willTerminateNotification)
    hasLaunched = false
  }

  private func activate() {
    guard covers == 0 else {
      state = .inactive
      return
    }
    state = .active
    application.session.appState = .foreground
    application.delegate?.applicationDidBecomeActive(application)
    application.scenes.didBecomeActive()
    post(UIApplication.didBecomeActiveNotification)
  }

  private func deactivate() {
    application.delegate?.applicationWillResignActive(application)
    application.scenes.willResignActive()
    state = .inactive
    post(UIApplication.willResignActiveNotification)
  }

  private func post(_ name: Notification.Name) {
    NotificationCenter.default.post(name: name, object: application)
  }
}
