import BelfryClient
public import Foundation

/// A question to the user, as apps before iOS 8 ask it.
///
/// Where a desktop is there, it is shown as a notification that stays until it is answered, with
/// the answers as its buttons. The buttons have the order in which they were added; the one that
/// cancels is the first, where there is one.
@available(iOS, deprecated: 9.0, message: "Use UIAlertController")
@preconcurrency @MainActor
open class UIAlertView: UIView {
  /// The delegate, which gets the answer where it is a `UIAlertViewDelegate`; not retained.
  open weak var delegate: AnyObject?

  /// The question.
  open var title = ""

  /// The text under it.
  open var message: String?

  /// Which button cancels; -1 when none does.
  open var cancelButtonIndex = -1

  /// Which button is the first of the others; -1 when there are none.
  open var firstOtherButtonIndex: Int {
    titles.indices.first { $0 != cancelButtonIndex } ?? -1
  }

  /// How many buttons it has.
  open var numberOfButtons: Int { titles.count }

  /// Whether it is being asked.
  open var isVisible: Bool { dialog != nil }

  private var titles: [String] = []
  private var dialog: String?

  /// A question with at most the button that cancels.
  public convenience init(
    title: String?, message: String?, delegate: Any?, cancelButtonTitle: String?
  ) {
    self.init(frame: .zero)
    self.title = title ?? ""
    self.message = message
    self.delegate = delegate as AnyObject?
    if let cancelButtonTitle { cancelButtonIndex = addButton(withTitle: cancelButtonTitle) }
  }

  /// A question with other buttons.
  public convenience init(
    title: String, message: String, delegate: (any UIAlertViewDelegate)?,
    cancelButtonTitle: String?, otherButtonTitles firstButtonTitle: String,
    _ moreButtonTitles: String...
  ) {
    self.init(
      title: title, message: message, delegate: delegate, cancelButtonTitle: cancelButtonTitle)
    for title in [firstButtonTitle] + moreButtonTitles { addButton(withTitle: title) }
  }

  /// Adds a button; returns which it is.
  @discardableResult
  open func addButton(withTitle title: String?) -> Int {
    titles.append(title ?? "")
    return titles.count - 1
  }

  /// The text of a button; nil when there is no such button.
  open func buttonTitle(at buttonIndex: Int) -> String? {
    titles.indices.contains(buttonIndex) ? titles[buttonIndex] : nil
  }

  /// Shows the alert; without the permission for alerts nothing is shown, and the delegate is not called.
  open func show() {
    guard dialog == nil else { return }
    asker?.willPresent(self)
    dialog = DialogCenter.shared.ask(
      title: title, message: message ?? "",
      choices: (titles.isEmpty ? ["OK"] : titles).map { .init(title: $0) }
    ) { answer in
      DispatchQueue.main.async { MainActor.assumeIsolated { self.answered(answer) } }
    }
    asker?.didPresent(self)
  }

  /// Withdraws the question as though a button had been pressed.
  open func dismiss(withClickedButtonIndex buttonIndex: Int, animated: Bool) {
    guard let dialog else { return }
    DialogCenter.shared.withdraw(dialog)
    end(buttonIndex)
  }

  private var asker: (any UIAlertViewDelegate)? { delegate as? any UIAlertViewDelegate }

  private func answered(_ answer: DialogCenter.Answer) {
    guard dialog != nil else { return }
    switch answer {
    case .choice(let index, _):
      asker?.alertView(self, clickedButtonAt: index)
      end(index)
    // A click on the question itself changes nothing, unless there is only one answer.
    case .opened, .dismissed:
      let index = cancelButtonIndex >= 0 ? cancelButtonIndex : 0
      asker?.alertView(self, clickedButtonAt: index)
      end(index)
    case .unasked: dialog = nil
    }
  }

  private func end(_ index: Int) {
    dialog = nil
    asker?.alertView(self, willDismissWithButtonIndex: index)
    asker?.alertView(self, didDismissWithButtonIndex: index)
  }
}

/// The delegate of an alert of apps before iOS 8.
///
/// Every member is optional: those that the conforming class leaves out do nothing.
@available(iOS, deprecated: 9.0, message: "Use UIAlertController")
@MainActor
public protocol UIAlertViewDelegate: NSObjectProtocol {
  /// A button was pressed.
  func alertView(_ alertView: UIAlertView, clickedButtonAt buttonIndex: Int)

  /// The system took the question back; never called on this system.
  func alertViewCancel(_ alertView: UIAlertView)

  /// The question is about to be asked.
  func willPresent(_ alertView: UIAlertView)

  /// The question was asked.
  func didPresent(_ alertView: UIAlertView)

  /// The question is about to go.
  func alertView(_ alertView: UIAlertView, willDismissWithButtonIndex buttonIndex: Int)

  /// The question has gone.
  func alertView(_ alertView: UIAlertView, didDismissWithButtonIndex buttonIndex: Int)
}

@available(iOS, deprecated: 9.0, message: "Use UIAlertController")
extension UIAlertViewDelegate {
  /// Does nothing.
  public func alertView(_ alertView: UIAlertView, clickedButtonAt buttonIndex: Int) {}

  /// Does nothing.
  public func alertViewCancel(_ alertView: UIAlertView) {}

  /// Does nothing.
  public func willPresent(_ alertView: UIAlertView) {}

  /// Does nothing.
  public func didPresent(_ alertView: UIAlertView) {}

  /// Does nothing.
  public func alertView(_ alertView: UIAlertView, willDismissWithButtonIndex buttonIndex: Int) {}

  /// Does nothing.
  public func alertView(_ alertView: UIAlertView, didDismissWithButtonIndex buttonIndex: Int) {}
}
