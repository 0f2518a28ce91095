/// The limits of this module, each with its unit and its reason.
package enum Limits {
  /// Milliseconds that a request waits for a connection to the agent, which might still be starting.
  package static let unreachableMilliseconds: Int64 = 2_000
  /// Milliseconds that the app waits until an agent that it started is ready, even on a busy machine.
  package static let agentStartMilliseconds: Int64 = 15_000
  /// Milliseconds that the getter of a property waits for the agent; the wait can block the main thread.
  package static let propertyMilliseconds: Int64 = 5_000
  /// Milliseconds that an exiting process waits for its unsent requests, so that exiting does not feel slow.
  package static let flushMilliseconds: Int64 = 1_000
  /// Milliseconds that a request waits for the user's answer to a prompt; the agent's own limit is shorter.
  package static let personMilliseconds: Int64 = 600_000
  /// Milliseconds that a launch waits for the agent's welcome, which contains the reason for the launch.
  package static let launchMilliseconds: Int64 = 3_000
  /// Seconds of background time that the app has unless the agent grants a different amount; this is Apple's limit for
  /// a push.
  package static let backgroundSeconds = 30.0
  /// Seconds before the end of the background time at which the expiration handler runs, so that the app can save its
  /// data.
  package static let backgroundWarningSeconds = 2.0
  /// The maximum number of localized strings whose keys are retained; enough for all scheduled notifications of an app.
  package static let localizedTexts = 1_024
  /// The maximum nesting depth of values in an app's own data.
  ///
  /// The link allows 64 levels; the notification's own objects need a few of these levels.
  package static let propertyListDepth = 48
}
