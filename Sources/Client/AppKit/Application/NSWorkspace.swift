import BelfryClient
public import Foundation

/// The user's desktop, as far as notifications lead to it: it opens URLs.
open class NSWorkspace: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// How a URL is opened; stored, without effect.
  open class OpenConfiguration: NSObject {
    /// Whether the program comes to the front; stored, without effect.
    open var activates = true

    /// Whether the user may be asked; stored, without effect.
    open var promptsUserIfNeeded = true
  }

  private static let only = NSWorkspace()

  /// The desktop.
  open class var shared: NSWorkspace { only }

  /// Where the desktop's events are posted: none are on this system.
  public let notificationCenter = NotificationCenter()

  /// Opens a URL with the desktop's own program (`xdg-open`), and returns whether that is possible.
  ///
  /// URLs of Apple's settings (`x-apple.systempreferences:`) open the desktop's page of
  /// notification settings where it has one.
  @discardableResult
  open func open(_ url: URL) -> Bool {
    ExternalURL.open(Self.translated(url)) { _ in }
    return ExternalURL.isPossible
  }

  private static func translated(_ url: URL) -> URL {
    guard url.scheme == "x-apple.systempreferences" else { return url }
    return URL(string: "app-settings:notifications") ?? url
  }

  /// The machine is about to sleep; never posted on this system.
  public static let willSleepNotification = NSNotification.Name("NSWorkspaceWillSleepNotification")

  /// The machine woke; never posted on this system.
  public static let didWakeNotification = NSNotification.Name("NSWorkspaceDidWakeNotification")

  /// The screens went off; never posted on this system.
  public static let screensDidSleepNotification =
    NSNotification.Name("NSWorkspaceScreensDidSleepNotification")

  /// The screens went on; never posted on this system.
  public static let screensDidWakeNotification =
    NSNotification.Name("NSWorkspaceScreensDidWakeNotification")

  /// The user came back; never posted on this system.
  public static let sessionDidBecomeActiveNotification =
    NSNotification.Name("NSWorkspaceSessionDidBecomeActiveNotification")

  /// Another user came; never posted on this system.
  public static let sessionDidResignActiveNotification =
    NSNotification.Name("NSWorkspaceSessionDidResignActiveNotification")
}
