public import Foundation

/// A controller that manages the view of a window or of part of a window.
///
/// Nothing is drawn, but the life-cycle methods are called as on Apple's systems. Code that requests permission when a
/// view loads or appears therefore works.
@preconcurrency @MainActor
open class NSViewController: NSResponder {
  private var loadedView: NSView?
  private var isShown = false

  /// Creates a view controller without an interface file.
  public override convenience init() { self.init(nibName: nil, bundle: nil) }

  /// Creates a view controller; the names are ignored, because there are no interface files on this system.
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

  /// Creates a view controller without state, because there are no interface files on this system.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// The object that the view represents.
  open var representedObject: Any?

  /// The title of the view controller.
  open var title: String?

  /// The view of the view controller, created on first use.
  open var view: NSView {
    get {
      if let loadedView { return loadedView }
      loadView()
      let view = loadedView ?? NSView(frame: .zero)
      loadedView = view
      viewDidLoad()
      return view
    }
    set { loadedView = newValue }
  }

  /// A Boolean value that indicates whether the view is loaded.
  open var isViewLoaded: Bool { loadedView != nil }

  /// Creates the view; a subclass that overrides this method must set `view`.
  open func loadView() { loadedView = NSView(frame: .zero) }

  /// Loads the view, unless it is already loaded.
  open func loadViewIfNeeded() { _ = view }

  /// Called after the view is loaded.
  open func viewDidLoad() {}

  /// Called before the view appears.
  open func viewWillAppear() {}

  /// Called after the view appears.
  open func viewDidAppear() {}

  /// Called before the view disappears.
  open func viewWillDisappear() {}

  /// Called after the view disappears.
  open func viewDidDisappear() {}

  /// Called on Apple's systems before the view lays out its subviews; never called on this system.
  open func viewWillLayout() {}

  /// Called on Apple's systems after the view lays out its subviews; never called on this system.
  open func viewDidLayout() {}

  func appear() {
    guard !isShown else { return }
    isShown = true
    loadViewIfNeeded()
    viewWillAppear()
    viewDidAppear()
  }

  func disappear() {
    guard isShown else { return }
    isShown = false
    viewWillDisappear()
    viewDidDisappear()
  }
}
