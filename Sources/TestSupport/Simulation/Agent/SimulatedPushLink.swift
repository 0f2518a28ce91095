@testable import Agent
import BelfryWire
import PushWire

/// A simulated device's link to its gateway.
protocol SimulatedPushLink: AnyObject {
  /// The pushes that the agent has not acknowledged yet.
  var unacknowledged: [NotificationID] { get }
  /// The number of pushes that were sent.
  var count: Int { get }

  /// Plans the faults of the link.
  func plan()
  /// Ends the faults of the link.
  func calmDown()

  /// Called before the agent handles `started`.
  func agentStarts(_ engine: AgentEngine)
  func agentStarted()
  func agentCrashed()
  /// Called when all changes of the agent's records are durable.
  func recordsAreDurable()

  /// Carries out an effect of the agent.
  func carryOut(_ effect: AgentEffect)

  /// Returns the subjects with a token for which `isKept` is false.
  func tokensWithoutRegistration(_ isKept: (AppID, TokenKind) -> Bool) -> [String]
}
