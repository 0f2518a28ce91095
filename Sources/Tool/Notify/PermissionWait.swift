import AppLink
import BelfryWire
import Dispatch
import Synchronization
import System

/// The wait of a command's notification for a person's permission, and what is said meanwhile.
struct PermissionWait {
  /// The options of the commands that may wait.
  static let entries: [OptionTable.Entry] = [
    .value(
      "timeout", "SECONDS", default: "60", "how long to wait for a person's permission"),
    .flag("no-wait", "does not wait for it: what was asked for happens once it is given"),
  ]

  /// How the wait ended.
  enum Outcome {
    /// The agent has the notification.
    case added
    /// It is added once a person allows it: that is not decided yet, and `--no-wait` was given.
    case waits
  }

  private let seconds: Int64
  private let doesWait: Bool

  init(_ options: CommandLineOptions) throws(CommandLineOptions.Problem) {
    seconds = try options.integer("timeout", in: Int64(0)...86_400) ?? 60
    doesWait = !options.has("no-wait")
  }

  /// Sends a notification of an app and waits for the answer as long as it may.
  ///
  /// - Throws: Also where no decision came in time; the notification then waits on for the decision.
  func notify(
    _ app: String, _ request: NotificationRequest, on connection: AppLinkConnection
  ) throws(AppLinkFailure) -> Outcome {
    let answer = PendingAnswer()
    connection.send(
      .control(.notify(app: app, request)), timeoutMilliseconds: Self.longestMilliseconds
    ) { answer.set($0) }
    // The agent answers in order: the first request is not just slow where the second has its answer.
    let rows = try connection.call(
      .control(.apps), timeoutMilliseconds: AgentControl.answerMilliseconds
    ).rows
    let isUndecided = rows.contains {
      $0["app"]?.stringValue == app && $0["authorization"]?.stringValue == "notDetermined"
    }
    guard isUndecided, !answer.isThere else {
      try answer.wait(
        seconds: AgentControl.answerMilliseconds / 1_000, orSay: "the agent does not answer")
      return .added
    }
    guard doesWait else { return .waits }
    Output.error(
      "\(app) waits for permission to notify",
      do: "answer the question on the device, or type 'belfry settings \(app) notifications=on'")
    try answer.wait(
      seconds: seconds,
      orSay:
        "no answer came within \(seconds) s: it is shown once somebody allows it ('belfry settings "
        + "\(app) notifications=on'); --no-wait does not wait at all")
    return .added
  }

  /// The connection's own limit, beyond every wait of ours.
  private static let longestMilliseconds: Int64 = 2 * 86_400_000
}

/// An answer that another thread gives.
private final class PendingAnswer: Sendable {
  private let result = Mutex<Result<AppAnswer, AppLinkFailure>?>(nil)
  private let given = DispatchSemaphore(value: 0)

  var isThere: Bool { result.withLock { $0 != nil } }

  func set(_ answer: Result<AppAnswer, AppLinkFailure>) {
    result.withLock { $0 = answer }
    given.signal()
  }

  func wait(seconds: Int64, orSay message: String) throws(AppLinkFailure) {
    _ = given.wait(timeout: .now() + .seconds(Int(seconds)))
    guard let answer = result.withLock({ $0 }) else {
      throw AppLinkFailure(.agentUnavailable, message)
    }
    _ = try answer.get()
  }
}
