import BelfryWire

extension AgentModel {
  /// What the agent was started with.
  struct Configuration {
    var policy = GrantPolicy.ask
    /// A random text for this run of the agent, contained in every token that it gives out.
    var agentRun: String
    /// The user whose apps are served.
    var userID: UInt32
    /// This program, absolute; nil when it cannot be determined.
    var agentExecutable: String?
    var hasGateway = false
    /// Whether time and zone change only by command.
    var hasManualClock = false
    /// The languages of the agent's environment.
    var languages = ["en"]
    /// Pending local notifications kept per app, the soonest.
    var pendingLimit = ScheduleLimits.pendingPerApp

    /// A configuration with the usual values.
    init(agentRun: String, userID: UInt32) {
      self.agentRun = agentRun
      self.userID = userID
    }
  }

  /// What the model may look up while it handles an event.
  ///
  /// The answers do not change while an event is handled.
  struct LookUps {
    /// Finds a text in an app's language files, in the first of the languages that has it.
    var text: (LocalApp, [String], NotificationText) -> String = { $2.text }
    /// The durable record of a scheduled request; nil when there is none.
    var requestRecord: (AppNotificationID) -> [UInt8]? = { _ in nil }
  }
}
