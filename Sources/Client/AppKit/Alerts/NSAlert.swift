import BelfryClient
public import Foundation

/// A question to the user.
///
/// Where a desktop is there, it is shown as a notification that stays until it is answered, with
/// the answers as its buttons. It needs the permission for alerts; without it the user is not asked.
@preconcurrency @MainActor
open class NSAlert: NSObject {
  /// How serious it is.
  public enum Style: UInt, Sendable {
    /// A warning.
    case warning = 0
    /// Something to know.
    case informational = 1
    /// Something bad.
    case critical = 2
  }

  /// The question.
  open var messageText = ""

  /// More about it.
  open var informativeText = ""

  /// How serious it is.
  open var alertStyle: Style = .warning

  /// Its picture; stored, without effect.
  open var icon: NSImage?

  /// A view in it; stored, without effect.
  open var accessoryView: NSView?

  /// Whether the user can suppress it; stored, without effect.
  open var showsSuppressionButton = false

  /// The answers in the order in which they were added.
  open private(set) var buttons: [NSButton] = []

  /// A question without a text.
  public override init() { super.init() }

  /// The question that an error makes.
  public convenience init(error: any Error) {
    self.init()
    messageText = error.localizedDescription
  }

  /// Adds an answer.
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
  /// Asks, and waits until the user has answered.
  ///
  /// - Returns: The button; `.abort` when the user could not be asked.
  @discardableResult
  public func runModal() -> NSApplication.ModalResponse {
    let answer = LockedBox<NSApplication.ModalResponse?>(nil)
    ask { response in answer.withLock { $0 = response } }
    while true {
      if let response = answer.withLock({ $0 }) { return response }
      // A short turn: the answer comes on another thread and wakes nothing here.
      let moment = Date(timeIntervalSinceNow: 0.05)
      if !RunLoop.main.run(mode: .default, before: moment) { Thread.sleep(until: moment) }
    }
  }

  /// Asks the user; the handler gets the button, or `.abort` when the user could not be asked.
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

/// A button, as a value.
@preconcurrency @MainActor
open class NSButton: NSView {
  /// Its text.
  open var title = ""

  /// The app's own number.
  open var tag = 0

  /// The key that presses it; stored, without effect.
  open var keyEquivalent = ""

  /// Whether it destroys something.
  open var hasDestructiveAction = false
}
