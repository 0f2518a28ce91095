import BelfryClient
import AppWire
import Foundation

/// The background tasks that the app started, with the numbers that the agent assigned to them.
@MainActor
final class BackgroundTasks {
  private struct Work {
    var agentTask: Int64?
    var expirationHandler: (@MainActor @Sendable () -> Void)?
  }

  private var works: [Int: Work] = [:]
  private var last = 0
  /// The end of the background time; nil in the foreground.
  private var deadline: ContinuousClock.Instant?
  private let seconds: Double
  /// True if the background time is limited.
  ///
  /// The time is unlimited if the app's manifest has a background mode with unlimited time, or if the agent grants
  /// unlimited time.
  private var isLimited: Bool

  init(
    seconds: Double = Limits.backgroundSeconds,
    modes: [String] = AppIdentity.current.backgroundModes
  ) {
    self.seconds = seconds
    isLimited = !BackgroundModes.giveUnlimitedTime(modes)
  }

  /// The remaining background time, in seconds; the largest finite number if the time is unlimited.
  var remaining: Double {
    guard isLimited else { return .greatestFiniteMagnitude }
    guard let deadline else { return 0 }
    return max(0, ContinuousClock.now.duration(to: deadline) / .seconds(1))
  }

  /// Starts a new period of background time; called when the app enters the background, or when it launches or receives
  /// a push there.
  func timeBegins() {
    if isLimited { timeEnds(inSeconds: seconds) }
  }

  /// Sets the end of the background time: initially to the app's own estimate, and then to the agent's value.
  private func timeEnds(inSeconds seconds: Double) {
    guard seconds < AppAnswer.unlimitedSeconds else {
      isLimited = false
      return
    }
    let deadline = ContinuousClock.now + .seconds(seconds)
    self.deadline = deadline
    let warning = DispatchTime.now() + max(0, seconds - Limits.backgroundWarningSeconds)
    DispatchQueue.main.asyncAfter(deadline: warning) { [weak self] in
      MainActor.assumeIsolated {
        // Ignore this deadline if a newer one has replaced it.
        if let self, self.deadline == deadline { self.expire() }
      }
    }
  }

  /// Ends the background time when the app enters the foreground.
  func timeEnds() { deadline = nil }

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

  /// Ends the background time by calling the expiration handler of each task once.
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
    // The app might have ended the task before the agent answered.
    if works[number] == nil { session.send(.endBackgroundTask(task)) }
    works[number]?.agentTask = task
  }
}
