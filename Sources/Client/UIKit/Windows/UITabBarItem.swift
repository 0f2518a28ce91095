public import Foundation

/// The item of a view controller in a tab bar; nothing is drawn.
@preconcurrency @MainActor
open class UITabBarItem: NSObject {
  /// The title of the item.
  open var title: String?

  /// The image of the item; stored, but has no effect.
  open var image: UIImage?

  /// The text of the item's badge; stored, but has no effect.
  open var badgeValue: String?

  /// A number that the app assigns.
  open var tag = 0

  /// Creates an empty item.
  public override init() { super.init() }

  /// Creates an item with the given title and image.
  public convenience init(title: String?, image: UIImage?, tag: Int) {
    self.init()
    self.title = title
    self.image = image
    self.tag = tag
  }
}
