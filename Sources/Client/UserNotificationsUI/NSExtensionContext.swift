public import Foundation
public import UIKit

/// What an extension asks of the app that shows it: nothing does on this system.
open class NSExtensionContext: NSObject {
  /// The actions that the notification shows; kept.
  open var notificationActions: [UNNotificationAction] = []

  /// Opens the app: does nothing.
  open func performNotificationDefaultAction() {}

  /// Takes the notification away: does nothing.
  open func dismissNotificationContentExtension() {}

  /// The content began to play: does nothing.
  open func mediaPlayingStarted() {}

  /// The content pauses: does nothing.
  open func mediaPlayingPaused() {}

  /// Opens a URL: the handler is told that it was not.
  open func open(_ url: URL, completionHandler: ((Bool) -> Void)? = nil) {
    completionHandler?(false)
  }
}

extension UIViewController {
  /// What shows it as an extension: nothing on this system.
  public var extensionContext: NSExtensionContext? { nil }
}
