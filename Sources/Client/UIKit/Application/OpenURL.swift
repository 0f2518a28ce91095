import BelfryClient
public import Foundation

extension UIApplication {
  /// The URL of the app's settings.
  nonisolated public static let openSettingsURLString: String = "app-settings:"

  /// The URL of the app's notification settings.
  nonisolated public static let openNotificationSettingsURLString: String =
    "app-settings:notifications"

  /// Opens a URL with the desktop's default program (`xdg-open`).
  ///
  /// The two settings URLs open the desktop's notification settings, if the desktop has such a page. On any machine,
  /// the user can also change the app's settings with the `belfry settings` command.
  ///
  /// The completion handler receives true if a program opened the URL.
  @preconcurrency
  public func open(
    _ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:],
    completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {
    ExternalURL.open(url) { isDone in
      MainActor.assumeIsolated { completion?(isDone) }
    }
  }

  /// Opens a URL with the desktop's default program.
  ///
  /// Returns whether a program opened the URL.
  @discardableResult
  public func open(
    _ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:]
  ) async -> Bool {
    await withCheckedContinuation { continuation in
      ExternalURL.open(url) { continuation.resume(returning: $0) }
    }
  }

  /// Opens a URL with the desktop's default program.
  ///
  /// Returns false if no desktop is running, or if `xdg-open` is not installed.
  @available(iOS, deprecated: 10.0, message: "Use open(_:options:completionHandler:)")
  @discardableResult
  public func openURL(_ url: URL) -> Bool {
    open(url, options: [:], completionHandler: nil)
    return canOpenURL(url)
  }

  /// Returns whether the app can try to open the URL, which requires a desktop with `xdg-open`.
  public func canOpenURL(_ url: URL) -> Bool { ExternalURL.isPossible }
}
