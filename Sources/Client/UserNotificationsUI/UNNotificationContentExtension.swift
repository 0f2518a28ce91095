public import Foundation
public import UIKit

/// A view controller that draws a notification's content.
///
/// The agent starts it, in a process of its own, when the window of a notification opens whose category the
/// extension's `Info.plist` names. The window shows the texts of its labels and text views and the pictures
/// of its image views, from the first to the last; places, sizes, colours and fonts have no effect.
///
/// Every member but the first is optional.
@preconcurrency @MainActor
public protocol UNNotificationContentExtension: NSObjectProtocol {
  /// The notification to draw; again for each further one of the same thread.
  func didReceive(_ notification: UNNotification)

  /// Handles the user's action; the handler gets the notification's further course.
  func didReceive(
    _ response: UNNotificationResponse,
    completionHandler completion:
      @escaping @Sendable (UNNotificationContentExtensionResponseOption) -> Void)

  /// The type of the media button.
  var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType { get }

  /// The media button's frame.
  var mediaPlayPauseButtonFrame: CGRect { get }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The media button's colour.
  var mediaPlayPauseButtonTintColor: UIColor! { get }

  /// Plays the content.
  func mediaPlay()

  /// Pauses the content.
  func mediaPause()
}

extension UNNotificationContentExtension {
  /// Dismisses the notification and hands the response to the app.
  public func didReceive(
    _ response: UNNotificationResponse,
    completionHandler completion:
      @escaping @Sendable (UNNotificationContentExtensionResponseOption) -> Void
  ) { completion(.dismissAndForwardAction) }

  /// No button.
  public var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType {
    .none
  }

  /// An empty frame.
  public var mediaPlayPauseButtonFrame: CGRect { .zero }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The system's colour.
  public var mediaPlayPauseButtonTintColor: UIColor! { .tintColor }

  /// Does nothing.
  public func mediaPlay() {}

  /// Does nothing.
  public func mediaPause() {}
}

/// The further course of a notification after a response to it.
public enum UNNotificationContentExtensionResponseOption: UInt, Sendable {
  /// Keeps the notification.
  case doNotDismiss = 0
  /// Dismisses the notification.
  case dismiss = 1
  /// Dismisses the notification and sends the response to the app.
  case dismissAndForwardAction = 2
}

/// The type of a notification's media button.
public enum UNNotificationContentExtensionMediaPlayPauseButtonType: UInt, Sendable {
  /// None.
  case none = 0
  /// A button that stays in its place.
  case `default` = 1
  /// A button over the content, hidden while it plays.
  case overlay = 2
}
