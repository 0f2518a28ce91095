public import Foundation

/// The anchor of a popover; nothing is drawn.
@preconcurrency @MainActor
open class UIPopoverPresentationController: NSObject {
  /// The view that the popover points to.
  open weak var sourceView: UIView?

  /// The rectangle in `sourceView` that the popover points to.
  open var sourceRect: CGRect = .zero
}
