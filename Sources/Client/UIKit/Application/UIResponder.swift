public import Foundation

/// The superclass of objects that handle events.
///
/// There are no touches and keys here: the chain of responders holds values and passes nothing on.
@preconcurrency @MainActor
open class UIResponder: NSObject {
  /// The next responder; nil unless a subclass has one.
  open var next: UIResponder? { nil }

  /// Whether it may become the first responder; false unless a subclass overrides it.
  open var canBecomeFirstResponder: Bool { false }

  /// Whether it is the first responder; never, on this system.
  open var isFirstResponder: Bool { false }

  /// Does nothing and returns false.
  @discardableResult
  open func becomeFirstResponder() -> Bool { false }

  /// Does nothing and returns false.
  @discardableResult
  open func resignFirstResponder() -> Bool { false }

  /// The activity of the user; stored for the app.
  open var userActivity: NSUserActivity?

  /// Updates an activity; does nothing unless a subclass does.
  open func restoreUserActivityState(_ activity: NSUserActivity) {}
}
