public import Foundation

/// An element of a menu, as a value.
@preconcurrency @MainActor
open class UIMenuElement: NSObject {
  /// The title.
  public internal(set) var title: String

  /// The image; stored without effect.
  public internal(set) var image: UIImage?

  init(title: String, image: UIImage?) {
    self.title = title
    self.image = image
  }
}

/// The action of a control or of a bar's button.
@preconcurrency @MainActor
open class UIAction: UIMenuElement {
  /// The identifier of an action.
  public struct Identifier: RawRepresentable, Hashable, Sendable {
    /// The identifier's text.
    public let rawValue: String

    /// Creates an identifier from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Creates an identifier from its text.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The type of an action's handler.
  public typealias Handler = @MainActor (UIAction) -> Void

  /// The action's identifier.
  public let identifier: Identifier

  /// The object that sent the action, while its handler runs.
  open internal(set) var sender: Any?

  private let handler: Handler

  /// Creates an action.
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
