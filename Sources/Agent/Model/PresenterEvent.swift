package import AppWire

/// A kind of presenter (`belfry agent --presenter`).
public enum PresenterKind: String, Sendable, CaseIterable {
  case desktop, terminal, json
}

/// An event for presenters.
package enum PresenterEvent: Hashable, Sendable {
  case presented(Presentation)
  /// The text of a notification changed; ignored if the notification is no longer shown.
  case refreshed(Presentation)
  /// A notification without a banner, which is shown in lists only.
  case listed(Presentation)
  /// A content extension's drawing for the window of its notification.
  case drawn(AppNotificationID, Drawing)
  /// The window of a notification is to be closed; the notification remains.
  case windowClosed(AppNotificationID)
  /// An app is being started, and its launch image is shown; nil removes the image.
  case launchImage(LocalApp, path: String?)  // text: a path, compared by tests only
  case removed(AppNotificationID)
  case badge(AppID, Int64)
  case sound(AppNotificationID, NotificationSound)
  case suppressed(AppNotificationID, Routing.Suppression)
  /// An app is being started.
  case launched(AppID, AppLaunch.Reason)
  /// The app that was to be started cannot be started.
  case launchFailed(AppID, why: String)  // text: compared by tests only
  case link(isUp: Bool)
  case prompt(Prompt)
  case promptWithdrawn(Prompt)
}
