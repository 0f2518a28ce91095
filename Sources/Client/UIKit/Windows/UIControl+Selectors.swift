public import BelfryClient

extension UIControl {
  /// Registers a method to call on the target when one of the given events occurs.
  ///
  /// The method replaces an earlier method that was added for the same target and events. The target is not retained.
  public func addTarget(
    _ target: AnyObject?, action: Selector, for controlEvents: UIControl.Event
  ) {
    guard let target else { return }
    addAction(
      UIAction(identifier: Self.identifier(of: target)) { [weak target] performed in
        if let target { action(target, performed.sender) }
      }, for: controlEvents)
  }

  /// Stops calling the target when one of the given events occurs.
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
  /// The system's bar buttons, whose titles are not shown.
  public enum SystemItem: Int, Sendable {
    /// A button that completes a task.
    case done = 0
    /// A button that discards changes.
    case cancel = 1
    /// A button that starts editing.
    case edit = 2
    /// A button that saves changes.
    case save = 3
    /// A button that adds an item.
    case add = 4
    /// Flexible space between buttons.
    case flexibleSpace = 5
    /// A button that composes text.
    case compose = 7
    /// A button that offers more actions.
    case action = 9
    /// A button that refreshes the content.
    case refresh = 13
    /// A button that deletes an item.
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

  /// Creates one of the system's buttons, which calls a method of the target.
  ///
  /// The target is not retained.
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
