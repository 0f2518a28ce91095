import AppLink
import BelfryWire
import AppWire
import System

/// The buttons of `belfry notify --action`, and the wait for the user's choice.
struct NotifyActions {
  /// The words that are printed if the user clicks or dismisses the notification.
  private static let clicked = "default"
  private static let dismissed = "dismissed"

  let list: [NotificationAction]
  /// The time, in seconds, to wait for the choice; nil for no limit.
  private let seconds: Int64?

  /// True if the user can enter a text.
  var hasTextField: Bool { list.contains { $0.textInput != nil } }

  /// Reads the buttons; nil if no option defines a button.
  init?(_ options: CommandLineOptions) throws {
    var list: [NotificationAction] = []
    for key in ["action", "reply"] {
      for text in options.values(key) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, !text.hasPrefix("=") else {
          throw CommandLineOptions.Problem.badValue(
            key: key, value: text, wanted: "ID=TITLE, such as yes=Accept")
        }
        let id = String(parts[0])
        guard id != Self.clicked, id != Self.dismissed else {
          throw CommandLineOptions.Problem.badValue(
            key: key, value: text,
            wanted: "an ID other than \(Self.clicked) and \(Self.dismissed)")
        }
        guard !list.contains(where: { $0.id == id }) else {
          throw UsageError("two buttons have the ID '\(id)': use different IDs")
        }
        list.append(
          NotificationAction(
            id: id, title: NotificationText(String(parts[1])),
            textInput: key == "reply" ? NotificationAction.TextInput() : nil))
      }
    }
    guard list.count <= WireLimits.actionsPerCategoryMax else {
      throw UsageError(
        "\(list.count) buttons: at most \(WireLimits.actionsPerCategoryMax) are allowed")
    }
    guard !list.isEmpty else { return nil }
    guard !options.has("no-wait") else {
      throw UsageError("--no-wait cannot be used with --action, which waits for the user's choice")
    }
    self.list = list
    seconds = try options.integer("timeout", in: Int64(0)...86_400)
  }

  /// Requests the user's response before the notification is added, so that no response is missed.
  func answer(to id: String, of app: String, on connection: AppLinkConnection) -> CommandAnswer {
    let answer = CommandAnswer()
    connection.send(
      .control(.awaitResponse(app: app, id: id)), timeoutMilliseconds: Self.longestMilliseconds
    ) { answer.set($0.mapError { $0 }) }
    return answer
  }

  /// The message that tells the user how to answer a notification from a shell.
  func notice(of id: String, hasBanner: Bool) -> String {
    let text = hasTextField ? " [--text TEXT]" : ""
    return
      "waiting for an answer: \(hasBanner ? "choose a button, or " : "")run 'belfry center action "
      + "\(ShellWords.quoted(id)) ACTION\(text)' in another shell "
      + "(ACTION: \(CommandLineOptions.list(list.map(\.id))))"
  }

  /// Waits for the response and prints it.
  ///
  /// - Throws: A failure if no response arrived within the limit, or an interruption; in either case, `withdraw` has
  ///   been called.
  func print(
    _ answer: CommandAnswer, _ options: CommandLineOptions, withdraw: () -> Void
  ) throws {
    let result = answer.wait(seconds: seconds)
    if case .failure(let failure)? = result, failure is Interruption { withdraw() }
    guard let row = try result?.get().rows.first else {
      withdraw()
      throw AppLinkFailure(
        .agentUnavailable, "timed out: no button was chosen within \(seconds ?? 0) s")
    }
    let action = row["action"]?.stringValue ?? ""
    let word =
      switch action {
      case NotificationResponse.defaultAction: Self.clicked
      case NotificationResponse.dismissAction: Self.dismissed
      default: action
      }
    let text = row["text"]?.stringValue
    if options.has("json") {
      Output.json(["action": .string(word), "text": text.map(JSONValue.string) ?? .null])
    } else {
      Output.line(word)
      if let text { Output.line(text) }
    }
  }

  /// The maximum time, in milliseconds, that the connection waits, even if the user doesn't set a limit: one week.
  private static let longestMilliseconds: Int64 = 7 * 86_400_000
}
