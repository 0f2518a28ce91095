public import Foundation
public import UserNotifications

/// An instance of the app's interface.
///
/// On this system, an app has at most one scene, and nothing is drawn: the scene forwards the app's life-cycle events
/// to scene delegates.
@preconcurrency @MainActor
open class UIScene: UIResponder {
  /// The activation states of a scene.
  public enum ActivationState: Int, Sendable {
    /// The scene is not connected.
    case unattached = -1
    /// The scene is in the foreground and active.
    case foregroundActive = 0
    /// The scene is in the foreground and inactive.
    case foregroundInactive = 1
    /// The scene is in the background.
    case background = 2
  }

  /// The session that the scene belongs to.
  public let session: UISceneSession

  /// The delegate, which handles the scene's life-cycle events.
  open var delegate: (any UISceneDelegate)?

  /// The activation state of the scene.
  open internal(set) var activationState: ActivationState = .unattached

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The title of the scene.
  open var title: String! = ""

  /// Creates a scene for a session.
  public required init(session: UISceneSession, connectionOptions: UIScene.ConnectionOptions) {
    self.session = session
    super.init()
  }

  /// Opens a URL with the desktop's default program.
  open func open(
    _ url: URL, options: UIScene.OpenExternalURLOptions?,
    completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {
    UIApplication.shared.open(url, options: [:], completionHandler: completion)
  }

  /// Posted after a scene connects.
  nonisolated public static let willConnectNotification = NSNotification.Name(
    rawValue: "UISceneWillConnectNotification")

  /// Posted after a scene disconnects.
  nonisolated public static let didDisconnectNotification = NSNotification.Name(
    rawValue: "UISceneDidDisconnectNotification")

  /// Posted when a scene becomes active.
  nonisolated public static let didActivateNotification = NSNotification.Name(
    rawValue: "UISceneDidActivateNotification")

  /// Posted when a scene is about to become inactive.
  nonisolated public static let willDeactivateNotification = NSNotification.Name(
    rawValue: "UISceneWillDeactivateNotification")

  /// Posted before a scene enters the foreground.
  nonisolated public static let willEnterForegroundNotification = NSNotification.Name(
    rawValue: "UISceneWillEnterForegroundNotification")

  /// Posted when a scene enters the background.
  nonisolated public static let didEnterBackgroundNotification = NSNotification.Name(
    rawValue: "UISceneDidEnterBackgroundNotification")
}

extension UIScene {
  /// The reasons for creating a scene.
  @preconcurrency @MainActor
  open class ConnectionOptions: NSObject {
    /// The response that launched the app; nil if something else launched it.
    public let notificationResponse: UNNotificationResponse?

    /// The URLs to open; empty on this system, which passes URLs to `scene(_:openURLContexts:)` instead.
    public let urlContexts: Set<UIOpenURLContext>

    /// The Home Screen quick action that the user chose; nil on this system.
    open var shortcutItem: UIApplicationShortcutItem? { nil }

    /// The activities to continue; empty on this system.
    public let userActivities: Set<NSUserActivity>

    /// The app that requested the scene; nil on this system.
    open var sourceApplication: String? { nil }

    /// The type of an activity handed over from another device; nil on this system.
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

  /// The options for opening a URL from a scene; they are stored, but have no effect.
  @preconcurrency @MainActor
  open class OpenExternalURLOptions: NSObject {
    /// A Boolean value that indicates whether the URL is opened only in an app that claims the link.
    open var universalLinksOnly = false
  }
}

/// A URL to open, with its options.
@preconcurrency @MainActor
open class UIOpenURLContext: NSObject {
  /// The URL to open.
  public let url: URL

  /// The options for opening the URL.
  public let options: UIScene.OpenURLOptions

  init(url: URL) {
    self.url = url
    options = UIScene.OpenURLOptions()
    super.init()
  }
}

extension UIScene {
  /// The options that are passed with a URL to open.
  @preconcurrency @MainActor
  open class OpenURLOptions: NSObject {
    /// The app that requested the URL; nil on this system.
    open var sourceApplication: String? { nil }

    /// Data that was passed with the URL; nil on this system.
    open var annotation: Any? { nil }

    /// A Boolean value that indicates whether the app can open the file in place; always true on this system.
    open var openInPlace: Bool { true }
  }
}

extension UNNotificationResponse {
  /// The scene that handles the response; nil if the app has no scene.
  @MainActor public var targetScene: UIScene? { UIApplication.shared.connectedScenes.first }
}
