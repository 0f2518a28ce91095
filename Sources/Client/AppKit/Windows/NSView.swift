public import Foundation

/// A rectangular view.
///
/// It stores its subviews and properties; nothing is drawn.
@preconcurrency @MainActor
open class NSView: NSResponder {
  /// The rectangle of the view in its superview's coordinates.
  open var frame: NSRect

  /// The rectangle of the view in its own coordinates.
  open var bounds: NSRect {
    get { NSRect(origin: .zero, size: frame.size) }
    set { frame.size = newValue.size }
  }

  /// A Boolean value that indicates whether the view is hidden; stored, but has no effect.
  open var isHidden = false

  /// The subviews of the view.
  open private(set) var subviews: [NSView] = []

  /// The superview of the view.
  open private(set) weak var superview: NSView?

  /// Creates a view with the given frame.
  public init(frame frameRect: NSRect) {
    frame = frameRect
    super.init()
  }

  /// Creates a view with an empty frame.
  public override convenience init() { self.init(frame: .zero) }

  /// Creates a view with an empty frame, because there are no interface files on this system.
  public required init?(coder: NSCoder) {
    frame = .zero
    super.init(coder: coder)
  }

  /// Adds a subview in front of the others.
  open func addSubview(_ view: NSView) {
    view.removeFromSuperview()
    subviews.append(view)
    view.superview = self
  }

  /// Removes the view from its superview.
  open func removeFromSuperview() {
    superview?.subviews.removeAll { $0 === self }
    superview = nil
  }
}
