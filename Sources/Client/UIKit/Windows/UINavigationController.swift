public import Foundation

/// A view controller that manages a stack of view controllers.
@preconcurrency @MainActor
open class UINavigationController: UIViewController {
  /// The view controllers on the stack; the root is first.
  open var viewControllers: [UIViewController] {
    get { children }
    set {
      for child in children { child.removeFromParent() }
      for child in newValue { addChild(child) }
      placeTop()
    }
  }

  /// Creates a stack with one view controller.
  public init(rootViewController: UIViewController) {
    super.init(nibName: nil, bundle: nil)
    addChild(rootViewController)
  }

  /// Creates an empty stack.
  public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
    super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
  }

  /// Creates an empty stack, because there are no storyboards on this system.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// The view controller at the top of the stack.
  open var topViewController: UIViewController? { children.last }

  /// The presented view controller; if no view controller is presented, the view controller at the top of the stack.
  open var visibleViewController: UIViewController? { presentedViewController ?? children.last }

  /// A Boolean value that indicates whether the navigation bar is hidden; stored, but has no effect.
  open var isNavigationBarHidden = false

  /// Pushes a view controller onto the stack.
  open func pushViewController(_ viewController: UIViewController, animated: Bool) {
    topViewController?.disappear(animated: animated)
    addChild(viewController)
    placeTop()
    viewController.appear(animated: animated)
  }

  /// Pops the top view controller, unless it is the only one.
  @discardableResult
  open func popViewController(animated: Bool) -> UIViewController? {
    guard children.count > 1, let top = children.last else { return nil }
    top.disappear(animated: animated)
    top.removeFromParent()
    placeTop()
    topViewController?.appear(animated: animated)
    return top
  }

  /// Pops all view controllers except the root.
  @discardableResult
  open func popToRootViewController(animated: Bool) -> [UIViewController]? {
    var popped: [UIViewController] = []
    while let top = popViewController(animated: animated) { popped.insert(top, at: 0) }
    return popped
  }

  /// Replaces the view controllers on the stack.
  open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
    self.viewControllers = viewControllers
  }

  override func appear(animated: Bool) {
    super.appear(animated: animated)
    topViewController?.appear(animated: animated)
  }

  /// Creates a view that contains the view of the top view controller.
  open override func loadView() {
    super.loadView()
    placeTop()
  }

  private func placeTop() {
    guard isViewLoaded else { return }
    view.setOnlySubview(topViewController?.view)
  }
}

/// A view controller that manages a set of tabs.
@preconcurrency @MainActor
open class UITabBarController: UIViewController {
  /// The view controllers of the tabs.
  open var viewControllers: [UIViewController]? {
    get { children }
    set {
      for child in children { child.removeFromParent() }
      for child in newValue ?? [] { addChild(child) }
      placeSelected()
    }
  }

  /// The index of the selected tab.
  open var selectedIndex = 0 { didSet { placeSelected() } }

  /// The view controller of the selected tab.
  open var selectedViewController: UIViewController? {
    get { children.indices.contains(selectedIndex) ? children[selectedIndex] : nil }
    set { selectedIndex = children.firstIndex { $0 === newValue } ?? selectedIndex }
  }

  override func appear(animated: Bool) {
    super.appear(animated: animated)
    selectedViewController?.appear(animated: animated)
  }

  /// Creates a view that contains the view of the selected view controller.
  open override func loadView() {
    super.loadView()
    placeSelected()
  }

  private func placeSelected() {
    guard isViewLoaded else { return }
    view.setOnlySubview(selectedViewController?.view)
  }
}
