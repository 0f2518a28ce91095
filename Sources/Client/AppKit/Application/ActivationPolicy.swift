import BelfryClient
import BelfryWire
import Foundation

extension NSApplication {
  /// Whether the app has a place in the dock and a menu.
  public enum ActivationPolicy: Int, Sendable {
    /// Both.
    case regular = 0
    /// Neither, but windows.
    case accessory = 1
    /// None of it.
    case prohibited = 2
  }
}

extension NSApplication.ActivationPolicy {
  /// The policy that a manifest declares by `LSUIElement` or `LSBackgroundOnly`.
  static func declared(by manifest: [String: Any]) -> NSApplication.ActivationPolicy {
    func isSet(_ key: String) -> Bool {
      switch manifest[key] {
      case let value as Bool: value
      case let number as NSNumber: number.boolValue
      // Old manifests have the value as text.
      case let text as String: ["1", "yes", "true"].contains(text.lowercased())
      default: false
      }
    }
    if isSet("LSBackgroundOnly") { return .prohibited }
    return isSet("LSUIElement") ? .accessory : .regular
  }
}

extension NSApplication {
  /// Whether the app may count as being in front: one without a place in the dock needs a key window.
  var mayBeInFront: Bool { policy == .regular || keyWindow != nil }

  /// Moves the app to the background if it may not be in front any more.
  func leaveFrontUnlessAllowed() {
    guard !mayBeInFront else { return }
    if isLaunched { resignActive() } else { session.appState = .background }
  }

  /// Handles a new key window, or none: it decides for an app without a place in the dock.
  func onKeyWindowChanged() {
    guard policy != .regular else { return }
    if mayBeInFront { becomeActive() } else { leaveFrontUnlessAllowed() }
  }
}
