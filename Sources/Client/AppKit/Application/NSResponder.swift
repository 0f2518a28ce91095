public import Foundation

/// The superclass of objects that handle events.
///
/// There are no events here: the chain of responders holds values and passes nothing on.
@preconcurrency @MainActor
open class NSResponder: NSObject, @preconcurrency NSCoding {
  /// A responder.
  public override init() { super.init() }

  /// No interface files on this system: a responder without a state.
  public required init?(coder: NSCoder) { super.init() }

  /// Writes nothing.
  open func encode(with coder: NSCoder) {}

  /// The next responder.
  open var nextResponder: NSResponder?

  /// Whether it may become the first responder; false unless a subclass overrides it.
  open var acceptsFirstResponder: Bool { false }

  /// Does nothing and returns true.
  open func becomeFirstResponder() -> Bool { true }

  /// Does nothing and returns true.
  open func resignFirstResponder() -> Bool { true }
}
