public import Foundation

/// What a menu is made of, as a value.
@preconcurrency @MainActor
open class UIMenuElement: NSObject {
  /// Its text.
  public internal(set) var title: String

  /// Its picture; kept, without effect.
  public internal(set) var image: UIImage?

  init(title: String, image: UIImage?) {
    self.title = title
    self.image = image
  }
}

/// What a control or a button of a bar does.
@preconcurrency @MainActor
open class UIAction: UIMenuElement {
  /// Tells actions apart.
  public struct Identifier: RawRepresentable, Hashable, Sendable {
    /// The text.
    public let rawValue: String

    /// An identifier of that text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// An identifier of that text.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// What runs.
  public typealias Handler = @MainActor (UIAction) -> Void

  /// Tells it from other actions.
  public let identifier: Identifier

  /// What it was sent by, while its handler runs.
  open internal(set) var sender: Any?

  private let handler: Handler

  /// An action.
  public init(
    title: String = "", image: UIImage? = nil, identifier: Identifier? = nil,
    handler: @escaping Handler
  ) {
    self.identifier = identifier ?? Identifier(UUID().uuidString)
    self.handler = handler
    super.init(title: title, image: image)
  }

  /// Runs the handler.
  func perform(sender: Any?) {
    self.sender = sender
    handler(self)
    self.sender = nil
  }
}
