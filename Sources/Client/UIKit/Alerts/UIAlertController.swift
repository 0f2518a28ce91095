import BelfryClient
public import Foundation

/// An object that displays an alert to the user.
///
/// On a desktop, presenting the alert posts a notification that stays until the user answers it. The alert's actions
/// are the notification's buttons.
@preconcurrency @MainActor
open class UIAlertController: UIViewController {
  /// The styles of an alert; they are stored, but the desktop decides how the alert looks.
  public enum Style: Int, Sendable {
    /// An action sheet that slides in from an edge of the screen.
    case actionSheet = 0
    /// An alert in the middle of the screen.
    case alert = 1
  }

  /// The text below the title.
  open var message: String?

  /// The style of the alert.
  open private(set) var preferredStyle: Style = .alert

  /// The actions, in the order in which they were added.
  open private(set) var actions: [UIAlertAction] = []

  /// The action that the alert highlights as the default choice.
  open var preferredAction: UIAlertAction?

  /// The text fields of the alert.
  open private(set) var textFields: [UITextField]?

  /// Creates an alert with the given title, message, and style.
  public convenience init(title: String?, message: String?, preferredStyle: Style) {
    self.init(nibName: nil, bundle: nil)
    self.title = title
    self.message = message
    self.preferredStyle = preferredStyle
  }

  /// Adds an action to the alert.
  open func addAction(_ action: UIAlertAction) { actions.append(action) }

  /// Does nothing: apps use this method to set keys that are private to Apple.
  open func setValue(_ value: Any?, forKey key: String) {}

  private var dialog: String?

  override func appear(animated: Bool) {
    super.appear(animated: animated)
    guard dialog == nil else { return }
    dialog = DialogCenter.shared.ask(
      title: title ?? "", message: message ?? "",
      choices: actions.map {
        .init(title: $0.title ?? "", isDestructive: $0.style == .destructive)
      },
      field: field
    ) { answer in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { [weak self] in self?.answered(answer) }
      }
    }
  }

  /// The alert's first text field, as a field of the dialog; nil if the alert has no text field.
  ///
  /// The dialog sends the text with the preferred action. Without a preferred action, it sends the text with the first
  /// action that does not cancel.
  private var field: DialogCenter.Field? {
    guard let placeholder = textFields?.first.map({ $0.placeholder ?? "" }) else { return nil }
    let confirmation = actions.firstIndex { $0 === preferredAction }
    let index = confirmation ?? actions.firstIndex { $0.style != .cancel }
    return .init(choice: index ?? 0, placeholder: placeholder)
  }

  override func disappear(animated: Bool) {
    super.disappear(animated: animated)
    if let dialog { DialogCenter.shared.withdraw(dialog) }
    dialog = nil
  }

  private func answered(_ answer: DialogCenter.Answer) {
    let chosen: UIAlertAction?
    switch answer {
    case .choice(let index, let text):
      chosen = actions.indices.contains(index) ? actions[index] : nil
      if let text { textFields?.first?.text = text }
    // Clicking or dismissing the notification itself chooses the preferred action. If there is no preferred action, the
    // cancel action is chosen; if there is no cancel action either, the first action is chosen.
    case .opened, .dismissed:
      chosen = preferredAction ?? actions.first { $0.style == .cancel } ?? actions.first
    case .unasked: return
    }
    dialog = nil
    presentingViewController?.dismiss(animated: false)
    if let chosen { chosen.handler?(chosen) }
  }

  /// Adds a text field to the alert; only the first text field is shown.
  open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
    let field = UITextField(frame: .zero)
    configurationHandler?(field)
    textFields = (textFields ?? []) + [field]
  }
}

/// An action that the user can choose in an alert.
@preconcurrency @MainActor
open class UIAlertAction: NSObject, NSCopying {
  /// The styles of an action.
  public enum Style: Int, Sendable {
    /// The default style of a button.
    case `default` = 0
    /// The style of an action that cancels the operation and changes nothing.
    case cancel = 1
    /// The style of an action that changes or deletes data.
    case destructive = 2
  }

  /// The title of the action's button.
  nonisolated public let title: String?

  /// The style of the action's button.
  nonisolated public let style: Style

  /// A Boolean value that indicates whether the action is enabled; stored, but has no effect.
  open var isEnabled = true

  let handler: ((UIAlertAction) -> Void)?

  /// Creates an action with a title, a style, and a handler to run when the user chooses it.
  public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
    self.title = title
    self.style = style
    self.handler = handler
    super.init()
  }

  /// Does nothing: apps use this method to set keys that are private to Apple, such as `titleTextColor`.
  nonisolated open func setValue(_ value: Any?, forKey key: String) {}

  /// Returns the same action.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A text field.
///
/// It stores its properties; nothing is drawn.
@preconcurrency @MainActor
open class UITextField: UIView {
  /// The text that the user entered.
  open var text: String?

  /// The placeholder that the empty field shows.
  open var placeholder: String?

  /// A Boolean value that indicates whether the field hides the text; stored, but has no effect.
  open var isSecureTextEntry = false

  /// The delegate, which is never called on this system; not retained.
  open weak var delegate: (any UITextFieldDelegate)?

  /// The keyboard type of the field; stored, but has no effect.
  open var keyboardType: UIKeyboardType = .default
}

/// The types of keyboards for entering text.
public enum UIKeyboardType: Int, Sendable {
  /// The default keyboard for the current input method.
  case `default` = 0
  /// A keyboard for ASCII characters.
  case asciiCapable = 1
  /// A keyboard for numbers and punctuation.
  case numbersAndPunctuation = 2
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// A keyboard for URLs.
  case URL = 3
  /// A keyboard for digits.
  case numberPad = 4
  /// A keyboard for telephone numbers.
  case phonePad = 5
  /// A keyboard for names and telephone numbers.
  case namePhonePad = 6
  /// A keyboard for email addresses.
  case emailAddress = 7
  /// A keyboard for numbers with a decimal point.
  case decimalPad = 8
}
