import AppWire
import Testing

@testable import Agent

/// Tests that an answer on the terminal applies to the question that the user read.
@Suite struct TerminalPresenterTests {
  private final class Listener: PresenterListener {
    var answers: [PromptID: Bool] = [:]
    var actions: [PersonAction] = []

    func presenterShowed(_ key: AppNotificationID) {}
    func presenterWindow(_ key: AppNotificationID, isOpen: Bool) {}
    func presenterActed(_ key: AppNotificationID, _ action: PersonAction) {
      actions.append(action)
    }
    func presenterAnswered(_ prompt: PromptID, isAllowed: Bool) { answers[prompt] = isAllowed }
    func presenterPostponed(_ prompt: PromptID) {}
    func presenterDecided(_ app: AppID, keepsNotifications: Bool) {}
    func presenterAppeared(_ kind: PresenterKind, isNew: Bool) {}
    func presenterChangedQuiet(_ isQuiet: Bool) {}
  }

  private func prompt(_ number: UInt64) throws -> Prompt {
    Prompt(
      id: PromptID(number: number), app: try #require(AppID("org.example.a\(number)")),
      appName: "App \(number)", icon: nil, subject: .notifications)
  }

  @Test func `a notification that arrived a while ago is marked as an earlier one`() {
    let listener = Listener()
    var lines: [String] = []
    let presenter = TerminalPresenter(listener: listener, ringsBell: false, isLooked: true) {
      lines.append($0)
    }
    let presentation = DesktopTests.presentation()
    for moment: Int64 in [0, 60_000, 60_001] {
      presenter.show(.presented(presentation), atUnixMilliseconds: moment)
    }
    #expect(lines.map { $0.hasPrefix("[1] (earlier) ") } == [false, false, true], "\(lines)")
  }

  @Test func `a word that is not an answer leads to advice about the waiting question`() throws {
    let listener = Listener()
    var lines: [String] = []
    let presenter = TerminalPresenter(listener: listener, ringsBell: false, isLooked: true) {
      lines.append($0)
    }
    presenter.typed("maybe")
    #expect(lines.last == "unknown command 'maybe': type 'help' to see what you can type")
    presenter.typed("7")
    #expect(lines.last == "unknown notification 7: type 'help' to see what you can type")
    presenter.show(.prompt(try prompt(1)), atUnixMilliseconds: 0)
    presenter.typed("maybe")
    #expect(lines.last == "unknown answer 'maybe': answer y or n")
    presenter.show(.prompt(try prompt(2)), atUnixMilliseconds: 0)
    presenter.typed("maybe")
    #expect(lines.last == "unknown answer 'maybe': answer y 1 or n 1")
    presenter.typed("help")
    #expect(lines.last == "3 -             dismiss notification 3")
    #expect(listener.answers.isEmpty)
  }

  @Test func `an action with a text field is performed only with a text`() {
    let listener = Listener()
    var lines: [String] = []
    let presenter = TerminalPresenter(listener: listener, ringsBell: false, isLooked: true) {
      lines.append($0)
    }
    let reply = NotificationAction(id: "t", title: "Text", textInput: .init())
    presenter.show(
      .presented(DesktopTests.presentation(actions: [reply])), atUnixMilliseconds: 0)
    #expect(lines.last == "    Type '1 t YOUR TEXT' for Text")
    for typed in ["1 t", "1 t  \r"] {
      presenter.typed(typed)
      #expect(lines.last == "[1] this action requires a text: type '1 t YOUR TEXT'")
    }
    #expect(listener.actions.isEmpty)
    presenter.typed("1 t On my way")
    #expect(listener.actions == [PersonAction("t", text: "On my way")])
  }

  @Test func `without input, the terminal does not ask for letters`() throws {
    let listener = Listener()
    var lines: [String] = []
    let presenter = TerminalPresenter(
      listener: listener, ringsBell: false, isLooked: true, hasInput: { false },
      write: { lines.append($0) })
    presenter.show(.prompt(try prompt(1)), atUnixMilliseconds: 0)
    #expect(lines.first?.hasSuffix("Allow?") == true, "\(lines)")
    let yes = NotificationAction(id: "yes", title: "Deploy")
    presenter.show(
      .presented(DesktopTests.presentation(actions: [yes])), atUnixMilliseconds: 0)
    #expect(lines.last == "    Answer with 'belfry center action' (actions: yes)")
  }

  @Test func `the badge and the mark on earlier notifications are in the device's language`() {
    let listener = Listener()
    var lines: [String] = []
    let presenter = TerminalPresenter(
      listener: listener, ringsBell: false, isLooked: true,
      words: { DeviceWords(languages: ["fr"]) }, write: { lines.append($0) })
    presenter.show(.presented(DesktopTests.presentation()), atUnixMilliseconds: 60_001)
    presenter.show(.badge(ModelBench.burger, 1), atUnixMilliseconds: 60_001)
    #expect(lines.first?.hasPrefix("[1] (plus tôt) ") == true, "\(lines)")
    #expect(lines.last == "org.example.burger: pastille 1")
  }

  @Test func `a launch that fails is not reported as a success`() throws {
    let listener = Listener()
    var lines: [String] = []
    let presenter = TerminalPresenter(listener: listener, ringsBell: false, isLooked: true) {
      lines.append($0)
    }
    let app = try #require(AppID("org.example.a1"))
    presenter.show(.launched(app, .response), atUnixMilliseconds: 0)
    presenter.show(.launchFailed(app, why: "/a1 does not exist"), atUnixMilliseconds: 0)
    #expect(
      lines == ["org.example.a1: launching", "org.example.a1: not launched: /a1 does not exist"])
  }

  @Test func `a letter that was meant for a question that is gone answers no other`() throws {
    let listener = Listener()
    var lines: [String] = []
    let presenter = TerminalPresenter(listener: listener, ringsBell: false, isLooked: true) {
      lines.append($0)
    }
    let (first, second) = (try prompt(1), try prompt(2))
    presenter.show(.prompt(first), atUnixMilliseconds: 0)
    presenter.show(.prompt(second), atUnixMilliseconds: 0)
    presenter.show(.promptWithdrawn(first), atUnixMilliseconds: 0)
    presenter.typed("y")
    #expect(listener.answers.isEmpty)
    #expect(lines.last == "the question has changed: answer with y 2 or n 2")
    presenter.typed("y 1")
    #expect(listener.answers.isEmpty)
    presenter.typed("n 2\r")
    #expect(listener.answers == [second.id: false])
    presenter.show(.prompt(first), atUnixMilliseconds: 0)
    presenter.typed("y")
    #expect(listener.answers == [second.id: false, first.id: true])
  }
}
