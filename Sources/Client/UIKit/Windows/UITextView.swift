/// A text of many lines, as a value.
@preconcurrency @MainActor
open class UITextView: UIView {
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The text.
  open var text: String! = ""

  /// Kept, without effect.
  open var textColor: UIColor?

  /// Whether it can be written in; kept, without effect.
  open var isEditable = true

  /// Whether the text can be chosen; kept, without effect.
  open var isSelectable = true
}

/// A picture, as a value.
@preconcurrency @MainActor
open class UIImageView: UIView {
  /// The picture.
  open var image: UIImage?

  /// A view of a picture.
  public convenience init(image: UIImage?) {
    self.init(frame: .zero)
    self.image = image
  }
}
