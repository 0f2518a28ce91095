/// A view with several lines of text, which appear in the window of a content extension.
@preconcurrency @MainActor
open class UITextView: UIView {
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The text of the view.
  open var text: String! = "" { didSet { Self.onContentChange?() } }

  /// The color of the text; stored, but has no effect.
  open var textColor: UIColor?

  /// A Boolean value that indicates whether the text can be edited; stored, but has no effect.
  open var isEditable = true

  /// A Boolean value that indicates whether the text can be selected; stored, but has no effect.
  open var isSelectable = true
}

/// A view with an image, which appears in the window of a content extension.
@preconcurrency @MainActor
open class UIImageView: UIView {
  /// The image to display; nil for no image.
  open var image: UIImage? { didSet { Self.onContentChange?() } }

  /// Creates a view that displays an image.
  public convenience init(image: UIImage?) {
    self.init(frame: .zero)
    self.image = image
  }
}
