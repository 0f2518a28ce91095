public import Foundation

/// The root of an app's interface, as a value: it draws nothing, and brings its view controllers
/// through their life.
@preconcurrency @MainActor
open class UIWindow: UIView {
  /// The scene that it belongs to.
  open weak var windowScene: UIWindowScene? {
    didSet {
      oldValue?.windows.removeAll { $0 === self }
      if let windowScene, !windowScene.windows.contains(where: { $0 === self }) {
        windowScene.windows.append(self)
      }
    }
  }

  /// The view controller that fills it; it appears once the window is visible.
  open var rootViewController: UIViewController? {
    didSet {
      guard oldValue !== rootViewController else { return }
      oldValue?.disappear(animated: false)
      oldValue?.viewIfLoaded?.removeFromSuperview()
      if isShown { showRoot() }
    }
  }

  /// Whether it was made key.
  open private(set) var isKeyWindow = false

  /// Its screen.
  open var screen: UIScreen = .main

  private(set) var isShown = false

  /// A window without a scene.
  public override init(frame: CGRect) { super.init(frame: frame) }

  /// A window of a scene.
  public init(windowScene: UIWindowScene) {
    super.init(frame: windowScene.screen.bounds)
    self.windowScene = windowScene
    windowScene.windows.append(self)
  }

  /// No storyboards on this system: always nil.
  public required init?(coder: NSCoder) { nil }

  /// Makes it visible, and key.
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

  /// Makes it key.
  open func makeKey() {
    for window in UIApplication.shared.shownWindows { window.isKeyWindow = false }
    isKeyWindow = true
  }
}
