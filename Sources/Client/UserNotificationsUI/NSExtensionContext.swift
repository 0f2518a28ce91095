public import Foundation
public import UIKit

/// The interface to an extension's host; no app hosts one on this system.
open class NSExtensionContext: NSObject {
  /// The notification's actions; stored without effect.
  open var notificationActions: [UNNotificationAction] = []

  /// Opens the app; without effect.
  open func performNotificationDefaultAction() {}

  /// Dismisses the notification; without effect.
  open func dismissNotificationContentExtension() {}

  /// Reports that the content started playing; without effect.
  open func mediaPlayingStarted() {}

  /// Reports that the content paused; without effect.
  open func mediaPlayingPaused() {}

  /// Opens a URL; the handler gets false.
  open func open(_ url: URL, completionHandler: ((Bool) -> Void)? = nil) {
    completionHandler?(false)
  }
}

extension UIViewController {
  /// The extension's context: nil on this system.
  public var extensionContext: NSExtensionContext? { nil }
}
