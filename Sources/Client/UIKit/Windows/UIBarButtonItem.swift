public import Foundation

/// A button of a bar, as a value.
@preconcurrency @MainActor
open class UIBarButtonItem: NSObject {
  /// The style; stored without effect.
  public enum Style: Int, Sendable {
    /// The plain style.
    case plain = 0
    /// The style of a button that ends a task.
    case done = 2
  }

  /// The title.
  open var title: String?

  /// The image; stored without effect.
  open var image: UIImage?

  /// The style; stored without effect.
  open var style = Style.plain

  /// The app's own number.
  open var tag = 0

  /// Whether the button reacts to touches.
  open var isEnabled = true

  /// The action of a touch.
  open var primaryAction: UIAction?

  /// The view in place of the button.
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

  /// Creates an item that shows a view in place of a button.
  public convenience init(customView: UIView) {
    self.init()
    self.customView = customView
  }
}
