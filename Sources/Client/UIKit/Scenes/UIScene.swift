public import Foundation
public import UserNotifications

/// One occurrence of the app's interface.
///
/// On this system an app has at most one, without anything drawn: it carries the app's life to
/// scene delegates.
@preconcurrency @MainActor
open class UIScene: UIResponder {
  /// Where a scene is in its life.
  public enum ActivationState: Int, Sendable {
    /// Not connected.
    case unattached = -1
    /// In front, and in use.
    case foregroundActive = 0
    /// In front.
    case foregroundInactive = 1
    /// In the background.
    case background = 2
  }

  /// The session that it belongs to.
  public let session: UISceneSession

  /// The delegate, which handles its life cycle.
  open var delegate: (any UISceneDelegate)?

  /// Where it is in its life.
  open internal(set) var activationState: ActivationState = .unattached

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// What it is called.
  open var title: String! = ""

  /// A scene of a session.
  public required init(session: UISceneSession, connectionOptions: UIScene.ConnectionOptions) {
    self.session = session
    super.init()
  }

  /// Opens a URL with the desktop's own program.
  open func open(
    _ url: URL, options: UIScene.OpenExternalURLOptions?,
    completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {
    UIApplication.shared.open(url, options: [:], completionHandler: completion)
  }

  /// Posted after a scene was connected.
  nonisolated public static let willConnectNotification = NSNotification.Name(
    rawValue: "UISceneWillConnectNotification")

  /// Posted after a scene was disconnected.
  nonisolated public static let didDisconnectNotification = NSNotification.Name(
    rawValue: "UISceneDidDisconnectNotification")

  /// Posted when a scene comes to the front.
  nonisolated public static let didActivateNotification = NSNotification.Name(
    rawValue: "UISceneDidActivateNotification")

  /// Posted before a scene leaves the front.
  nonisolated public static let willDeactivateNotification = NSNotification.Name(
    rawValue: "UISceneWillDeactivateNotification")

  /// Posted before a scene comes back from the background.
  nonisolated public static let willEnterForegroundNotification = NSNotification.Name(
    rawValue: "UISceneWillEnterForegroundNotification")

  /// Posted when a scene is in the background.
  nonisolated public static let didEnterBackgroundNotification = NSNotification.Name(
    rawValue: "UISceneDidEnterBackgroundNotification")
}

extension UIScene {
  /// Why a scene was made.
  @preconcurrency @MainActor
  open class ConnectionOptions: NSObject {
    /// The response that launched the app; nil when something else did.
    public let notificationResponse: UNNotificationResponse?

    /// URLs to open.
    public let urlContexts: Set<UIOpenURLContext>

    /// An action of the app's launcher; nil on this system.
    open var shortcutItem: UIApplicationShortcutItem? { nil }

    /// Activities to go on with; none on this system.
    public let userActivities: Set<NSUserActivity>

    /// The app that asked; nil on this system.
    open var sourceApplication: String? { nil }

    /// An activity handed over from another device; nil on this system.
    open var handoffUserActivityType: String? { nil }

    init(
      notificationResponse: UNNotificationResponse? = nil, urlContexts: Set<UIOpenURLContext> = [],
      userActivities: Set<NSUserActivity> = []
    ) {
      self.notificationResponse = notificationResponse
      self.urlContexts = urlContexts
      self.userActivities = userActivities
      super.init()
    }
  }

  /// How a URL is opened from a scene; stored, without effect.
  @preconcurrency @MainActor
  open class OpenExternalURLOptions: NSObject {
    /// Only in an app that claims the link.
    open var universalLinksOnly = false
  }
}

/// A URL to open.
@preconcurrency @MainActor
open class UIOpenURLContext: NSObject {
  /// The URL.
  public let url: URL

  /// How it is to be opened.
  public let options: UIScene.OpenURLOptions

  init(url: URL) {
    self.url = url
    options = UIScene.OpenURLOptions()
    super.init()
  }
}

extension UIScene {
  /// What comes with a URL to open.
  @preconcurrency @MainActor
  open class OpenURLOptions: NSObject {
    /// The app that asked; nil on this system.
    open var sourceApplication: String? { nil }

    /// Data that came with it; nil on this system.
    open var annotation: Any? { nil }

    /// Whether the file must be copied before it is used.
    open var openInPlace: Bool { true }
  }
}

extension UNNotificationResponse {
  /// The scene that shall handle the response; nil when the app has none.
  @MainActor public var targetScene: UIScene? { UIApplication.shared.connectedScenes.first }
}
