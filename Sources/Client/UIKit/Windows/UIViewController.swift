public import Foundation

/// A controller that manages the view of a window or of part of a window.
///
/// Nothing is drawn, but the life-cycle methods are called as on Apple's systems. Code that requests permission when a
/// view loads or appears therefore works.
@preconcurrency @MainActor
open class UIViewController: UIResponder, @preconcurrency NSCoding {
  private var loadedView: UIView? { didSet { loadedView?.viewController = self } }
  private var isShown = false

  /// Creates a view controller without an interface file.
  public override convenience init() { self.init(nibName: nil, bundle: nil) }

  /// Creates a view controller; the names are ignored, because there are no interface files on this system.
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

  /// Creates a view controller without state, because there are no storyboards on this system.
  public required init?(coder: NSCoder) { super.init() }

  /// Does nothing: view controllers are not archived.
  open func encode(with coder: NSCoder) {}

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The view of the view controller, created on first use.
  open var view: UIView! {
    get {
      loadViewIfNeeded()
      return loadedView
    }
    set { loadedView = newValue }
  }

  /// The view, or nil if it is not loaded.
  open var viewIfLoaded: UIView? { loadedView }

  /// A Boolean value that indicates whether the view is loaded.
  open var isViewLoaded: Bool { loadedView != nil }

  /// The appearance of the view controller, light or dark; stored, but has no effect.
  open var overrideUserInterfaceStyle: UIUserInterfaceStyle = .unspecified

  /// The title of the view controller.
  open var title: String? { didSet { navigationItem.title = title } }

  /// The content of a navigation bar for this view controller; nothing is drawn.
  open private(set) lazy var navigationItem = UINavigationItem(title: title ?? "")

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The item of this view controller in a tab bar; nothing is drawn.
  open var tabBarItem: UITabBarItem! = UITabBarItem()

  /// The preferred size of the view; stored, but has no effect.
  open var preferredContentSize: CGSize = .zero

  /// Creates the view; a subclass that overrides this method must set `view`.
  open func loadView() { loadedView = UIView(frame: UIScreen.main.bounds) }

  /// Loads the view, unless it is already loaded.
  open func loadViewIfNeeded() {
    guard loadedView == nil else { return }
    loadView()
    if loadedView == nil { loadedView = UIView(frame: .zero) }
    viewDidLoad()
  }

  /// Called after the view is loaded.
  open func viewDidLoad() {}

  /// Called before the view appears.
  open func viewWillAppear(_ animated: Bool) {}

  /// Called while the view appears, between `viewWillAppear(_:)` and `viewDidAppear(_:)`.
  open func viewIsAppearing(_ animated: Bool) {}

  /// Called after the view appears.
  open func viewDidAppear(_ animated: Bool) {}

  /// Called before the view disappears.
  open func viewWillDisappear(_ animated: Bool) {}

  /// Called after the view disappears.
  open func viewDidDisappear(_ animated: Bool) {}

  /// Called on Apple's systems before the view lays out its subviews; never called on this system.
  open func viewWillLayoutSubviews() {}

  /// Called on Apple's systems after the view lays out its subviews; never called on this system.
  open func viewDidLayoutSubviews() {}

  /// Called on Apple's systems when memory is low; never called on this system.
  open func didReceiveMemoryWarning() {}

  /// The child view controllers.
  open private(set) var children: [UIViewController] = []

  /// The parent view controller.
  open private(set) weak var parent: UIViewController?

  /// Adds a child view controller.
  open func addChild(_ childController: UIViewController) {
    childController.willMove(toParent: self)
    children.append(childController)
    childController.parent = self
  }

  /// Removes the view controller from its parent.
  open func removeFromParent() {
    parent?.children.removeAll { $0 === self }
    parent = nil
    didMove(toParent: nil)
  }

  /// Called before the view controller is added to or removed from a parent.
  open func willMove(toParent parent: UIViewController?) {}

  /// Called after the view controller is added to or removed from a parent.
  open func didMove(toParent parent: UIViewController?) {}

  /// The view controller that this one presents.
  open private(set) var presentedViewController: UIViewController?

  /// The view controller that presents this one.
  open private(set) weak var presentingViewController: UIViewController?

  /// Presents a view controller over this one.
  ///
  /// If the view controller is an alert, the desktop shows it with its actions.
  open func present(
    _ viewControllerToPresent: UIViewController, animated flag: Bool,
    completion: (() -> Void)? = nil
  ) {
    guard presentedViewController == nil, viewControllerToPresent !== self else { return }
    presentedViewController = viewControllerToPresent
    viewControllerToPresent.presentingViewController = self
    if let window = viewIfLoaded?.window, let view = viewControllerToPresent.view {
      window.addSubview(view)
    }
    viewControllerToPresent.appear(animated: flag)
    completion?()
  }

  /// The anchor of a popover; always nil on this system.
  open var popoverPresentationController: UIPopoverPresentationController? { nil }

  /// Dismisses the view controller that this one presents, or this one if it presents none.
  open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
    guard let presented = presentedViewController else {
      if let presentingViewController {
        presentingViewController.dismiss(animated: flag, completion: completion)
      } else {
        completion?()
      }
      return
    }
    presentedViewController = nil
    presented.presentingViewController = nil
    presented.disappear(animated: flag)
    presented.viewIfLoaded?.removeFromSuperview()
    completion?()
  }

  /// The navigation controller that contains this view controller.
  open var navigationController: UINavigationController? {
    sequence(first: parent) { $0?.parent }.lazy.compactMap { $0 as? UINavigationController }.first
  }

  /// The tab bar controller that contains this view controller.
  open var tabBarController: UITabBarController? {
    sequence(first: parent) { $0?.parent }.lazy.compactMap { $0 as? UITabBarController }.first
  }

  /// Shows a view controller in the navigation controller, or presents it if no navigation controller contains this
  /// one.
  open func show(_ vc: UIViewController, sender: Any?) {
    if let navigationController {
      navigationController.pushViewController(vc, animated: false)
    } else {
      present(vc, animated: false)
    }
  }

  func appear(animated: Bool) {
    guard !isShown else { return }
    isShown = true
    loadViewIfNeeded()
    viewWillAppear(animated)
    viewIsAppearing(animated)
    viewDidAppear(animated)
  }

  func disappear(animated: Bool) {
    guard isShown else { return }
    isShown = false
    viewWillDisappear(animated)
    viewDidDisappear(animated)
  }
}
