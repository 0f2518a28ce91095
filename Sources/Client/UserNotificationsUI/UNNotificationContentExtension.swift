public import Foundation
public import UIKit

/// A view controller that draws a notification's content.
///
/// The agent starts no content extensions: on this system the desktop draws notifications. The
/// protocol is here so that an app's sources compile, and so that the app can show the same view
/// controller in its own window.
///
/// Every member but the first is optional.
@preconcurrency @MainActor
public protocol UNNotificationContentExtension: NSObjectProtocol {
  /// The notification to draw; again for each further one of the same thread.
  func didReceive(_ notification: UNNotification)

  /// The user chose an action; the handler says what becomes of the notification.
  func didReceive(
    _ response: UNNotificationResponse,
    completionHandler completion:
      @escaping @Sendable (UNNotificationContentExtensionResponseOption) -> Void)

  /// Which button plays the content.
  var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType { get }

  /// Where that button is.
  var mediaPlayPauseButtonFrame: CGRect { get }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// That button's colour.
  var mediaPlayPauseButtonTintColor: UIColor! { get }

  /// The content plays from now on.
  func mediaPlay()

  /// The content pauses.
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

  /// Nowhere.
  public var mediaPlayPauseButtonFrame: CGRect { .zero }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The system's colour.
  public var mediaPlayPauseButtonTintColor: UIColor! { .tintColor }

  /// Does nothing.
  public func mediaPlay() {}

  /// Does nothing.
  public func mediaPause() {}
}

/// What becomes of a notification after a response to it.
public enum UNNotificationContentExtensionResponseOption: UInt, Sendable {
  /// It stays.
  case doNotDismiss = 0
  /// It goes.
  case dismiss = 1
  /// It goes, and the app gets the response.
  case dismissAndForwardAction = 2
}

/// Which button plays a notification's content.
public enum UNNotificationContentExtensionMediaPlayPauseButtonType: UInt, Sendable {
  /// None.
  case none = 0
  /// One that stays in its place.
  case `default` = 1
  /// One over the content, which goes while it plays.
  case overlay = 2
}
