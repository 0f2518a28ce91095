public import Foundation

/// What fills a window or a part of it.
///
/// Its view draws nothing; its life runs as elsewhere, so code that asks for permission when a view
/// has loaded or appeared works.
@preconcurrency @MainActor
open class NSViewController: NSResponder {
  private var loadedView: NSView?
  private var isShown = false

  /// A view controller without a file.
  public override convenience init() { self.init(nibName: nil, bundle: nil) }

  /// A view controller; there are no interface files on this system, the names are not stored.
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

  /// No interface files on this system: a view controller without a file.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// The represented object.
  open var representedObject: Any?

  /// What it is called.
  open var title: String?

  /// Its view, made when it is first used.
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

  /// Whether its view was made.
  open var isViewLoaded: Bool { loadedView != nil }

  /// Makes the view; a subclass that overrides it sets `view`.
  open func loadView() { loadedView = NSView(frame: .zero) }

  /// Makes the view unless there is one.
  open func loadViewIfNeeded() { _ = view }

  /// The view was made.
  open func viewDidLoad() {}

  /// The view is about to appear.
  open func viewWillAppear() {}

  /// The view has appeared.
  open func viewDidAppear() {}

  /// The view is about to disappear.
  open func viewWillDisappear() {}

  /// The view has disappeared.
  open func viewDidDisappear() {}

  /// The view's parts are about to be placed; never called on this system.
  open func viewWillLayout() {}

  /// The view's parts were placed; never called on this system.
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
