public import Foundation

/// A rectangular view.
///
/// It stores its subviews and properties; nothing is drawn.
@preconcurrency @MainActor
open class UIView: UIResponder, @preconcurrency NSCoding {
  /// The rectangle of the view in its superview's coordinates.
  open var frame: CGRect

  /// The rectangle of the view in its own coordinates.
  open var bounds: CGRect {
    get { CGRect(origin: .zero, size: frame.size) }
    set { frame.size = newValue.size }
  }

  /// The background color of the view; stored, but has no effect.
  open var backgroundColor: UIColor?

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The tint color of the view; stored, but has no effect.
  open var tintColor: UIColor! = .tintColor

  /// The opacity of the view.
  ///
  /// At 0, the window of a content extension hides the view; other values have no effect.
  open var alpha: CGFloat = 1 { didSet { Self.onContentChange?() } }

  /// A Boolean value that indicates whether the window of a content extension hides the view.
  open var isHidden = false { didSet { Self.onContentChange?() } }

  /// A Boolean value that indicates whether the view reacts to touches; stored, but has no effect.
  open var isUserInteractionEnabled = true

  /// A number that the app assigns.
  open var tag = 0

  /// The appearance of the view, light or dark; stored, but has no effect.
  open var overrideUserInterfaceStyle: UIUserInterfaceStyle = .unspecified

  /// The subviews of the view.
  open private(set) var subviews: [UIView] = [] { didSet { Self.onContentChange?() } }

  /// A closure that is called after each change that can affect the window of a content extension.
  package static var onContentChange: (@MainActor () -> Void)?

  /// The superview of the view.
  open private(set) weak var superview: UIView?

  /// The view controller that owns the view.
  weak var viewController: UIViewController?

  /// Creates a view with the given frame.
  public init(frame: CGRect) {
    self.frame = frame
    super.init()
  }

  /// Creates a view with an empty frame.
  public override convenience init() { self.init(frame: .zero) }

  /// Returns nil, because there are no storyboards on this system.
  public required init?(coder: NSCoder) { nil }

  /// Does nothing: views are not archived.
  open func encode(with coder: NSCoder) {}

  /// The window that contains the view.
  open var window: UIWindow? { self as? UIWindow ?? superview?.window }

  /// Adds a subview in front of the others.
  open func addSubview(_ view: UIView) {
    view.removeFromSuperview()
    subviews.append(view)
    view.superview = self
    if window?.isShown == true { view.appearControllers() }
  }

  /// Removes the view from its superview.
  open func removeFromSuperview() {
    superview?.subviews.removeAll { $0 === self }
    superview = nil
  }

  /// Returns true: there is no editing to end on this system.
  @discardableResult
  open func endEditing(_ force: Bool) -> Bool { true }

  /// Runs the changes immediately, and then calls the completion handler; nothing is animated.
  open class func animate(
    withDuration duration: TimeInterval, animations: () -> Void,
    completion: ((Bool) -> Void)? = nil
  ) {
    animations()
    completion?(true)
  }

  /// Has no effect on this system.
  open func setNeedsLayout() {}

  /// Has no effect on this system.
  open func layoutIfNeeded() {}
}
