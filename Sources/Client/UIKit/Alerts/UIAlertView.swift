import BelfryClient
public import Foundation

/// An alert, in the API used before iOS 8.
///
/// On a desktop, the alert is a notification that stays until the user answers it. The buttons appear in the order in
/// which they were added; the cancel button, if any, is first.
@available(iOS, deprecated: 9.0, message: "Use UIAlertController")
@preconcurrency @MainActor
open class UIAlertView: UIView {
  /// The delegate, which receives the answer if it conforms to `UIAlertViewDelegate`; not retained.
  open weak var delegate: AnyObject?

  /// The title of the alert.
  open var title = ""

  /// The text below the title.
  open var message: String?

  /// The index of the cancel button; -1 if the alert has none.
  open var cancelButtonIndex = -1

  /// The index of the first button other than the cancel button; -1 if the alert has no other button.
  open var firstOtherButtonIndex: Int {
    titles.indices.first { $0 != cancelButtonIndex } ?? -1
  }

  /// The number of buttons.
  open var numberOfButtons: Int { titles.count }

  /// A Boolean value that indicates whether the alert is visible.
  open var isVisible: Bool { dialog != nil }

  private var titles: [String] = []
  private var dialog: String?

  /// Creates an alert with at most a cancel button.
  public convenience init(
    title: String?, message: String?, delegate: Any?, cancelButtonTitle: String?
  ) {
    self.init(frame: .zero)
    self.title = title ?? ""
    self.message = message
    self.delegate = delegate as AnyObject?
    if let cancelButtonTitle { cancelButtonIndex = addButton(withTitle: cancelButtonTitle) }
  }

  /// Creates an alert with a cancel button and other buttons.
  public convenience init(
    title: String, message: String, delegate: (any UIAlertViewDelegate)?,
    cancelButtonTitle: String?, otherButtonTitles firstButtonTitle: String,
    _ moreButtonTitles: String...
  ) {
    self.init(
      title: title, message: message, delegate: delegate, cancelButtonTitle: cancelButtonTitle)
    for title in [firstButtonTitle] + moreButtonTitles { addButton(withTitle: title) }
  }

  /// Adds a button and returns its index.
  @discardableResult
  open func addButton(withTitle title: String?) -> Int {
    titles.append(title ?? "")
    return titles.count - 1
  }

  /// Returns the title of the button at an index; nil if the index is out of range.
  open func buttonTitle(at buttonIndex: Int) -> String? {
    titles.indices.contains(buttonIndex) ? titles[buttonIndex] : nil
  }

  /// Shows the alert.
  ///
  /// Without permission to show alerts, nothing is shown and the delegate receives no answer.
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

  /// Dismisses the alert as if the user had pressed a button.
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
    // Clicking or dismissing the notification itself counts as pressing the cancel button. Without a cancel
    // button, it counts as pressing the first button.
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

/// The delegate of an alert, in the API used before iOS 8.
///
/// Every member is optional; the default implementations do nothing.
@available(iOS, deprecated: 9.0, message: "Use UIAlertController")
@MainActor
public protocol UIAlertViewDelegate: NSObjectProtocol {
  /// Tells the delegate that the user pressed a button.
  func alertView(_ alertView: UIAlertView, clickedButtonAt buttonIndex: Int)

  /// Tells the delegate that the system cancelled the alert; never called on this system.
  func alertViewCancel(_ alertView: UIAlertView)

  /// Tells the delegate that the alert is about to appear.
  func willPresent(_ alertView: UIAlertView)

  /// Tells the delegate that the alert has appeared.
  func didPresent(_ alertView: UIAlertView)

  /// Tells the delegate that the alert is about to disappear.
  func alertView(_ alertView: UIAlertView, willDismissWithButtonIndex buttonIndex: Int)

  /// Tells the delegate that the alert has disappeared.
  func alertView(_ alertView: UIAlertView, didDismissWithButtonIndex buttonIndex: Int)
}

@available(iOS, deprecated: 9.0, message: "Use UIAlertController")
extension UIAlertViewDelegate {
  /// The default implementation does nothing.
  public func alertView(_ alertView: UIAlertView, clickedButtonAt buttonIndex: Int) {}

  /// The default implementation does nothing.
  public func alertViewCancel(_ alertView: UIAlertView) {}

  /// The default implementation does nothing.
  public func willPresent(_ alertView: UIAlertView) {}

  /// The default implementation does nothing.
  public func didPresent(_ alertView: UIAlertView) {}

  /// The default implementation does nothing.
  public func alertView(_ alertView: UIAlertView, willDismissWithButtonIndex buttonIndex: Int) {}

  /// The default implementation does nothing.
  public func alertView(_ alertView: UIAlertView, didDismissWithButtonIndex buttonIndex: Int) {}
}
