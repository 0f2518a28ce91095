public import Foundation

/// A question to the user.
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

  /// Its picture; kept, without effect.
  open var icon: NSImage?

  /// A view in it; kept, without effect.
  open var accessoryView: NSView?

  /// Whether it can be told not to come again; kept, without effect.
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

/// A button, as a value.
@preconcurrency @MainActor
open class NSButton: NSView {
  /// Its text.
  open var title = ""

  /// The app's own number.
  open var tag = 0

  /// The key that presses it; kept, without effect.
  open var keyEquivalent = ""

  /// Whether it destroys something.
  open var hasDestructiveAction = false
}
