import BelfryClient
public import Foundation

extension UIApplication {
  /// Opens the app's settings.
  nonisolated public static let openSettingsURLString: String = "app-settings:"

  /// Opens the app's notification settings.
  nonisolated public static let openNotificationSettingsURLString: String =
    "app-settings:notifications"

  /// Opens a URL with the desktop's own program (`xdg-open`).
  ///
  /// The two settings URLs open the desktop's page of notification settings where it has one;
  /// `belfry settings` has the app's switches on every machine.
  ///
  /// `completion`: whether a program took it.
  @preconcurrency
  public func open(
    _ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:],
    completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {
    ExternalURL.open(url) { isDone in
      MainActor.assumeIsolated { completion?(isDone) }
    }
  }

  /// Opens a URL with the desktop's own program; returns whether one took it.
  @discardableResult
  public func open(
    _ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:]
  ) async -> Bool {
    await withCheckedContinuation { continuation in
      ExternalURL.open(url) { continuation.resume(returning: $0) }
    }
  }

  /// Opens a URL with the desktop's own program, and returns whether that is possible.
  @available(iOS, deprecated: 10.0, message: "Use open(_:options:completionHandler:)")
  @discardableResult
  public func openURL(_ url: URL) -> Bool {
    open(url, options: [:], completionHandler: nil)
    return canOpenURL(url)
  }

  /// Whether opening the URL can be tried: a desktop with `xdg-open` is there.
  public func canOpenURL(_ url: URL) -> Bool { ExternalURL.isPossible }
}
