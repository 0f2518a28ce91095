/// Every bound of this module, with its unit and its reason.
package enum Limits {
  /// Milliseconds that a request waits while no agent is there: a moment for one that starts.
  package static let unreachableMilliseconds: Int64 = 2_000
  /// Milliseconds that an agent which the app started may take: a busy machine starts slowly.
  package static let agentStartMilliseconds: Int64 = 15_000
  /// Milliseconds that a property waits for the agent: a caller on the main thread feels it.
  package static let propertyMilliseconds: Int64 = 5_000
  /// Milliseconds that a process which ends waits for what it still sends.
  package static let flushMilliseconds: Int64 = 1_000
  /// Milliseconds that a question to a person may take; the agent forgets it earlier.
  package static let personMilliseconds: Int64 = 600_000
  /// Milliseconds that a launch waits for the agent's greeting, which says why it launches.
  package static let launchMilliseconds: Int64 = 3_000
  /// Seconds of background time, unless the agent says otherwise: Apple's own for a push.
  package static let backgroundSeconds = 30.0
  /// Seconds before its end at which an app is told to finish.
  package static let backgroundWarningSeconds = 2.0
  /// Texts whose keys are remembered: enough for every notification that an app keeps scheduled.
  package static let localizedTexts = 1_024
  /// Values inside each other in an app's own data: the link allows 64, the notification's own
  /// objects take a few.
  package static let propertyListDepth = 48
  /// Formats with plural forms inside each other: texts have one or two, a circle of them ends.
  package static let pluralDepth = 4
}
