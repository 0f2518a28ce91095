/// Every bound of this module, with its unit and its reason.
package enum Limits {
  /// Milliseconds that a request waits for an agent: a moment for one that is starting.
  package static let unreachableMilliseconds: Int64 = 2_000
  /// Milliseconds for an agent that the app started to be ready: a busy machine starts slowly.
  package static let agentStartMilliseconds: Int64 = 15_000
  /// Milliseconds that a property waits for the agent: it may block the main thread.
  package static let propertyMilliseconds: Int64 = 5_000
  /// Milliseconds that an ending process waits for unsent requests.
  package static let flushMilliseconds: Int64 = 1_000
  /// Milliseconds that a question to a person may take; the agent's own limit is shorter.
  package static let personMilliseconds: Int64 = 600_000
  /// Milliseconds that a launch waits for the agent's welcome, which has the reason of the launch.
  package static let launchMilliseconds: Int64 = 3_000
  /// Seconds of background time unless the agent grants another: Apple's own for a push.
  package static let backgroundSeconds = 30.0
  /// Seconds before the end of background time at which the expiration handler runs: time to save.
  package static let backgroundWarningSeconds = 2.0
  /// Localized texts whose keys are retained: enough for every scheduled notification of an app.
  package static let localizedTexts = 1_024
  /// Values inside each other in an app's own data: the link allows 64, the notification's own
  /// objects take a few.
  package static let propertyListDepth = 48
  /// Formats with plural forms inside each other: texts have one or two, a circle of them ends.
  package static let pluralDepth = 4
}
