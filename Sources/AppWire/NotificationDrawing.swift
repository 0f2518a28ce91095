internal import BelfryWire

/// The view that a content extension creates for a notification, as a list from top to bottom.
public struct NotificationDrawing: Sendable, Hashable {
  /// An item of the view.
  public enum Item: Sendable, Hashable {
    case text(String)
    /// The absolute path of an image file that the agent's user can read.
    case picture(path: String)
  }

  /// The items of the view, from top to bottom.
  public var items: [Item]
  /// The buttons to show instead of the notification's own buttons; nil keeps the notification's buttons.
  public var actions: [NotificationAction]?

  /// Creates a drawing from its items and buttons.
  public init(items: [Item] = [], actions: [NotificationAction]? = nil) {
    self.items = items
    self.actions = actions
  }

  /// The paths of the image files in the drawing.
  public var paths: [String] {
    items.compactMap { if case .picture(let path) = $0 { path } else { nil } }
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    items = try fields.list("items") { item throws(AppLinkDecodingFailure) in
      if let text = try item.optionalString("text") { return .text(text) }
      return .picture(path: try item.string("picture"))
    }
    guard items.count <= WireLimits.drawingItemsMax else { throw .unexpected(field: "items") }
    actions = try fields.optionalList("actions", NotificationAction.init)
    guard actions?.count ?? 0 <= WireLimits.actionsPerCategoryMax else {
      throw .unexpected(field: "actions")
    }
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("items", list: items) { item, inner in
      switch item {
      case .text(let text): inner.set("text", text)
      case .picture(let path): inner.set("picture", path)
      }
    }
    builder.set("actions", list: actions) { $0.write(&$1) }
  }
}

/// The way in which a notification is treated after its content extension handles an action; the names are Apple's.
public enum ContentExtensionOption: String, Sendable, Hashable, CaseIterable {
  case doNotDismiss, dismiss, dismissAndForwardAction
}

/// An action that a content extension itself requests, without user interaction.
public enum ContentExtensionWish: String, Sendable, Hashable, CaseIterable {
  /// Performs the notification's default action.
  case open
  /// Closes the window; the notification stays.
  case close
}
