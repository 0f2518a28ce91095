public import Foundation
public import UIKit

/// A view controller that draws a notification's content.
///
/// The agent starts the extension in a separate process when a notification's window opens, if the extension's
/// `Info.plist` lists the notification's category. The window shows the text of the view controller's labels and text
/// views and the images of its image views, in order; positions, sizes, colors, and fonts have no effect.
///
/// Every member except the first is optional.
@preconcurrency @MainActor
public protocol UNNotificationContentExtension: NSObjectProtocol {
  /// Delivers the notification to draw; called again for each subsequent notification in the same thread.
  func didReceive(_ notification: UNNotification)

  /// Handles the user's action.
  ///
  /// The handler receives the response option, which determines what happens to the notification.
  func didReceive(
    _ response: UNNotificationResponse,
    completionHandler completion:
      @escaping @Sendable (UNNotificationContentExtensionResponseOption) -> Void)

  /// The type of the media button.
  var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType { get }

  /// The frame of the media button.
  var mediaPlayPauseButtonFrame: CGRect { get }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The tint color of the media button.
  var mediaPlayPauseButtonTintColor: UIColor! { get }

  /// Starts playing the media content.
  func mediaPlay()

  /// Pauses the media content.
  func mediaPause()
}

extension UNNotificationContentExtension {
  /// Dismisses the notification and forwards the response to the app.
  public func didReceive(
    _ response: UNNotificationResponse,
    completionHandler completion:
      @escaping @Sendable (UNNotificationContentExtensionResponseOption) -> Void
  ) { completion(.dismissAndForwardAction) }

  /// The default is `.none`: there is no media button.
  public var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType {
    .none
  }

  /// The default is an empty frame.
  public var mediaPlayPauseButtonFrame: CGRect { .zero }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The default is the app's tint color.
  public var mediaPlayPauseButtonTintColor: UIColor! { .tintColor }

  /// The default implementation does nothing.
  public func mediaPlay() {}

  /// The default implementation does nothing.
  public func mediaPause() {}
}

/// The options for handling a notification after the user's response.
public enum UNNotificationContentExtensionResponseOption: UInt, Sendable {
  /// The notification stays open, and the app does not receive the response.
  case doNotDismiss = 0
  /// The notification is dismissed, and the app does not receive the response.
  case dismiss = 1
  /// The notification is dismissed, and the response is sent to the app.
  case dismissAndForwardAction = 2
}

/// The types of media buttons.
public enum UNNotificationContentExtensionMediaPlayPauseButtonType: UInt, Sendable {
  /// There is no media button.
  case none = 0
  /// A button that is always visible.
  case `default` = 1
  /// A button that covers the content and is hidden while the content plays.
  case overlay = 2
}
