public import Foundation

/// An area as a value: it holds other areas and its few properties, and draws nothing.
@preconcurrency @MainActor
open class NSView: NSResponder {
  /// Where it is in its superview.
  open var frame: NSRect

  /// Its own area.
  open var bounds: NSRect {
    get { NSRect(origin: .zero, size: frame.size) }
    set { frame.size = newValue.size }
  }

  /// Stored, without effect.
  open var isHidden = false

  /// The areas in it.
  open private(set) var subviews: [NSView] = []

  /// The area that it is in.
  open private(set) weak var superview: NSView?

  /// An area.
  public init(frame frameRect: NSRect) {
    frame = frameRect
    super.init()
  }

  /// An empty area.
  public override convenience init() { self.init(frame: .zero) }

  /// No interface files on this system: an empty area.
  public required init?(coder: NSCoder) {
    frame = .zero
    super.init(coder: coder)
  }

  /// Adds a subview.
  open func addSubview(_ view: NSView) {
    view.removeFromSuperview()
    subviews.append(view)
    view.superview = self
  }

  /// Removes it from its superview.
  open func removeFromSuperview() {
    superview?.subviews.removeAll { $0 === self }
    superview = nil
  }
}
