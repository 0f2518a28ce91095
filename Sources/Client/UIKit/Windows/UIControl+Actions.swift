extension UIControl {
  /// The events of a control.
  public struct Event: OptionSet, Sendable {
    /// The raw bits of the set, as on Apple's systems.
    public let rawValue: UInt

    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A touch began in the control.
    public static let touchDown = Event(rawValue: 1 << 0)
    /// A touch ended in the control.
    public static let touchUpInside = Event(rawValue: 1 << 6)
    /// The control's value changed.
    public static let valueChanged = Event(rawValue: 1 << 12)
    /// The control's primary action was triggered.
    public static let primaryActionTriggered = Event(rawValue: 1 << 13)
    /// Editing in the control began.
    public static let editingDidBegin = Event(rawValue: 1 << 16)
    /// The text in the control changed.
    public static let editingChanged = Event(rawValue: 1 << 17)
    /// Editing in the control ended.
    public static let editingDidEnd = Event(rawValue: 1 << 18)
    /// Any event of a control.
    public static let allEvents = Event(rawValue: 0xFFFF_FFFF)
  }

  /// Adds an action for the given events.
  ///
  /// The action replaces an earlier action with the same identifier.
  public func addAction(_ action: UIAction, for controlEvents: UIControl.Event) {
    removeAction(action, for: controlEvents)
    actions.append((controlEvents, action))
  }

  /// Removes an action for the given events.
  public func removeAction(_ action: UIAction, for controlEvents: UIControl.Event) {
    actions = actions.compactMap { events, other in
      guard other.identifier == action.identifier else { return (events, other) }
      let rest = events.subtracting(controlEvents)
      return rest.isEmpty ? nil : (rest, other)
    }
  }

  /// Performs the actions for the given events, as if the user had touched the control.
  public func sendActions(for controlEvents: UIControl.Event) {
    for (events, action) in actions where !events.isDisjoint(with: controlEvents) {
      action.perform(sender: self)
    }
  }
}

extension UIButton {
  /// Creates a button that performs an action when it is touched.
  public convenience init(type buttonType: ButtonType = .system, primaryAction: UIAction?) {
    self.init(type: buttonType)
    guard let primaryAction else { return }
    setTitle(primaryAction.title, for: .normal)
    addAction(primaryAction, for: .touchUpInside)
  }
}
