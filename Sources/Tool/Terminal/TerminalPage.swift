import BelfryWire

/// The state machine of a page on a terminal: keys go in, actions and lines come out.
protocol TerminalPage {
  /// The agent's state that the page shows.
  associatedtype Content
  /// What follows from a key.
  associatedtype Action: TerminalPageAction

  /// Shows a new state of the agent, with the reason why it refused the last action.
  mutating func show(_ content: Content, problem: String?)
  mutating func press(_ key: PageKey) -> Action
  /// The lines, of at most `width` characters and `height` lines.
  func lines(width: Int, height: Int) -> [String]
}

/// An action of a page, one of which leaves it.
protocol TerminalPageAction: Equatable {
  static var quit: Self { get }
}

extension TerminalPage {
  /// Shows the page on a terminal until the person leaves it; `otherwise` is the command for a script.
  mutating func run(
    otherwise command: String, content: () throws(AppLinkFailure) -> Content,
    perform: (Action, Self, RawTerminal) throws(AppLinkFailure) -> Void
  ) throws(AppLinkFailure) {
    show(try content(), problem: nil)
    guard let terminal = RawTerminal() else {
      throw AppLinkFailure(
        .invalidArgument, "the page needs a terminal: run it in one, or use '\(command)'")
    }
    defer { terminal.close() }
    while true {
      let (width, height) = terminal.size
      terminal.show(lines(width: width, height: height))
      let action = press(terminal.key())
      if action == .quit { return }
      var problem: String?
      do throws(AppLinkFailure) {
        try perform(action, self, terminal)
      } catch {
        problem = error.message
      }
      // Also after a step alone: the agent's state may have changed meanwhile.
      show(try content(), problem: problem)
    }
  }
}
