public import Foundation

/// The superclass of all that takes part in an app's life.
///
/// There are no touches and keys here: the chain of responders holds values and passes nothing on.
@preconcurrency @MainActor
open class UIResponder: NSObject {
  /// The next responder; nil unless a subclass has one.
  open var next: UIResponder? { nil }

  /// Whether it may become the first responder; false unless a subclass says otherwise.
  open var canBecomeFirstResponder: Bool { false }

  /// Whether it is the first responder; never, on this system.
  open var isFirstResponder: Bool { false }

  /// Does nothing, and says so.
  @discardableResult
  open func becomeFirstResponder() -> Bool { false }

  /// Does nothing, and says so.
  @discardableResult
  open func resignFirstResponder() -> Bool { false }

  /// What the user does here; kept for the app.
  open var userActivity: NSUserActivity?

  /// Takes a handed-over activity in; does nothing unless a subclass does.
  open func restoreUserActivityState(_ activity: NSUserActivity) {}
}
