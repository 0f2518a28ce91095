public import Foundation

// The senders of `@IBAction` methods, as values.

/// Something that is touched, as a value.
@preconcurrency @MainActor
open class UIControl: UIView {
  /// Whether it can be touched.
  open var isEnabled = true

  /// Whether it is chosen.
  open var isSelected = false

  /// Whether it is being touched; stored, without effect.
  open var isHighlighted = false

  var actions: [(UIControl.Event, UIAction)] = []

  /// The looks of a control.
  public struct State: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// From bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// As ever.
    public static let normal: State = []
    /// While it is touched.
    public static let highlighted = State(rawValue: 1 << 0)
    /// While it cannot be touched.
    public static let disabled = State(rawValue: 1 << 1)
    /// While it is chosen.
    public static let selected = State(rawValue: 1 << 2)
  }
}

/// A button, as a value.
@preconcurrency @MainActor
open class UIButton: UIControl {
  /// The kind of button; not stored.
  public enum ButtonType: Int, Sendable {
    /// Without a look.
    case custom = 0
    /// As the system's.
    case system = 1
    /// One that leads to more.
    case detailDisclosure = 2
    /// One that leads to information.
    case infoLight = 3
    /// One that leads to information, on a light ground.
    case infoDark = 4
    /// One that adds.
    case contactAdd = 5
    /// One that closes.
    case close = 7
  }

  private var titles: [UInt: String] = [:]

  /// A button of a kind.
  public convenience init(type buttonType: ButtonType) { self.init(frame: .zero) }

  /// Its text as ever.
  open var currentTitle: String? { titles[UIControl.State.normal.rawValue] }

  /// Stores the title of a state.
  open func setTitle(_ title: String?, for state: UIControl.State) {
    titles[state.rawValue] = title
  }

  /// The text for a look.
  open func title(for state: UIControl.State) -> String? {
    titles[state.rawValue] ?? currentTitle
  }
}

/// A text, as a value; a content extension's window shows it.
@preconcurrency @MainActor
open class UILabel: UIView {
  /// The text.
  open var text: String? { didSet { Self.onContentChange?() } }

  /// Stored, without effect.
  open var textColor: UIColor?

  /// Stored, without effect.
  open var numberOfLines = 1
}

/// A switch, as a value.
@preconcurrency @MainActor
open class UISwitch: UIControl {
  /// Whether it is on.
  open var isOn = false

  /// Turns it on or off.
  open func setOn(_ on: Bool, animated: Bool) { isOn = on }
}

/// A choice of a moment, as a value.
@preconcurrency @MainActor
open class UIDatePicker: UIControl {
  /// The moment.
  open var date = Date()

  /// The earliest moment; stored, without effect.
  open var minimumDate: Date?

  /// The latest moment; stored, without effect.
  open var maximumDate: Date?

  /// Chooses a moment.
  open func setDate(_ date: Date, animated: Bool) { self.date = date }
}

/// A choice of a number, as a value.
@preconcurrency @MainActor
open class UISlider: UIControl {
  /// The number.
  open var value: Float = 0

  /// The lowest number; stored, without effect.
  open var minimumValue: Float = 0

  /// The highest number; stored, without effect.
  open var maximumValue: Float = 1
}

/// A number that goes up and down, as a value.
@preconcurrency @MainActor
open class UIStepper: UIControl {
  /// The number.
  open var value: Double = 0

  /// The lowest number; stored, without effect.
  open var minimumValue: Double = 0

  /// The highest number; stored, without effect.
  open var maximumValue: Double = 100

  /// How far a touch goes; stored, without effect.
  open var stepValue: Double = 1
}

/// A choice of one among few, as a value.
@preconcurrency @MainActor
open class UISegmentedControl: UIControl {
  /// Which is chosen; -1 when none is.
  open var selectedSegmentIndex = -1
}
