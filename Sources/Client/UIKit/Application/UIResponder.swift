public import Foundation

/// The superclass of objects that handle events.
///
/// This system has neither touch nor key events; the responder chain stores values and forwards nothing.
@preconcurrency @MainActor
open class UIResponder: NSObject {
  /// The next responder; nil unless a subclass provides one.
  open var next: UIResponder? { nil }

  /// A Boolean value that indicates whether the object can become the first responder; false unless a subclass
  /// overrides it.
  open var canBecomeFirstResponder: Bool { false }

  /// A Boolean value that indicates whether the object is the first responder; always false on this system.
  open var isFirstResponder: Bool { false }

  /// Does nothing and returns false.
  @discardableResult
  open func becomeFirstResponder() -> Bool { false }

  /// Does nothing and returns false.
  @discardableResult
  open func resignFirstResponder() -> Bool { false }

  /// The user's current activity; stored, but has no effect.
  open var userActivity: NSUserActivity?

  /// Restores the state of an activity; does nothing unless a subclass overrides it.
  open func restoreUserActivityState(_ activity: NSUserActivity) {}
}
