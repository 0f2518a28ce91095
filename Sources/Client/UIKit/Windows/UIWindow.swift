public import Foundation

/// The root of an app's view hierarchy.
///
/// Nothing is drawn; the window calls the life-cycle methods of its view controllers.
@preconcurrency @MainActor
open class UIWindow: UIView {
  /// The scene that the window belongs to.
  open weak var windowScene: UIWindowScene? {
    didSet {
      oldValue?.windows.removeAll { $0 === self }
      if let windowScene, !windowScene.windows.contains(where: { $0 === self }) {
        windowScene.windows.append(self)
      }
    }
  }

  /// The view controller that fills the window; its view appears when the window becomes visible.
  open var rootViewController: UIViewController? {
    didSet {
      guard oldValue !== rootViewController else { return }
      oldValue?.disappear(animated: false)
      oldValue?.viewIfLoaded?.removeFromSuperview()
      if isShown { showRoot() }
    }
  }

  /// A Boolean value that indicates whether the window is the key window.
  open private(set) var isKeyWindow = false

  /// The screen of the window.
  open var screen: UIScreen = .main

  private(set) var isShown = false

  /// Creates a window without a scene.
  public override init(frame: CGRect) { super.init(frame: frame) }

  /// Creates a window in a scene.
  public init(windowScene: UIWindowScene) {
    super.init(frame: windowScene.screen.bounds)
    self.windowScene = windowScene
    windowScene.windows.append(self)
  }

  /// Returns nil, because there are no storyboards on this system.
  public required init?(coder: NSCoder) { nil }

  /// Makes the window visible and makes it the key window.
  open func makeKeyAndVisible() {
    makeKey()
    isHidden = false
    guard !isShown else { return }
    isShown = true
    UIApplication.shared.shown(self)
    showRoot()
    appearControllers()
  }

  private func showRoot() {
    guard let rootViewController else { return }
    addSubview(rootViewController.view)
    rootViewController.appear(animated: false)
  }

  /// Makes the window the key window.
  open func makeKey() {
    for window in UIApplication.shared.shownWindows { window.isKeyWindow = false }
    isKeyWindow = true
  }
}
