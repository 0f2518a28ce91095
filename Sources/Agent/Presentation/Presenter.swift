import BelfryWire

/// An object that shows notifications to the user and reports the user's actions; confined to the agent's loop.
protocol Presenter: AnyObject {
  /// The kind of presenter; at most one of each kind exists.
  var kind: PresenterKind { get }
  /// True if the presenter can show something now.
  var isAvailable: Bool { get }
  /// True if the user can answer a prompt on this presenter.
  var canAsk: Bool { get }
  /// Shows an event; `unixMilliseconds` is the time on the agent's clock.
  func show(_ event: PresenterEvent, atUnixMilliseconds unixMilliseconds: Int64)
  /// Completes pending work and releases resources.
  func close()
}

/// A receiver of presenters' reports; confined to the agent's loop.
protocol PresenterListener: AnyObject {
  /// Called when a notification is on screen.
  func presenterShowed(_ key: AppNotificationID)
  /// Called when the window of a content extension's notification opens or closes.
  func presenterWindow(_ key: AppNotificationID, isOpen: Bool)
  /// Called when the user chooses an action.
  func presenterActed(_ key: AppNotificationID, _ action: PersonAction)
  /// Called when the user answers the prompt with this identity.
  func presenterAnswered(_ prompt: PromptID, isAllowed: Bool)
  /// Called when the user dismisses a prompt without an answer.
  func presenterPostponed(_ prompt: PromptID)
  /// Called when the user chooses Keep or Turn Off for an app with provisional permission.
  func presenterDecided(_ app: AppID, keepsNotifications: Bool)
  /// Called when a presenter becomes available.
  ///
  /// If `isNew` is true, the presenter must receive the notifications that have not been shown yet. If `isNew` is
  /// false, the presenter has only found a new server, and already has the notifications.
  func presenterAppeared(_ kind: PresenterKind, isNew: Bool)
}
