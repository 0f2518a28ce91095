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
  /// When the background time is over; nil in front, and for an app that is never stopped.
  private var deadline: ContinuousClock.Instant?
  private let seconds: Double
  /// Whether the system stops this process when its time is over: one that was started behind, until it is in front.
  private(set) var isLimited = false

  init(seconds: Double = Limits.backgroundSeconds) { self.seconds = seconds }

  /// Seconds of background time left; without bound for an app that is never stopped.
  var remaining: Double {
    guard isLimited else { return .greatestFiniteMagnitude }
    guard let deadline else { return 0 }
    return max(0, ContinuousClock.now.duration(to: deadline) / .seconds(1))
  }

  /// Whether an app with these background modes is never stopped, as the agent decides it (S3-33).
  nonisolated static func runsOn(_ modes: [String]) -> Bool {
    modes.contains { ["audio", "location", "voip"].contains($0) }
  }

  /// The agent started the app in the background, where its time is limited.
  func startedBehind() { isLimited = true }

  /// The app is in the background, or has got something to do there: its time begins.
  func timeBegins() {
    if isLimited { timeEnds(inSeconds: seconds) }
  }

  /// The agent's word, or the app's own until it has come.
  private func timeEnds(inSeconds seconds: Double) {
    guard seconds < AppAnswer.unlimitedSeconds else {
      isLimited = false
      deadline = nil
      return
    }
    isLimited = true
    let deadline = ContinuousClock.now + .seconds(seconds)
    self.deadline = deadline
    let warning = DispatchTime.now() + max(0, seconds - Limits.backgroundWarningSeconds)
    DispatchQueue.main.asyncAfter(deadline: warning) { [weak self] in
      MainActor.assumeIsolated {
        // Only the last period's end counts.
        if let self, self.deadline == deadline { self.expire() }
      }
    }
  }

  /// The app is in front: it may have windows now, and is not stopped any more.
  func timeEnds() {
    isLimited = false
    deadline = nil
  }

  func begin(
    name: String?, session: AgentSession, expirationHandler: (@MainActor @Sendable () -> Void)?
  ) -> UIBackgroundTaskIdentifier {
    last += 1
    let number = last
    works[number] = Work(expirationHandler: expirationHandler)
    session.send(.beginBackgroundTask(name: name)) { [weak self] result in
      let answer = try? result.get()
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self?.began(number, answer, session) }
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

  private func began(_ number: Int, _ answer: AppAnswer?, _ session: AgentSession) {
    guard let answer, let task = answer.task else { return }
    if deadline != nil { timeEnds(inSeconds: answer.seconds) }
    // The app may have ended it before the agent answered.
    if works[number] == nil { session.send(.endBackgroundTask(task)) }
    works[number]?.agentTask = task
  }
}
