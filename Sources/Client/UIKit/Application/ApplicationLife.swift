import BelfryClient
import BelfryWire
import Foundation
import UserNotifications

/// The life cycle of the app: it changes states and calls delegate, scenes and observers in the order in
/// which Apple's systems do.
@MainActor
final class ApplicationLife {
  private(set) var state = UIApplication.State.inactive
  private var hasLaunched = false
  /// Questions to the person that cover the app.
  private var covers = 0

  /// The response that launched the app, until its event has come.
  var launchResponse: BelfryWire.NotificationResponse?

  private var application: UIApplication { .shared }

  /// Whether this response is the one that launched the app; true once.
  func claimLaunch(_ response: BelfryWire.NotificationResponse) -> Bool {
    defer { launchResponse = nil }
    return launchResponse?.notification.request.id == response.notification.request.id
      && launchResponse?.action == response.action
  }

  /// The launch begins: a delegate that is asked to finish it may look at the state.
  func begins(inBackground: Bool) { state = inBackground ? .background : .inactive }

  /// The launch is over.
  func launched(inBackground: Bool) {
    hasLaunched = true
    if inBackground {
      state = .background
      if !BackgroundTasks.runsOn(AppIdentity.current.backgroundModes) {
        application.backgroundTasks.startedBehind()
      }
      application.backgroundTasks.timeBegins()
      application.session.appState = .background
    } else {
      application.scenes.connectIfNeeded(response: nil)
      activate()
    }
  }

  /// Brings the app to the front.
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

  /// A question to the person covers the app (S4-10).
  func cover() {
    covers += 1
    if state == .active { deactivate() }
  }

  /// The question is answered.
  func uncover() {
    covers -= 1
    if covers == 0, hasLaunched, state == .inactive { activate() }
  }

  /// The app ends.
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
