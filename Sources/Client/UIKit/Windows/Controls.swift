public import Foundation

// Controls that apps use as the senders of `@IBAction` methods. They store their properties; nothing is drawn.

/// The superclass of controls.
@preconcurrency @MainActor
open class UIControl: UIView {
  /// A Boolean value that indicates whether the control is enabled; stored, but has no effect.
  open var isEnabled = true

  /// A Boolean value that indicates whether the control is selected; stored, but has no effect.
  open var isSelected = false

  /// A Boolean value that indicates whether the control is highlighted; stored, but has no effect.
  open var isHighlighted = false

  var actions: [(UIControl.Event, UIAction)] = []

  /// The states of a control.
  public struct State: OptionSet, Sendable {
    /// The raw bits of the set, as on Apple's systems.
    public let rawValue: UInt

    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The default state of a control.
    public static let normal: State = []
    /// The state while the user touches the control.
    public static let highlighted = State(rawValue: 1 << 0)
    /// The state while the control is disabled.
    public static let disabled = State(rawValue: 1 << 1)
    /// The state while the control is selected.
    public static let selected = State(rawValue: 1 << 2)
  }
}

/// A button that performs an action when the user touches it.
@preconcurrency @MainActor
open class UIButton: UIControl {
  /// The types of buttons; not stored.
  public enum ButtonType: Int, Sendable {
    /// A button without a predefined style.
    case custom = 0
    /// A button in the system's style.
    case system = 1
    /// A button that shows details.
    case detailDisclosure = 2
    /// A button that shows information.
    case infoLight = 3
    /// A button that shows information, for light backgrounds.
    case infoDark = 4
    /// A button that adds a contact.
    case contactAdd = 5
    /// A button that closes a view.
    case close = 7
  }

  private var titles: [UInt: String] = [:]

  /// Creates a button; the type is ignored.
  public convenience init(type buttonType: ButtonType) { self.init(frame: .zero) }

  /// The title for the default state.
  open var currentTitle: String? { titles[UIControl.State.normal.rawValue] }

  /// Sets the title for a state.
  open func setTitle(_ title: String?, for state: UIControl.State) {
    titles[state.rawValue] = title
  }

  /// Returns the title for a state, or the title for the default state if none is set.
  open func title(for state: UIControl.State) -> String? {
    titles[state.rawValue] ?? currentTitle
  }
}

/// A label whose text appears in the window of a content extension.
@preconcurrency @MainActor
open class UILabel: UIView {
  /// The text of the label.
  open var text: String? { didSet { Self.onContentChange?() } }

  /// The color of the text; stored, but has no effect.
  open var textColor: UIColor?

  /// The maximum number of lines; stored, but has no effect.
  open var numberOfLines = 1
}

/// A control with an on state and an off state.
@preconcurrency @MainActor
open class UISwitch: UIControl {
  /// A Boolean value that indicates whether the switch is on.
  open var isOn = false

  /// Sets the switch to the on or off state.
  open func setOn(_ on: Bool, animated: Bool) { isOn = on }
}

/// A control for choosing a date and time.
@preconcurrency @MainActor
open class UIDatePicker: UIControl {
  /// The chosen date and time.
  open var date = Date()

  /// The earliest date that the user can choose; stored, but has no effect.
  open var minimumDate: Date?

  /// The latest date that the user can choose; stored, but has no effect.
  open var maximumDate: Date?

  /// Sets the chosen date and time.
  open func setDate(_ date: Date, animated: Bool) { self.date = date }
}

/// A control for choosing a value from a continuous range.
@preconcurrency @MainActor
open class UISlider: UIControl {
  /// The chosen value; not limited to the range from `minimumValue` to `maximumValue`.
  open var value: Float = 0

  /// The minimum value; stored, but has no effect.
  open var minimumValue: Float = 0

  /// The maximum value; stored, but has no effect.
  open var maximumValue: Float = 1
}

/// A control for increasing and decreasing a number.
@preconcurrency @MainActor
open class UIStepper: UIControl {
  /// The chosen number; not limited to the range from `minimumValue` to `maximumValue`.
  open var value: Double = 0

  /// The minimum value; stored, but has no effect.
  open var minimumValue: Double = 0

  /// The maximum value; stored, but has no effect.
  open var maximumValue: Double = 100

  /// The amount by which a touch changes the value; stored, but has no effect.
  open var stepValue: Double = 1
}

/// A control for choosing one of several segments.
@preconcurrency @MainActor
open class UISegmentedControl: UIControl {
  /// The index of the selected segment; -1 if none is selected.
  open var selectedSegmentIndex = -1
}
