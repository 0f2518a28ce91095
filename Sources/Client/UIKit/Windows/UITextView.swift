/// A view that displays several lines of text; the window of a content extension shows it.
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

/// A view that displays an image; the window of a content extension shows it.
@preconcurrency @MainActor
open class UIImageView: UIView {
  /// The image to display, or nil; a content extension's window shows each change.
  open var image: UIImage? { didSet { Self.onContentChange?() } }

  /// Creates a view that displays an image.
  public convenience init(image: UIImage?) {
    self.init(frame: .zero)
    self.image = image
  }
}
