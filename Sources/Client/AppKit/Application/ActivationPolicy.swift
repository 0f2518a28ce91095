import BelfryClient
import AppWire
import Foundation

extension NSApplication {
  /// The policies that determine whether an app has a Dock icon and a menu.
  public enum ActivationPolicy: Int, Sendable {
    /// The app has a Dock icon and a menu.
    case regular = 0
    /// The app has neither a Dock icon nor a menu, but can have windows.
    case accessory = 1
    /// The app has no Dock icon, no menu, and no windows.
    case prohibited = 2
  }
}

extension NSApplication.ActivationPolicy {
  /// Returns the policy that a manifest declares with `LSUIElement` or `LSBackgroundOnly`.
  static func declared(by manifest: [String: Any]) -> NSApplication.ActivationPolicy {
    func isSet(_ key: String) -> Bool {
      switch manifest[key] {
      case let value as Bool: value
      case let number as NSNumber: number.boolValue
      // Old manifests store the value as a string.
      case let text as String: ["1", "yes", "true"].contains(text.lowercased())
      default: false
      }
    }
    if isSet("LSBackgroundOnly") { return .prohibited }
    return isSet("LSUIElement") ? .accessory : .regular
  }
}

extension NSApplication {
  /// True if the app can be in the foreground.
  ///
  /// An app without a Dock icon needs a key window.
  var mayBeInFront: Bool { policy == .regular || keyWindow != nil }

  /// Moves the app to the background if it can no longer be in the foreground.
  func leaveFrontUnlessAllowed() {
    guard !mayBeInFront else { return }
    if isLaunched { resignActive() } else { session.appState = .background }
  }

  /// Handles a change of the key window.
  ///
  /// The key window determines whether an app without a Dock icon is in the foreground.
  func onKeyWindowChanged() {
    guard policy != .regular else { return }
    if mayBeInFront { becomeActive() } else { leaveFrontUnlessAllowed() }
  }
}
