public import BelfryClient

extension UIControl {
  /// Calls a method of the target for events, in place of one that was added for the same target and events before.
  ///
  /// The target is not retained.
  public func addTarget(
    _ target: AnyObject?, action: Selector, for controlEvents: UIControl.Event
  ) {
    guard let target else { return }
    addAction(
      UIAction(identifier: Self.identifier(of: target)) { [weak target] performed in
        if let target { action(target, performed.sender) }
      }, for: controlEvents)
  }

  /// Removes the methods of a target for events.
  public func removeTarget(
    _ target: AnyObject?, action: Selector?, for controlEvents: UIControl.Event
  ) {
    guard let target else { return }
    let action = UIAction(identifier: Self.identifier(of: target)) { _ in }
    removeAction(action, for: controlEvents)
  }

  private static func identifier(of target: AnyObject) -> UIAction.Identifier {
    UIAction.Identifier("belfry.target.\(UInt(bitPattern: ObjectIdentifier(target)))")
  }
}

extension UIBarButtonItem {
  /// A button of the system, whose title is not shown.
  public enum SystemItem: Int, Sendable {
    /// Ends a task.
    case done = 0
    /// Goes back without a change.
    case cancel = 1
    /// Begins to edit.
    case edit = 2
    /// Saves.
    case save = 3
    /// Adds something.
    case add = 4
    /// Takes the room between buttons.
    case flexibleSpace = 5
    /// Composes a text.
    case compose = 7
    /// Offers further actions.
    case action = 9
    /// Looks for something new.
    case refresh = 13
    /// Removes something.
    case trash = 16
  }

  /// Creates a button that calls a method of the target, which is not retained.
  public convenience init(
    title: String?, style: Style, target: AnyObject?, action: Selector?
  ) {
    self.init(title: title, primaryAction: Self.primaryAction(target, action))
    self.style = style
  }

  /// Creates a button with an image that calls a method of the target, which is not retained.
  public convenience init(
    image: UIImage?, style: Style, target: AnyObject?, action: Selector?
  ) {
    self.init(image: image, primaryAction: Self.primaryAction(target, action))
    self.style = style
  }

  /// Creates a button of the system that calls a method of the target, which is not retained.
  public convenience init(
    barButtonSystemItem systemItem: SystemItem, target: AnyObject?, action: Selector?
  ) { self.init(primaryAction: Self.primaryAction(target, action)) }

  private static func primaryAction(_ target: AnyObject?, _ action: Selector?) -> UIAction? {
    guard let target, let action else { return nil }
    return UIAction { [weak target] performed in
      if let target { action(target, performed.sender) }
    }
  }
}
