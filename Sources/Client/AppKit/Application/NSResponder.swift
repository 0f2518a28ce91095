public import Foundation

/// The superclass of objects that handle events.
///
/// On this system, there are no events to handle; the responder chain stores values and forwards nothing.
@preconcurrency @MainActor
open class NSResponder: NSObject, @preconcurrency NSCoding {
  /// Creates a responder without a next responder.
  public override init() { super.init() }

  /// Creates a responder without state, because there are no interface files on this system.
  public required init?(coder: NSCoder) { super.init() }

  /// Does nothing: responders are not archived.
  open func encode(with coder: NSCoder) {}

  /// The next responder in the responder chain.
  open var nextResponder: NSResponder?

  /// A Boolean value that indicates whether the object accepts first responder status; false unless a subclass
  /// overrides it.
  open var acceptsFirstResponder: Bool { false }

  /// Does nothing and returns true.
  open func becomeFirstResponder() -> Bool { true }

  /// Does nothing and returns true.
  open func resignFirstResponder() -> Bool { true }
}
