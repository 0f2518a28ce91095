public import Foundation

/// The item of a view controller in a tab bar, as a value.
@preconcurrency @MainActor
open class UITabBarItem: NSObject {
  /// Its text.
  open var title: String?

  /// Its picture; stored, without effect.
  open var image: UIImage?

  /// The text of its badge; stored, without effect.
  open var badgeValue: String?

  /// The app's own number.
  open var tag = 0

  /// An item without a view controller.
  public override init() { super.init() }

  /// With a text and a picture.
  public convenience init(title: String?, image: UIImage?, tag: Int) {
    self.init()
    self.title = title
    self.image = image
    self.tag = tag
  }
}
