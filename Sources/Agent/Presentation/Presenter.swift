import BelfryWire

/// An event for presenters.
enum PresenterEvent: Hashable, Sendable {
  case presented(Presentation)
  /// Its texts changed; nothing to do if it is no longer shown.
  case refreshed(Presentation)
  /// It came without a banner: it stands in lists alone.
  case listed(Presentation)
  /// Its content extension shows this in its window.
  case drawn(AppNotificationID, Drawing)
  /// Its window is to be closed; the notification stays.
  case windowClosed(AppNotificationID)
  /// An app is being started behind its image; nil when it is there, or has none.
  case launchImage(LocalApp, path: String?)  // text: a path, compared by tests only
  case removed(AppNotificationID)
  case badge(AppID, Int64)
  case sound(AppNotificationID, NotificationSound)
  case suppressed(AppNotificationID, Routing.Suppression)
  case launched(AppID, AppLaunch.Reason)
  case link(isUp: Bool)
  case prompt(Prompt)
  case promptWithdrawn(Prompt)
}

/// Shows notifications to a person and reports the person's actions; confined to the agent's loop.
protocol Presenter: AnyObject {
  /// The kind of presenter; there is at most one of each.
  var kind: AgentConfiguration.PresenterKind { get }
  /// Whether it can show something now.
  var isAvailable: Bool { get }
  /// Whether a person can answer a prompt here.
  var canAsk: Bool { get }
  /// Shows an event; `unixMilliseconds` is the agent's clock.
  func show(_ event: PresenterEvent, atUnixMilliseconds unixMilliseconds: Int64)
  /// Finishes what is under way and releases its resources.
  func close()
}

/// Receives the reports of presenters; confined to the agent's loop.
protocol PresenterListener: AnyObject {
  /// A notification is on screen.
  func presenterShowed(_ key: AppNotificationID)
  /// A notification's window has opened, or is gone; only of one that a content extension shows.
  func presenterWindow(_ key: AppNotificationID, isOpen: Bool)
  /// A person chose an action.
  func presenterActed(_ key: AppNotificationID, _ action: PersonAction)
  /// A person answered the prompt of that identity.
  func presenterAnswered(_ prompt: PromptID, isAllowed: Bool)
  /// A person dismissed a prompt without an answer.
  func presenterPostponed(_ prompt: PromptID)
  /// A person keeps an app's notifications that come quietly so far, or turns them off.
  func presenterDecided(_ app: AppID, keepsNotifications: Bool)
  /// A presenter became available: a new one is sent what has not been shown yet; one with a new server has that
  /// already.
  func presenterAppeared(_ kind: AgentConfiguration.PresenterKind, isNew: Bool)
}
