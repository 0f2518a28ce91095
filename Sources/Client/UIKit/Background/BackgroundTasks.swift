import BelfryClient
import BelfryWire
import Foundation

/// The stretches of work that the app asked to finish, with the agent's own numbers for them.
@MainActor
final class BackgroundTasks {
  private struct Work {
    var agentTask: Int64?
    var expirationHandler: (@MainActor @Sendable () -> Void)?
  }

  private var works: [Int: Work] = [:]
  private var last = 0

  func begin(
    name: String?, session: AgentSession, expirationHandler: (@MainActor @Sendable () -> Void)?
  ) -> UIBackgroundTaskIdentifier {
    last += 1
    let number = last
    works[number] = Work(expirationHandler: expirationHandler)
    session.send(.beginBackgroundTask(name: name)) { [weak self] result in
      let task = (try? result.get())?.task
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self?.began(number, task, session) }
      }
    }
    return UIBackgroundTaskIdentifier(rawValue: number)
  }

  func end(_ identifier: UIBackgroundTaskIdentifier, session: AgentSession) {
    guard let work = works.removeValue(forKey: identifier.rawValue), let task = work.agentTask
    else { return }
    session.send(.endBackgroundTask(task))
  }

  /// The time is over: every task's handler is called once.
  func expire() {
    for number in works.keys.sorted() {
      let handler = works[number]?.expirationHandler
      works[number]?.expirationHandler = nil
      handler?()
    }
  }

  private func began(_ number: Int, _ task: Int64?, _ session: AgentSession) {
    guard let task else { return }
    // The app may have ended it before the agent answered.
    if works[number] == nil { session.send(.endBackgroundTask(task)) }
    works[number]?.agentTask = task
  }
}
