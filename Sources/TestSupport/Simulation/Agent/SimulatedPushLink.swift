import Agent
import BelfryWire
import PushWire

/// A simulated device's link to its gateway.
protocol SimulatedPushLink: AnyObject {
  /// The pushes that the agent has not acknowledged yet.
  var unacknowledged: [NotificationID] { get }
  /// The number of pushes that were sent.
  var count: Int { get }

  /// Schedules the faults of the link.
  func plan()
  /// Stops the faults of the link.
  func calmDown()

  /// Called before the agent handles `started`.
  func agentStarts(_ engine: AgentEngine)
  func agentStarted()
  func agentCrashed()
  /// Called when all changes to the agent's records are durable.
  func recordsAreDurable()

  /// Carries out an effect that the agent decided, if it concerns the link.
  func carryOut(_ effect: AgentEffect)

  /// Returns the subjects with a token for which `isKept` is false.
  func tokensWithoutRegistration(_ isKept: (AppID, TokenKind) -> Bool) -> [String]
}
