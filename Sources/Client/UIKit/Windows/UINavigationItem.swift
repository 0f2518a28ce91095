public import Foundation

/// The content of a navigation bar for a view controller; nothing is drawn.
@preconcurrency @MainActor
open class UINavigationItem: NSObject {
  /// The title in the navigation bar.
  open var title: String?

  /// The line of text above the title.
  open var prompt: String?

  /// A custom view that replaces the title.
  open var titleView: UIView?

  /// A Boolean value that indicates whether the back button is hidden.
  open var hidesBackButton = false

  /// The back button that the next view controller shows.
  open var backBarButtonItem: UIBarButtonItem?

  /// The buttons at the leading edge.
  open var leftBarButtonItems: [UIBarButtonItem]?

  /// The buttons at the trailing edge; the outermost button is first.
  open var rightBarButtonItems: [UIBarButtonItem]?

  /// Creates an item with the given title.
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
