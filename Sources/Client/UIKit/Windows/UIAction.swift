public import Foundation

/// An element of a menu.
@preconcurrency @MainActor
open class UIMenuElement: NSObject {
  /// The title of the element.
  public internal(set) var title: String

  /// The image of the element; stored, but has no effect.
  public internal(set) var image: UIImage?

  init(title: String, image: UIImage?) {
    self.title = title
    self.image = image
  }
}

/// An action that a control or a bar button performs.
@preconcurrency @MainActor
open class UIAction: UIMenuElement {
  /// The identifier of an action.
  public struct Identifier: RawRepresentable, Hashable, Sendable {
    /// The identifier as a string.
    public let rawValue: String

    /// Creates an identifier from its string.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Creates an identifier from its string.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The type of an action's handler.
  public typealias Handler = @MainActor (UIAction) -> Void

  /// The identifier of the action.
  public let identifier: Identifier

  /// The object that sent the action; set while the handler runs.
  open internal(set) var sender: Any?

  private let handler: Handler

  /// Creates an action; generates an identifier if none is given.
  public init(
    title: String = "", image: UIImage? = nil, identifier: Identifier? = nil,
    handler: @escaping Handler
  ) {
    self.identifier = identifier ?? Identifier(UUID().uuidString)
    self.handler = handler
    super.init(title: title, image: image)
  }

  /// Runs the handler on behalf of the sender.
  func perform(sender: Any?) {
    self.sender = sender
    handler(self)
    self.sender = nil
  }
}
