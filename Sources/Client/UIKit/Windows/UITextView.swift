/// A text view of several lines, as a value; a content extension's window shows it.
@preconcurrency @MainActor
open class UITextView: UIView {
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The text.
  open var text: String! = "" { didSet { Self.onContentChange?() } }

  /// The text's colour; stored without effect.
  open var textColor: UIColor?

  /// Whether the text can be edited; stored without effect.
  open var isEditable = true

  /// Whether the text can be selected; stored without effect.
  open var isSelectable = true
}

/// A view of an image, as a value; a content extension's window shows it.
@preconcurrency @MainActor
open class UIImageView: UIView {
  /// The image.
  open var image: UIImage? { didSet { Self.onContentChange?() } }

  /// Creates a view of an image.
  public convenience init(image: UIImage?) {
    self.init(frame: .zero)
    self.image = image
  }
}
