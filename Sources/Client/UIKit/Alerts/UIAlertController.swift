import BelfryClient
public import Foundation

/// A question to the user.
///
/// Where a desktop is there, presenting it shows a notification that stays until it is answered,
/// with the actions as its buttons.
@preconcurrency @MainActor
open class UIAlertController: UIViewController {
  /// How a question looks; stored, the desktop decides.
  public enum Style: Int, Sendable {
    /// From the screen's edge.
    case actionSheet = 0
    /// In the middle.
    case alert = 1
  }

  /// The text under the title.
  open var message: String?

  /// How it looks.
  open private(set) var preferredStyle: Style = .alert

  /// The answers in the order in which they were added.
  open private(set) var actions: [UIAlertAction] = []

  /// The answer that is proposed.
  open var preferredAction: UIAlertAction?

  /// The fields that it asks for.
  open private(set) var textFields: [UITextField]?

  /// A question.
  public convenience init(title: String?, message: String?, preferredStyle: Style) {
    self.init(nibName: nil, bundle: nil)
    self.title = title
    self.message = message
    self.preferredStyle = preferredStyle
  }

  /// Adds an answer.
  open func addAction(_ action: UIAlertAction) { actions.append(action) }

  /// Does nothing: the keys that apps set this way are Apple's own.
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

  /// What is typed goes with the answer that confirms.
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
    // A click on the question itself changes nothing, unless there is only one answer.
    case .opened, .dismissed:
      chosen = preferredAction ?? actions.first { $0.style == .cancel } ?? actions.first
    case .unasked: return
    }
    dialog = nil
    presentingViewController?.dismiss(animated: false)
    if let chosen { chosen.handler?(chosen) }
  }

  /// Adds a field for text.
  open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
    let field = UITextField(frame: .zero)
    configurationHandler?(field)
    textFields = (textFields ?? []) + [field]
  }
}

/// An answer to a question.
@preconcurrency @MainActor
open class UIAlertAction: NSObject, NSCopying {
  /// How an answer looks.
  public enum Style: Int, Sendable {
    /// As any other.
    case `default` = 0
    /// As the one that changes nothing.
    case cancel = 1
    /// As one that destroys something.
    case destructive = 2
  }

  /// The button's text.
  nonisolated public let title: String?

  /// How it looks.
  nonisolated public let style: Style

  /// Whether it can be chosen.
  open var isEnabled = true

  let handler: ((UIAlertAction) -> Void)?

  /// An answer with what it does.
  public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
    self.title = title
    self.style = style
    self.handler = handler
    super.init()
  }

  /// Does nothing: the keys that apps set this way, such as `titleTextColor`, are Apple's own.
  nonisolated open func setValue(_ value: Any?, forKey key: String) {}

  /// Returns the answer itself.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A field for text, as a value.
@preconcurrency @MainActor
open class UITextField: UIView {
  /// What was written.
  open var text: String?

  /// The placeholder of the empty field.
  open var placeholder: String?

  /// Whether the text is hidden.
  open var isSecureTextEntry = false

  /// Stored and never called; not retained.
  open weak var delegate: (any UITextFieldDelegate)?

  /// Which keys are offered; stored, without effect.
  open var keyboardType: UIKeyboardType = .default
}

/// Which keys are offered for a text.
public enum UIKeyboardType: Int, Sendable {
  /// All.
  case `default` = 0
  /// Those of ASCII.
  case asciiCapable = 1
  /// Numbers and signs.
  case numbersAndPunctuation = 2
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Those of URLs.
  case URL = 3
  /// Digits.
  case numberPad = 4
  /// Those of telephones.
  case phonePad = 5
  /// Those of names and telephones.
  case namePhonePad = 6
  /// Those of mail addresses.
  case emailAddress = 7
  /// Numbers with a point.
  case decimalPad = 8
}
