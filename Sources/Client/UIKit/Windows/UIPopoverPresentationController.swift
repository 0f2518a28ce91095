public import Foundation

/// Where a popover points to, as values; nothing is drawn.
@preconcurrency @MainActor
open class UIPopoverPresentationController: NSObject {
  /// The view that it points to.
  open weak var sourceView: UIView?

  /// The place in that view.
  open var sourceRect: CGRect = .zero
}
