import BelfryClient
public import Foundation

/// The user's desktop.
///
/// On this system, the workspace opens URLs and the folders of files.
open class NSWorkspace: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The options for opening a URL; they are stored, but have no effect.
  open class OpenConfiguration: NSObject {
    /// A Boolean value that indicates whether the program moves to the foreground; stored, but has no effect.
    open var activates = true

    /// A Boolean value that indicates whether the user may be prompted; stored, but has no effect.
    open var promptsUserIfNeeded = true
  }

  private static let only = NSWorkspace()

  /// The workspace shared by the app.
  open class var shared: NSWorkspace { only }

  /// The notification center for workspace notifications, which are never posted on this system.
  public let notificationCenter = NotificationCenter()

  /// Opens a URL with the desktop's default program (`xdg-open`).
  ///
  /// Returns false if no desktop is running, or if `xdg-open` is not installed.
  ///
  /// URLs of Apple's settings (`x-apple.systempreferences:`) open the desktop's notification settings, if the desktop
  /// has such a page.
  @discardableResult
  open func open(_ url: URL) -> Bool {
    ExternalURL.open(Self.translated(url)) { _ in }
    return ExternalURL.isPossible
  }

  private static func translated(_ url: URL) -> URL {
    guard url.scheme == "x-apple.systempreferences" else { return url }
    return URL(string: "app-settings:notifications") ?? url
  }

  /// Posted on Apple's systems before the machine goes to sleep; never posted on this system.
  public static let willSleepNotification = NSNotification.Name("NSWorkspaceWillSleepNotification")

  /// Posted on Apple's systems when the machine wakes; never posted on this system.
  public static let didWakeNotification = NSNotification.Name("NSWorkspaceDidWakeNotification")

  /// Posted on Apple's systems when the screens turn off; never posted on this system.
  public static let screensDidSleepNotification =
    NSNotification.Name("NSWorkspaceScreensDidSleepNotification")

  /// Posted on Apple's systems when the screens turn on; never posted on this system.
  public static let screensDidWakeNotification =
    NSNotification.Name("NSWorkspaceScreensDidWakeNotification")

  /// Posted on Apple's systems when the user's session becomes active; never posted on this system.
  public static let sessionDidBecomeActiveNotification =
    NSNotification.Name("NSWorkspaceSessionDidBecomeActiveNotification")

  /// Posted on Apple's systems when another user's session becomes active; never posted on this system.
  public static let sessionDidResignActiveNotification =
    NSNotification.Name("NSWorkspaceSessionDidResignActiveNotification")
}
