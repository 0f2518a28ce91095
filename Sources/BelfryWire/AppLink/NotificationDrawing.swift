/// What a content extension made of a notification: what its view shows, from top to bottom.
public struct NotificationDrawing: Sendable, Hashable {
  /// One thing to show.
  public enum Item: Sendable, Hashable {
    case text(String)
    /// The absolute path of a picture's file that the agent's user can read.
    case picture(path: String)
  }

  /// What is shown, from top to bottom.
  public var items: [Item]
  /// The buttons in place of the notification's own; nil leaves those.
  public var actions: [NotificationAction]?

  /// A drawing.
  public init(items: [Item] = [], actions: [NotificationAction]? = nil) {
    self.items = items
    self.actions = actions
  }

  /// The files of its pictures.
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

/// What becomes of a notification after its content extension has handled an action, by Apple's names.
public enum ContentExtensionOption: String, Sendable, Hashable, CaseIterable {
  case doNotDismiss, dismiss, dismissAndForwardAction
}

/// What a content extension asks of its own, without an action of the person's.
public enum ContentExtensionWish: String, Sendable, Hashable, CaseIterable {
  /// To do what a plain click does.
  case open
  /// To close the window; the notification stays.
  case close
}
