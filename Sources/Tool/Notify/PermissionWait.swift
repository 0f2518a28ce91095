import AppLink
import BelfryWire
import AppWire
import System

/// The wait for the user's permission before a command's notification is added, and the messages printed during the
/// wait.
struct PermissionWait {
  /// The options of commands that can wait.
  static let entries: [OptionTable.Entry] = [
    .value(
      "timeout", "SECONDS", default: "60 for permission; no limit for a button",
      "time limit for the user to grant permission or to choose a button"),
    .flag(
      "no-wait", "do not wait for permission: show the notification once permission is granted"),
  ]

  /// The outcome of the wait.
  enum Outcome {
    /// The agent has accepted the notification.
    case added
    /// The notification will be added when the user allows it; the user hasn't decided yet, and `--no-wait` was given.
    case waits
  }

  /// The error for a wait that a signal interrupted before the user decided; the notification still waits.
  struct Interrupted: CommandFailure, CustomStringConvertible {
    let interruption: Interruption
    /// The advice about the waiting notification.
    let advice: String
    var description: String { "\(interruption): \(advice)" }
    var exitStatus: Int32 { interruption.exitStatus }
  }

  /// The error for a wait in which the user did not decide in time; the notification still waits.
  struct TimedOut: CommandFailure, CustomStringConvertible {
    let seconds: Int64
    /// The advice about the waiting notification.
    let advice: String
    var description: String { "no answer within \(seconds) s: \(advice)" }
    var exitStatus: Int32 { 1 }
  }

  private let seconds: Int64
  private let doesWait: Bool

  init(_ options: CommandLineOptions) throws(CommandLineOptions.Problem) {
    seconds = try options.integer("timeout", in: Int64(0)...86_400) ?? 60
    doesWait = !options.has("no-wait")
  }

  /// Sends a notification for an app and waits for the answer within the time limit.
  ///
  /// The caller can end the wait by setting `answer` to an interruption.
  ///
  /// - Throws: An error, including ``TimedOut`` or ``Interrupted`` if the user made no decision; the notification then
  ///   still waits for the decision.
  func notify(
    _ app: String, _ request: NotificationRequest, on connection: AppLinkConnection,
    _ answer: CommandAnswer
  ) throws -> Outcome {
    connection.send(
      .control(.notify(app: app, request)), timeoutMilliseconds: Self.longestMilliseconds
    ) { answer.set($0.mapError { $0 }) }
    // The agent handles requests in order. The answer to a second request shows that the agent has handled the first,
    // so a missing answer to the first request isn't caused by a slow agent.
    guard try Self.isUndecided(app, on: connection), !answer.isThere else {
      try Self.wait(
        for: answer, seconds: AgentControl.answerMilliseconds / 1_000,
        or: AppLinkFailure(.agentUnavailable, "the agent does not answer"))
      return .added
    }
    guard doesWait else { return .waits }
    Output.error(
      "\(app) is waiting for permission to show notifications",
      do: "answer the question on the device, or run 'belfry settings \(app) notifications=on'")
    let advice =
      "the notification '\(request.id)' still waits for permission; grant it with "
      + "'belfry settings \(app) notifications=on', or remove the notification with 'belfry notify cancel "
      + "\(ShellWords.quoted(request.id))'"
    do {
      try Self.wait(
        for: answer, seconds: seconds, or: TimedOut(seconds: seconds, advice: advice))
    } catch let interruption as Interruption {
      throw Interrupted(interruption: interruption, advice: advice)
    }
    return .added
  }

  /// Returns the error for a notification that the agent dropped because the app has no permission.
  static func refusal(of app: String, on connection: AppLinkConnection) -> AppLinkFailure {
    let settings = "'belfry settings \(app) notifications=on'"
    // The user can also close the question, which decides nothing.
    guard (try? isUndecided(app, on: connection)) == true else {
      return AppLinkFailure(
        .notificationsNotAllowed,
        "notifications are off for \(app), so the notification was dropped: turn them on with \(settings), and run the "
          + "command again")
    }
    return AppLinkFailure(
      .notificationsNotAllowed,
      "the question about notifications of \(app) was closed without an answer, so the notification was dropped: run the "
        + "command again to see the question again, or allow notifications with \(settings)")
  }

  /// Returns true if the user has not decided whether the app may show notifications.
  private static func isUndecided(
    _ app: String, on connection: AppLinkConnection
  ) throws -> Bool {
    let rows = try connection.call(
      .control(.apps), timeoutMilliseconds: AgentControl.answerMilliseconds
    ).rows
    return rows.contains {
      $0["app"]?.stringValue == app && $0["authorization"]?.stringValue == "notDetermined"
    }
  }

  private static func wait(
    for answer: CommandAnswer, seconds: Int64, or failure: any Error
  ) throws {
    guard let result = answer.wait(seconds: seconds) else { throw failure }
    _ = try result.get()
  }

  /// The maximum time, in milliseconds, that the connection waits: longer than any wait of this command.
  private static let longestMilliseconds: Int64 = 2 * 86_400_000
}
