import BelfryClient
import BelfryWire
import Foundation
import UserNotifications

/// The app: one object, for the main thread.
///
/// There is no interface here; the app's life, its notifications and its background time are the
/// agent's.
///
/// A process without windows counts as in front from its start, unless the agent started it in the
/// background, until the agent says otherwise.
@preconcurrency @MainActor
open class UIApplication: UIResponder {
  /// Where the app is in its life.
  public enum State: Int, Sendable {
    /// In front.
    case active = 0
    /// In front while a question covers it.
    case inactive = 1
    /// In the background.
    case background = 2
  }

  private static let only = UIApplication()

  /// The app.
  open class var shared: UIApplication { only }

  /// The delegate, which handles the app's life cycle and its notifications; not retained.
  open weak var delegate: (any UIApplicationDelegate)?

  let life = ApplicationLife()
  let scenes = SceneConnector()
  let backgroundTasks = BackgroundTasks()
  let session = AgentSession.shared
  var shownWindows: [UIWindow] = []
  var isFetchFormMissing = false

  /// Where the app is in its life.
  open var applicationState: State { life.state }

  /// The scenes that are connected: one at most.
  open var connectedScenes: Set<UIScene> { scenes.connected }

  /// The scenes that are remembered: those that are connected.
  open var openSessions: Set<UISceneSession> { Set(scenes.connected.map(\.session)) }

  /// Whether the app may have more than one scene: not on this system.
  open var supportsMultipleScenes: Bool { false }

  /// The windows that were made visible.
  @available(iOS, deprecated: 15.0, message: "Use UIWindowScene.windows")
  open var windows: [UIWindow] { shownWindows }

  /// The window that was made key.
  @available(iOS, deprecated: 13.0, message: "Use UIWindowScene.keyWindow")
  open var keyWindow: UIWindow? { shownWindows.first { $0.isKeyWindow } }

  /// Whether the screen stays on; stored, without effect.
  open var isIdleTimerDisabled = false

  /// Whether protected files can be read: always.
  open var isProtectedDataAvailable: Bool { true }

  /// Whether network activity is shown; stored, without effect.
  @available(iOS, deprecated: 13.0, message: "Show it in the app")
  open var isNetworkActivityIndicatorVisible = false

  /// The launcher's actions; stored, the launcher offers none.
  open var shortcutItems: [UIApplicationShortcutItem]?

  func shown(_ window: UIWindow) {
    if !shownWindows.contains(where: { $0 === window }) { shownWindows.append(window) }
  }

  /// Called by the default of a delegate method that the app left out.
  func noteMissingFetchForm() { isFetchFormMissing = true }
}
