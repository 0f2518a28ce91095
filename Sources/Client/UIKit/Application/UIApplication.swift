import BelfryClient
import BelfryWire
import Foundation
import UserNotifications

/// The app object, a singleton that is used on the main thread.
///
/// Nothing is drawn on this system; the agent manages the app's life cycle, notifications, and background time.
///
/// A process without windows counts as being in the foreground from its start until the agent reports another state,
/// unless the agent started it in the background.
@preconcurrency @MainActor
open class UIApplication: UIResponder {
  /// The states of an app.
  public enum State: Int, Sendable {
    /// The app is in the foreground and active.
    case active = 0
    /// The app is in the foreground, but a prompt covers it.
    case inactive = 1
    /// The app is in the background.
    case background = 2
  }

  private static let only = UIApplication()

  /// The singleton app object, created at its first use.
  open class var shared: UIApplication { only }

  /// The delegate, which handles the app's life cycle and its notifications; not retained.
  open weak var delegate: (any UIApplicationDelegate)?

  let life = ApplicationLife()
  let scenes = SceneConnector()
  let backgroundTasks = BackgroundTasks()
  let session = AgentSession.shared
  var shownWindows: [UIWindow] = []
  var isFetchFormMissing = false

  /// The state of the app.
  open var applicationState: State { life.state }

  /// The connected scenes; at most one.
  open var connectedScenes: Set<UIScene> { scenes.connected }

  /// The sessions of the connected scenes; no other sessions are stored.
  open var openSessions: Set<UISceneSession> { Set(scenes.connected.map(\.session)) }

  /// A Boolean value that indicates whether the app supports multiple scenes; always false on this system.
  open var supportsMultipleScenes: Bool { false }

  /// The windows that the app has made visible.
  @available(iOS, deprecated: 15.0, message: "Use UIWindowScene.windows")
  open var windows: [UIWindow] { shownWindows }

  /// The key window of the app.
  @available(iOS, deprecated: 13.0, message: "Use UIWindowScene.keyWindow")
  open var keyWindow: UIWindow? { shownWindows.first { $0.isKeyWindow } }

  /// A Boolean value that indicates whether the screen stays on; stored, but has no effect.
  open var isIdleTimerDisabled = false

  /// A Boolean value that indicates whether protected files can be read; always true on this system.
  open var isProtectedDataAvailable: Bool { true }

  /// A Boolean value that indicates whether a network activity indicator is visible; stored, but has no effect.
  @available(iOS, deprecated: 13.0, message: "Show it in the app")
  open var isNetworkActivityIndicatorVisible = false

  /// The Home Screen quick actions.
  ///
  /// They are stored, but the launcher does not offer them.
  open var shortcutItems: [UIApplicationShortcutItem]?

  func shown(_ window: UIWindow) {
    if !shownWindows.contains(where: { $0 === window }) { shownWindows.append(window) }
  }

  /// Records that the app does not implement the method with a fetch completion handler; called by that method's
  /// default implementation.
  func noteMissingFetchForm() { isFetchFormMissing = true }
}
