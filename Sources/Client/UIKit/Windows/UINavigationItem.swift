public import Foundation

/// What the bar of a navigation controller shows of a view controller, as a value.
@preconcurrency @MainActor
open class UINavigationItem: NSObject {
  /// The text in the middle.
  open var title: String?

  /// The line above it.
  open var prompt: String?

  /// The view in the middle.
  open var titleView: UIView?

  /// Whether there is no way back.
  open var hidesBackButton = false

  /// The way back to it.
  open var backBarButtonItem: UIBarButtonItem?

  /// The buttons at the leading edge.
  open var leftBarButtonItems: [UIBarButtonItem]?

  /// The buttons at the trailing edge, the outermost first.
  open var rightBarButtonItems: [UIBarButtonItem]?

  /// With a text in the middle.
  public init(title: String) { self.title = title }

  /// The first button at the leading edge.
  open var leftBarButtonItem: UIBarButtonItem? {
    get { leftBarButtonItems?.first }
    set { leftBarButtonItems = newValue.map { [$0] } }
  }

  /// The first button at the trailing edge.
  open var rightBarButtonItem: UIBarButtonItem? {
    get { rightBarButtonItems?.first }
    set { rightBarButtonItems = newValue.map { [$0] } }
  }
}
