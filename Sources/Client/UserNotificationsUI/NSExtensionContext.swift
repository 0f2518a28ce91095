import BelfryClient
import BelfryWire
public import Foundation
public import UIKit

/// The interface of a content extension to the window that shows its notification.
open class NSExtensionContext: NSObject {
  /// What the extension has set; nil until it sets something.
  private(set) var changedActions: [UNNotificationAction]?
  private let actions: [UNNotificationAction]

  init(actions: [UNNotificationAction]) {
    self.actions = actions
    super.init()
  }

  /// The notification's actions: its category's until the extension sets others, which take their place in
  /// the window.
  open var notificationActions: [UNNotificationAction] {
    get { changedActions ?? actions }
    set {
      changedActions = newValue
      DispatchQueue.main.async {
        MainActor.assumeIsolated { () -> Void in ContentExtensionProcess.drawSoon() }
      }
    }
  }

  /// Opens the app, as a click on the notification does.
  open func performNotificationDefaultAction() { AgentSession.shared.send(.contentWish(.open)) }

  /// Closes the window; the notification stays in the Notification Center.
  open func dismissNotificationContentExtension() {
    AgentSession.shared.send(.contentWish(.close))
  }

  /// Reports that the content started playing; without effect.
  open func mediaPlayingStarted() {}

  /// Reports that the content paused; without effect.
  open func mediaPlayingPaused() {}

  /// Opens a URL by the desktop's own means.
  open func open(_ url: URL, completionHandler: ((Bool) -> Void)? = nil) {
    let handler = completionHandler.map { MainThreadOnly($0) }
    ExternalURL.open(url) { handler?.value($0) }
  }
}

extension UIViewController {
  /// The context of a content extension's view controller; nil in other processes.
  public var extensionContext: NSExtensionContext? { ContentExtensionProcess.context }
}
