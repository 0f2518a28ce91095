import BelfryWire

/// What a presenter is told, with the agent's clock.
enum PresenterEvent: Hashable, Sendable {
  case presented(Presentation)
  /// It reads otherwise now; nothing where it does not stand any more.
  case refreshed(Presentation)
  /// It came without a banner: it stands in lists alone.
  case listed(Presentation)
  case removed(AppNotificationID)
  case badge(AppID, Int64)
  case sound(AppNotificationID, NotificationSound)
  case suppressed(AppNotificationID, Routing.Suppression)
  case launched(AppID, AppLaunch.Reason)
  case link(isUp: Bool)
  case prompt(Prompt)
  case promptWithdrawn(Prompt)
}

/// Shows a person what happens and hears what the person does; confined to the agent's loop.
protocol Presenter: AnyObject {
  /// Which of the kinds of presenters it is: there is one of each at most.
  var kind: AgentConfiguration.PresenterKind { get }
  /// Whether it can show something now.
  var isAvailable: Bool { get }
  /// Whether a person can answer a prompt here.
  var canAsk: Bool { get }
  /// Shows an event; `unixMilliseconds` is the agent's clock.
  func show(_ event: PresenterEvent, atUnixMilliseconds unixMilliseconds: Int64)
  /// Finishes what is under way and lets go.
  func close()
}

/// Hears what presenters report; confined to the agent's loop.
protocol PresenterListener: AnyObject {
  /// A notification is on screen.
  func presenterShowed(_ key: AppNotificationID)
  /// A person chose an action.
  func presenterActed(_ key: AppNotificationID, _ action: PersonAction)
  /// A person answered the prompt of that identity.
  func presenterAnswered(_ prompt: PromptID, isAllowed: Bool)
  /// A person put a prompt away without an answer.
  func presenterPostponed(_ prompt: PromptID)
  /// A person keeps an app's notifications that come quietly so far, or turns them off.
  func presenterDecided(_ app: AppID, keepsNotifications: Bool)
  /// A presenter can show something now: one that is new is told what nobody has seen yet, one
  /// whose server is another knows that by itself.
  func presenterAppeared(_ kind: AgentConfiguration.PresenterKind, isNew: Bool)
}
