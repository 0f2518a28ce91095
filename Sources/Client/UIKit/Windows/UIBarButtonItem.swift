public import Foundation

/// A button of a bar, as a value.
@preconcurrency @MainActor
open class UIBarButtonItem: NSObject {
  /// How it looks; kept, without effect.
  public enum Style: Int, Sendable {
    /// As ever.
    case plain = 0
    /// For what ends a task.
    case done = 2
  }

  /// Its text.
  open var title: String?

  /// Its picture; kept, without effect.
  open var image: UIImage?

  /// How it looks; kept, without effect.
  open var style = Style.plain

  /// The app's own number.
  open var tag = 0

  /// Whether it can be touched.
  open var isEnabled = true

  /// What a touch runs.
  open var primaryAction: UIAction?

  /// What stands in its place.
  open var customView: UIView?

  /// A button without a text.
  public override init() { super.init() }

  /// A button that runs an action.
  public convenience init(
    title: String? = nil, image: UIImage? = nil, primaryAction: UIAction? = nil
  ) {
    self.init()
    self.title = title ?? primaryAction?.title
    self.image = image ?? primaryAction?.image
    self.primaryAction = primaryAction
  }

  /// A view in the place of a button.
  public convenience init(customView: UIView) {
    self.init()
    self.customView = customView
  }
}
