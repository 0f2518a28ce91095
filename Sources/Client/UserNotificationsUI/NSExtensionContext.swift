import BelfryClient
import AppWire
public import Foundation
public import UIKit

/// The interface between a content extension and the window that shows its notification.
open class NSExtensionContext: NSObject {
  /// The actions that the extension has set; nil if it has not set any.
  private(set) var changedActions: [UNNotificationAction]?
  private let actions: [UNNotificationAction]

  init(actions: [UNNotificationAction]) {
    self.actions = actions
    super.init()
  }

  /// The actions that the window shows: the actions that the extension has set or, if it has not set any, the actions
  /// of the notification or its category.
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

  /// Reports that the content started playing; has no effect on this system.
  open func mediaPlayingStarted() {}

  /// Reports that the content paused; has no effect on this system.
  open func mediaPlayingPaused() {}

  /// Opens a URL with the desktop's default program.
  open func open(_ url: URL, completionHandler: ((Bool) -> Void)? = nil) {
    let handler = completionHandler.map { MainThreadOnly($0) }
    ExternalURL.open(url) { handler?.value($0) }
  }
}

extension UIViewController {
  /// The context of a content extension's view controller; nil if this process is not a content extension.
  public var extensionContext: NSExtensionContext? { ContentExtensionProcess.context }
}
