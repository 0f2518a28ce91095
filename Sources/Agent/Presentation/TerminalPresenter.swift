import BelfryWire
import System

/// A presenter that prints notifications on a terminal and reads the user's answers there.
///
/// Each notification has a number: `3` opens notification 3, `3 ACTION [TEXT]` performs an action, and `3 -` dismisses
/// the notification. `y` and `n` answer a question; `y 7` and `n 7` answer the question with that number. An answer
/// without a number is ignored if the question that the user has read was replaced by another question.
final class TerminalPresenter: Presenter {
  private struct Shown {
    let number: Int
    let presentation: Presentation
  }

  /// The age, in milliseconds, from which a notification is marked as an earlier one: after a restart, the agent also
  /// shows the notifications that no user has seen.
  private static let earlierMilliseconds: Int64 = 60_000

  private let write: (String) -> Void
  private let ringsBell: Bool
  private let isLooked: Bool
  private let words: () -> DeviceWords
  private let hasInput: () -> Bool
  private weak var listener: (any PresenterListener)?
  private var shown: [AppNotificationID: Shown] = [:]
  private var prompts: [Prompt] = []
  /// True if a question was removed and another one appeared since the last line that the user typed.
  private var hasQuestionChanged = false
  private var nextNumber = 1

  /// Creates a presenter.
  ///
  /// - Parameters:
  ///   - listener: Receives the user's actions.
  ///   - ringsBell: True if a sound rings the terminal's bell.
  ///   - isLooked: True if a user is looking at the terminal, so that printed notifications count as seen.
  ///   - hasInput: Returns true if the user can type an answer; called when a question is shown.
  ///   - words: Returns the agent's own strings; called when they are shown.
  ///   - write: Receives a line without its newline.
  init(
    listener: any PresenterListener, ringsBell: Bool, isLooked: Bool,
    hasInput: @escaping () -> Bool = { true },
    words: @escaping () -> DeviceWords = { .english }, write: @escaping (String) -> Void
  ) {
    self.listener = listener
    self.ringsBell = ringsBell
    self.isLooked = isLooked
    self.hasInput = hasInput
    self.words = words
    self.write = write
  }

  let kind = PresenterKind.terminal
  var isAvailable: Bool { true }
  var canAsk: Bool { hasInput() }

  func show(_ event: PresenterEvent, atUnixMilliseconds unixMilliseconds: Int64) {
    switch event {
    case .presented(let presentation):
      present(
        presentation,
        isEarlier: presentation.unixMilliseconds < unixMilliseconds - Self.earlierMilliseconds)
    case .removed(let key):
      if let shown = shown.removeValue(forKey: key) { write("[\(shown.number)] withdrawn") }
    case .badge(let app, let badge):
      write("\(app): \(words().text(.badgeNumber, "\(badge)"))")
    case .sound: if ringsBell { write("\u{7}") }
    case .launched(let app, _): write("\(app): launching")
    case .launchFailed(let app, let why): write("\(app): not launched: \(Self.printable(why))")
    case .link(let isUp): write(isUp ? "gateway: connected" : "gateway: not connected")
    case .suppressed, .refreshed, .listed, .drawn, .windowClosed, .launchImage: break
    case .prompt(let prompt):
      prompts.append(prompt)
      if prompts.count == 1 { askNext() }
    case .promptWithdrawn(let prompt):
      let wasAsking = prompts.first?.id == prompt.id
      prompts.removeAll { $0.id == prompt.id }
      guard wasAsking else { break }
      write("(question \(prompt.id.number) was withdrawn)")
      hasQuestionChanged = true
      askNext()
    }
  }

  func close() {}

  private func present(_ presentation: Presentation, isEarlier: Bool) {
    let number = shown[presentation.key]?.number ?? nextNumber
    if shown[presentation.key] == nil { nextNumber += 1 }
    shown[presentation.key] = Shown(number: number, presentation: presentation)
    let texts = [presentation.title, presentation.subtitle, presentation.body]
      .filter { !$0.isEmpty }.map(Self.printable)
    write(
      "[\(number)] " + (isEarlier ? words()[.earlier] + " " : "")
        + "\(Self.printable(presentation.appName)): " + texts.joined(separator: " | "))
    if !presentation.actions.isEmpty, !canAsk {
      let ids = presentation.actions.map { Self.printable($0.id) }.joined(separator: ", ")
      write("    Answer with 'belfry center action' (actions: \(ids))")
    } else if !presentation.actions.isEmpty {
      let actions = presentation.actions.map { action in
        "'\(Self.typedForm(of: action, on: number))' for \(Self.printable(action.title))"
          + (action.isDestructive ? " (destructive)" : "")
      }
      write("    Type " + actions.joined(separator: ", "))
    }
    if isLooked { listener?.presenterShowed(presentation.key) }
  }

  private func askNext() {
    guard let prompt = prompts.first else { return }
    let words = words()
    let number = prompt.id.number
    let title = Self.printable(prompt.title(words))
    // Without input, the agent's log states the command that answers the question.
    let choice = canAsk ? " [y/n]" : ""
    switch prompt.subject {
    case .notifications:
      let end = title.hasSuffix("?") ? "" : "."
      write("(\(number)) \(title)\(end) \(words[.allow])?\(choice)")
    case .location(let usage):
      write("(\(number)) \(title) \(Self.printable(usage))\(choice)")
    }
  }

  /// Handles a line that the user typed.
  func typed(_ line: String) {
    let words = line.split(maxSplits: 2) { $0 == " " || $0 == "\r" }.map(String.init)
    defer { hasQuestionChanged = false }
    switch words.first?.lowercased() {
    case "y", "yes": decide(true, words.dropFirst().first)
    case "n", "no": decide(false, words.dropFirst().first)
    case "help":
      for line in Self.help { write(line) }
    case let word?:
      guard let number = Int(word) else { return write(advice(for: Self.printable(word))) }
      guard let entry = shown.values.first(where: { $0.number == number }) else {
        return write("unknown notification \(number): type 'help' to see what you can type")
      }
      act(entry, Array(words.dropFirst()))
    case nil: break
    }
  }

  private static let help = [
    "y, n            answer the question; y 7, n 7: answer question 7",
    "3               open notification 3",
    "3 ACTION        perform an action of notification 3",
    "3 ACTION TEXT   perform an action with a text",
    "3 -             dismiss notification 3",
  ]

  /// Returns the message for a word that is neither an answer nor a number.
  private func advice(for word: String) -> String {
    guard let prompt = prompts.first else {
      return "unknown command '\(word)': type 'help' to see what you can type"
    }
    let number = prompt.id.number
    return prompts.count > 1
      ? "unknown answer '\(word)': answer y \(number) or n \(number)"
      : "unknown answer '\(word)': answer y or n"
  }

  /// Returns the text to type for an action of notification `number`.
  private static func typedForm(of action: Presentation.Action, on number: Int) -> String {
    "\(number) \(printable(action.id))" + (action.textInput == nil ? "" : " YOUR TEXT")
  }

  private func decide(_ isAllowed: Bool, _ number: String?) {
    guard let prompt = prompts.first else { return write("no question is waiting for an answer") }
    if let number {
      guard number == "\(prompt.id.number)" else {
        return write("question \(Self.printable(number)) is not the current one")
      }
    } else if hasQuestionChanged {
      return write(
        "the question has changed: answer with y \(prompt.id.number) or n \(prompt.id.number)")
    }
    prompts.removeFirst()
    listener?.presenterAnswered(prompt.id, isAllowed: isAllowed)
    askNext()
  }

  private func act(_ entry: Shown, _ words: [String]) {
    let key = entry.presentation.key
    switch words.first {
    case nil:
      shown[key] = nil
      listener?.presenterActed(key, .open)
    case "-"?:
      shown[key] = nil
      listener?.presenterActed(key, .dismiss)
    case let id?:
      guard let action = entry.presentation.actions.first(where: { $0.id == id }) else {
        return write("[\(entry.number)] has no action \(Self.printable(id))")
      }
      let text = words.count > 1 ? words[1] : nil
      if action.textInput != nil, text?.allSatisfy(\.isWhitespace) ?? true {
        let form = Self.typedForm(of: action, on: entry.number)
        return write("[\(entry.number)] this action requires a text: type '\(form)'")
      }
      shown[key] = nil
      listener?.presenterActed(key, PersonAction(id, text: text))
    }
  }

  /// Returns an app's text without characters that could move the cursor or change the terminal.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator, .format: " "
          default: scalar
          }
        }))
  }
}
