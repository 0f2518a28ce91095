import AppWire

/// The state machine of a terminal page: it receives key presses, and returns actions and lines.
protocol TerminalPage {
  /// The part of the agent's state that the page shows.
  associatedtype Content
  /// The action that follows a key press.
  associatedtype Action: TerminalPageAction

  /// Shows a new state of the agent; if the agent refused the last action, also shows the reason.
  mutating func show(_ content: Content, problem: String?)
  mutating func press(_ key: PageKey) -> Action
  /// Returns the page's lines: at most `height` lines of up to `width` characters.
  func lines(width: Int, height: Int) -> [String]
}

/// The time, in milliseconds, between updates of a page with changes that are made elsewhere.
private let pageRefreshMilliseconds: Int32 = 1_000

/// An action of a page, which must include an action that leaves the page.
protocol TerminalPageAction: Equatable {
  static var quit: Self { get }
}

extension TerminalPage {
  /// Shows the page in a terminal, with the changes that are made elsewhere, until the user leaves it.
  ///
  /// `otherwise` is the equivalent command for scripts.
  mutating func run(
    otherwise command: String, content: () throws(AppLinkFailure) -> Content,
    perform: (Action, Self, RawTerminal) throws(AppLinkFailure) -> Void
  ) throws(AppLinkFailure) {
    show(try content(), problem: nil)
    guard let terminal = RawTerminal() else {
      throw AppLinkFailure(
        .invalidArgument,
        "the page requires a terminal: run the command in one, or use '\(command)'")
    }
    defer { terminal.close() }
    var problem: String?
    var shown: [String] = []
    var shownSize = (width: 0, height: 0)
    while true {
      let size = terminal.size
      let lines = lines(width: size.width, height: size.height)
      // Draw only changes, so that the screen does not flicker.
      if lines != shown || size != shownSize {
        terminal.show(lines)
        (shown, shownSize) = (lines, size)
      }
      if let key = terminal.key(withinMilliseconds: pageRefreshMilliseconds) {
        let action = press(key)
        if action == .quit { return }
        problem = nil
        do throws(AppLinkFailure) {
          try perform(action, self, terminal)
        } catch {
          problem = error.message
        }
        // The action might have drawn a text field.
        shown = []
      }
      // Reload the content even if no key was pressed, because the agent's state might have changed.
      show(try content(), problem: problem)
    }
  }
}
