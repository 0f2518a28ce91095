import BelfryClient
public import Foundation

/// An alert that asks the user to choose a button.
///
/// On a desktop, the alert is a notification that stays until the user answers it, and its buttons are the
/// notification's buttons. The app must have permission to show alerts; otherwise, the user is not asked.
@preconcurrency @MainActor
open class NSAlert: NSObject {
  /// The styles of an alert, by severity.
  public enum Style: UInt, Sendable {
    /// A warning about a current or possible problem.
    case warning = 0
    /// Information about a current or possible event.
    case informational = 1
    /// A critical alert with severe consequences.
    case critical = 2
  }

  /// The message or title of the alert.
  open var messageText = ""

  /// The text that adds details to the message.
  open var informativeText = ""

  /// The style of the alert.
  open var alertStyle: Style = .warning

  /// The icon of the alert; stored, but has no effect.
  open var icon: NSImage?

  /// A custom view in the alert; stored, but has no effect.
  open var accessoryView: NSView?

  /// A Boolean value that indicates whether the alert has a checkbox that suppresses it; stored, but has no effect.
  open var showsSuppressionButton = false

  /// The buttons, in the order in which they were added.
  open private(set) var buttons: [NSButton] = []

  /// Creates an alert without text.
  public override init() { super.init() }

  /// Creates an alert that describes an error.
  public convenience init(error: any Error) {
    self.init()
    messageText = error.localizedDescription
  }

  /// Adds a button to the alert and returns it.
  @discardableResult
  open func addButton(withTitle title: String) -> NSButton {
    let button = NSButton(frame: .zero)
    button.title = title
    button.tag = NSApplication.ModalResponse.alertFirstButtonReturn.rawValue + buttons.count
    buttons.append(button)
    return button
  }
}

extension NSAlert {
  /// Shows the alert and waits until the user answers it.
  ///
  /// - Returns: The chosen button; `.abort` if the user could not be asked.
  @discardableResult
  public func runModal() -> NSApplication.ModalResponse {
    let answer = LockedBox<NSApplication.ModalResponse?>(nil)
    ask { response in answer.withLock { $0 = response } }
    while true {
      if let response = answer.withLock({ $0 }) { return response }
      // Run the loop only briefly: the answer arrives on another thread and does not wake this run loop.
      let moment = Date(timeIntervalSinceNow: 0.05)
      if !RunLoop.main.run(mode: .default, before: moment) { Thread.sleep(until: moment) }
    }
  }

  /// Shows the alert.
  ///
  /// The handler receives the chosen button, or `.abort` if the user could not be asked.
  public func beginSheetModal(
    for sheetWindow: NSWindow,
    completionHandler handler: (@MainActor @Sendable (NSApplication.ModalResponse) -> Void)? = nil
  ) {
    ask { response in
      DispatchQueue.main.async { MainActor.assumeIsolated { handler?(response) } }
    }
  }

  private func ask(_ answered: @escaping @Sendable (NSApplication.ModalResponse) -> Void) {
    let titles = buttons.isEmpty ? ["OK"] : buttons.map(\.title)
    DialogCenter.shared.ask(
      title: messageText, message: informativeText, choices: titles.map { .init(title: $0) }
    ) { answer in
      let first = NSApplication.ModalResponse.alertFirstButtonReturn.rawValue
      switch answer {
      case .choice(let index, _): answered(.init(first + index))
      case .opened, .dismissed: answered(.init(first + titles.count - 1))
      case .unasked: answered(.abort)
      }
    }
  }
}

/// A button in an alert.
@preconcurrency @MainActor
open class NSButton: NSView {
  /// The title of the button.
  open var title = ""

  /// A number that the app assigns.
  open var tag = 0

  /// The key equivalent of the button; stored, but has no effect.
  open var keyEquivalent = ""

  /// A Boolean value that indicates whether the button performs a destructive action.
  open var hasDestructiveAction = false
}
