public import Foundation

/// The content of a navigation bar for a view controller, as a value.
@preconcurrency @MainActor
open class UINavigationItem: NSObject {
  /// The title.
  open var title: String?

  /// The line above the title.
  open var prompt: String?

  /// The view in place of the title.
  open var titleView: UIView?

  /// Whether the back button is hidden.
  open var hidesBackButton = false

  /// The back button of the next view controller.
  open var backBarButtonItem: UIBarButtonItem?

  /// The buttons at the leading edge.
  open var leftBarButtonItems: [UIBarButtonItem]?

  /// The buttons at the trailing edge, the outermost first.
  open var rightBarButtonItems: [UIBarButtonItem]?

  /// Creates an item with a title.
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
