public import Foundation

/// A button in a navigation bar or toolbar.
@preconcurrency @MainActor
open class UIBarButtonItem: NSObject {
  /// The styles of a button; they are stored, but have no effect.
  public enum Style: Int, Sendable {
    /// The plain style of a button.
    case plain = 0
    /// The style of a button that completes a task.
    case done = 2
  }

  /// The title of the button.
  open var title: String?

  /// The image of the button; stored, but has no effect.
  open var image: UIImage?

  /// The style of the button; stored, but has no effect.
  open var style = Style.plain

  /// A number that the app assigns.
  open var tag = 0

  /// A Boolean value that indicates whether the button is enabled; stored, but has no effect.
  open var isEnabled = true

  /// The action to perform when the user touches the button.
  open var primaryAction: UIAction?

  /// A custom view that replaces the button.
  open var customView: UIView?

  /// Creates a button without a title.
  public override init() { super.init() }

  /// Creates a button that performs an action.
  public convenience init(
    title: String? = nil, image: UIImage? = nil, primaryAction: UIAction? = nil
  ) {
    self.init()
    self.title = title ?? primaryAction?.title
    self.image = image ?? primaryAction?.image
    self.primaryAction = primaryAction
  }

  /// Creates an item that shows a custom view instead of a button.
  public convenience init(customView: UIView) {
    self.init()
    self.customView = customView
  }
}
