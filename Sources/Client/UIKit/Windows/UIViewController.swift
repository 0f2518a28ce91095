public import Foundation

/// What fills a window or a part of it.
///
/// Its view draws nothing; its life runs as elsewhere, so code that asks for permission when a view
/// has loaded or appeared works.
@preconcurrency @MainActor
open class UIViewController: UIResponder, @preconcurrency NSCoding {
  private var loadedView: UIView? { didSet { loadedView?.viewController = self } }
  private var isShown = false

  /// A view controller without a file.
  public override convenience init() { self.init(nibName: nil, bundle: nil) }

  /// A view controller; there are no interface files on this system, the names are not stored.
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

  /// No storyboards on this system: a view controller without a file.
  public required init?(coder: NSCoder) { super.init() }

  /// Writes nothing.
  open func encode(with coder: NSCoder) {}

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// Its view, made when it is first used.
  open var view: UIView! {
    get {
      loadViewIfNeeded()
      return loadedView
    }
    set { loadedView = newValue }
  }

  /// Its view, if it was made already.
  open var viewIfLoaded: UIView? { loadedView }

  /// Whether its view was made.
  open var isViewLoaded: Bool { loadedView != nil }

  /// Light or dark; stored, without effect.
  open var overrideUserInterfaceStyle: UIUserInterfaceStyle = .unspecified

  /// What it is called.
  open var title: String? { didSet { navigationItem.title = title } }

  /// The content of a navigation bar for this view controller, as a value.
  open private(set) lazy var navigationItem = UINavigationItem(title: title ?? "")

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// Its item in a tab bar, as a value.
  open var tabBarItem: UITabBarItem! = UITabBarItem()

  /// The preferred size; stored without effect.
  open var preferredContentSize: CGSize = .zero

  /// Makes the view; a subclass that overrides it sets `view`.
  open func loadView() { loadedView = UIView(frame: UIScreen.main.bounds) }

  /// Makes the view unless there is one.
  open func loadViewIfNeeded() {
    guard loadedView == nil else { return }
    loadView()
    if loadedView == nil { loadedView = UIView(frame: .zero) }
    viewDidLoad()
  }

  /// The view was made.
  open func viewDidLoad() {}

  /// The view is about to appear.
  open func viewWillAppear(_ animated: Bool) {}

  /// The view is about to appear, between the two others.
  open func viewIsAppearing(_ animated: Bool) {}

  /// The view has appeared.
  open func viewDidAppear(_ animated: Bool) {}

  /// The view is about to disappear.
  open func viewWillDisappear(_ animated: Bool) {}

  /// The view has disappeared.
  open func viewDidDisappear(_ animated: Bool) {}

  /// The view's parts are about to be placed; never called on this system.
  open func viewWillLayoutSubviews() {}

  /// The view's parts were placed; never called on this system.
  open func viewDidLayoutSubviews() {}

  /// Memory is short; never called on this system.
  open func didReceiveMemoryWarning() {}

  /// The view controllers in it.
  open private(set) var children: [UIViewController] = []

  /// The view controller that it is in.
  open private(set) weak var parent: UIViewController?

  /// Adds a child view controller.
  open func addChild(_ childController: UIViewController) {
    childController.willMove(toParent: self)
    children.append(childController)
    childController.parent = self
  }

  /// Removes it from its parent.
  open func removeFromParent() {
    parent?.children.removeAll { $0 === self }
    parent = nil
    didMove(toParent: nil)
  }

  /// It is about to be taken in or out.
  open func willMove(toParent parent: UIViewController?) {}

  /// It was taken in or out.
  open func didMove(toParent parent: UIViewController?) {}

  /// The view controller shown over it.
  open private(set) var presentedViewController: UIViewController?

  /// The view controller that it is shown over.
  open private(set) weak var presentingViewController: UIViewController?

  /// Shows a view controller over it.
  ///
  /// An alert is shown by the desktop, with its actions.
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

  /// Where what is shown over another points to: nothing points on this system.
  open var popoverPresentationController: UIPopoverPresentationController? { nil }

  /// Dismisses what it presents, or else itself.
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

  /// The navigation controller that it is in.
  open var navigationController: UINavigationController? {
    sequence(first: parent) { $0?.parent }.lazy.compactMap { $0 as? UINavigationController }.first
  }

  /// The tab bar controller that it is in.
  open var tabBarController: UITabBarController? {
    sequence(first: parent) { $0?.parent }.lazy.compactMap { $0 as? UITabBarController }.first
  }

  /// Shows a view controller in the navigation controller, or else over it.
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
