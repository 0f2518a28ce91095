import PushWire
import System

/// The results of relayed pushes.
extension ProviderFront {
  /// Records the result of a push, and passes it to the connection, unless the connection has closed.
  func handle(_ push: RelayedPush) {
    assert(push.address.front == context.route, "a result arrives at the front of its provider")
    metrics.count(push.outcome.kind)
    if let entry = RelayedPushes.Entry(push, atMilliseconds: loop.unixMilliseconds) {
      noteRelayed(entry)
    }
    if let problem = push.relay.problemToLog(push.outcome) {
      log.error(
        problem.what, ["topic": push.relay.topic, "why": problem.why, "do": problem.remedy])
    }
    guard let provider = connections.answered(push.address.connection) else { return }
    guard let connection = provider as? ProviderConnection else {
      return assertionFailure("a connection of another interface relayed a push")
    }
    connection.answer(push.address.stream, push.outcome)
  }
}
