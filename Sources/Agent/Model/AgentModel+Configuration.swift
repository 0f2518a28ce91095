package import AppWire
import Scheduling

extension AgentModel {
  /// The settings that the agent was started with.
  package struct Configuration {
    package var policy = GrantPolicy.ask
    /// A random string for this run of the agent, contained in every token that the agent issues.
    var agentRun: String
    /// The ID of the user whose apps can connect.
    var userID: UInt32
    /// The absolute path of this program; nil if it cannot be determined.
    package var agentExecutable: String?
    package var hasGateway = false
    /// True if the agent was started with `--gateway none`.
    var isGatewayOff = false
    /// True if the time and the time zone change only by command.
    package var hasManualClock = false
    /// The languages of the agent's environment.
    var languages = ["en"]
    /// The maximum number of pending local notifications per app; the agent keeps those that fire soonest.
    package var pendingLimit = ScheduleLimits.pendingPerApp
    /// The maximum number of bytes that all development apps together can store.
    var developmentBytesMax = Limits.developmentBytes

    /// True if the agent serves UnifiedPush on the session bus.
    package var servesUnifiedPush = false
    /// A random number, from which the distributor derives the numbers of its subscriptions.
    package var seed: UInt64 = 0

    /// Creates a configuration with default values.
    package init(agentRun: String, userID: UInt32) {
      self.agentRun = agentRun
      self.userID = userID
    }
  }

  /// A set of functions with which the model looks up values while it handles an event.
  ///
  /// The results do not change while an event is handled.
  package struct LookUps {
    /// A function that finds a string in an app's language files, in the first language that contains the string.
    var text: (LocalApp, [String], NotificationText) -> String = { $2.text }
    /// A function that returns the durable record of a scheduled request, or nil if it does not exist.
    var requestRecord: (AppNotificationID) -> [UInt8]? = { _ in nil }
    /// A function that returns the reason that an app's program cannot be started, or nil if it can.
    var programProblem: (LocalApp.Installation) -> String? = { _ in nil }
    /// A function that returns the reasons that the agent cannot use an app's extensions.
    var extensionProblems: (LocalApp) -> [AppExtension.Problem] = { _ in [] }
    /// A function that returns true if a process's program file was replaced or deleted since the process started.
    var hasOutdatedProgram: (Int32) -> Bool = { _ in false }

    package init(
      text: @escaping (LocalApp, [String], NotificationText) -> String = { $2.text },
      requestRecord: @escaping (AppNotificationID) -> [UInt8]? = { _ in nil },
      programProblem: @escaping (LocalApp.Installation) -> String? = { _ in nil }
    ) {
      self.text = text
      self.requestRecord = requestRecord
      self.programProblem = programProblem
    }
  }
}
