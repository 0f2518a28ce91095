public import Foundation

/// A stack of view controllers.
@preconcurrency @MainActor
open class UINavigationController: UIViewController {
  /// The stack, the lowest first.
  open var viewControllers: [UIViewController] {
    get { children }
    set {
      for child in children { child.removeFromParent() }
      for child in newValue { addChild(child) }
      placeTop()
    }
  }

  /// A stack of one.
  public init(rootViewController: UIViewController) {
    super.init(nibName: nil, bundle: nil)
    addChild(rootViewController)
  }

  /// An empty stack.
  public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
    super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
  }

  /// No storyboards on this system: an empty stack.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// The top of the stack.
  open var topViewController: UIViewController? { children.last }

  /// The view controller that is seen: the top of the stack, or what is shown over it.
  open var visibleViewController: UIViewController? { presentedViewController ?? children.last }

  /// Whether the bar is hidden; stored, without effect.
  open var isNavigationBarHidden = false

  /// Puts a view controller on the stack.
  open func pushViewController(_ viewController: UIViewController, animated: Bool) {
    topViewController?.disappear(animated: animated)
    addChild(viewController)
    placeTop()
    viewController.appear(animated: animated)
  }

  /// Pops the top view controller, unless it is the last.
  @discardableResult
  open func popViewController(animated: Bool) -> UIViewController? {
    guard children.count > 1, let top = children.last else { return nil }
    top.disappear(animated: animated)
    top.removeFromParent()
    placeTop()
    topViewController?.appear(animated: animated)
    return top
  }

  /// Pops all view controllers but the lowest.
  @discardableResult
  open func popToRootViewController(animated: Bool) -> [UIViewController]? {
    var popped: [UIViewController] = []
    while let top = popViewController(animated: animated) { popped.insert(top, at: 0) }
    return popped
  }

  /// Replaces the stack.
  open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
    self.viewControllers = viewControllers
  }

  override func appear(animated: Bool) {
    super.appear(animated: animated)
    topViewController?.appear(animated: animated)
  }

  /// Makes a view with the top of the stack in it.
  open override func loadView() {
    super.loadView()
    placeTop()
  }

  private func placeTop() {
    guard isViewLoaded else { return }
    view.setOnlySubview(topViewController?.view)
  }
}

/// View controllers side by side.
@preconcurrency @MainActor
open class UITabBarController: UIViewController {
  /// The view controllers.
  open var viewControllers: [UIViewController]? {
    get { children }
    set {
      for child in children { child.removeFromParent() }
      for child in newValue ?? [] { addChild(child) }
      placeSelected()
    }
  }

  /// Which one is seen.
  open var selectedIndex = 0 { didSet { placeSelected() } }

  /// The one that is seen.
  open var selectedViewController: UIViewController? {
    get { children.indices.contains(selectedIndex) ? children[selectedIndex] : nil }
    set { selectedIndex = children.firstIndex { $0 === newValue } ?? selectedIndex }
  }

  override func appear(animated: Bool) {
    super.appear(animated: animated)
    selectedViewController?.appear(animated: animated)
  }

  /// Makes a view with the chosen view controller's in it.
  open override func loadView() {
    super.loadView()
    placeSelected()
  }

  private func placeSelected() {
    guard isViewLoaded else { return }
    view.setOnlySubview(selectedViewController?.view)
  }
}
