public import Foundation

/// An area as a value: it holds other areas and its few properties, and draws nothing.
@preconcurrency @MainActor
open class UIView: UIResponder, @preconcurrency NSCoding {
  /// Where it is in its superview.
  open var frame: CGRect

  /// Its own area.
  open var bounds: CGRect {
    get { CGRect(origin: .zero, size: frame.size) }
    set { frame.size = newValue.size }
  }

  /// Stored, without effect.
  open var backgroundColor: UIColor?

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// Stored, without effect.
  open var tintColor: UIColor! = .tintColor

  /// Whether a content extension's window shows it: 0 hides it there, other values have no effect.
  open var alpha: CGFloat = 1 { didSet { Self.onContentChange?() } }

  /// Whether it is hidden in a content extension's window.
  open var isHidden = false { didSet { Self.onContentChange?() } }

  /// Stored, without effect.
  open var isUserInteractionEnabled = true

  /// The app's own number.
  open var tag = 0

  /// Light or dark; stored, without effect.
  open var overrideUserInterfaceStyle: UIUserInterfaceStyle = .unspecified

  /// The areas in it.
  open private(set) var subviews: [UIView] = [] { didSet { Self.onContentChange?() } }

  /// Told of each change of what a content extension's window may show.
  package static var onContentChange: (@MainActor () -> Void)?

  /// The area that it is in.
  open private(set) weak var superview: UIView?

  /// The view controller whose view it is.
  weak var viewController: UIViewController?

  /// An area.
  public init(frame: CGRect) {
    self.frame = frame
    super.init()
  }

  /// An empty area.
  public override convenience init() { self.init(frame: .zero) }

  /// No storyboards on this system: always nil.
  public required init?(coder: NSCoder) { nil }

  /// Writes nothing.
  open func encode(with coder: NSCoder) {}

  /// The window that it is in.
  open var window: UIWindow? { self as? UIWindow ?? superview?.window }

  /// Adds a subview.
  open func addSubview(_ view: UIView) {
    view.removeFromSuperview()
    subviews.append(view)
    view.superview = self
    if window?.isShown == true { view.appearControllers() }
  }

  /// Removes it from its superview.
  open func removeFromSuperview() {
    superview?.subviews.removeAll { $0 === self }
    superview = nil
  }

  /// Does nothing: nothing is written in it.
  @discardableResult
  open func endEditing(_ force: Bool) -> Bool { true }

  /// Makes the changes at once and calls the handler: nothing is drawn that could move.
  open class func animate(
    withDuration duration: TimeInterval, animations: () -> Void,
    completion: ((Bool) -> Void)? = nil
  ) {
    animations()
    completion?(true)
  }

  /// Does nothing.
  open func setNeedsLayout() {}

  /// Does nothing.
  open func layoutIfNeeded() {}
}
