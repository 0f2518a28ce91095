package import BelfryWire
import Dispatch
import Synchronization

/// Whether the person is being asked for permission, which covers an app of UIKit's.
package final class AuthorizationQuestion: Sendable {
  package typealias Observer = @MainActor @Sendable (_ isAsked: Bool) -> Void

  private struct State {
    var observer: Observer?
    /// The last question ended without a decision: asking again must not cover the app again, or an
    /// app that asks whenever it becomes active would never rest.
    var endedUndecided = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Calls the observer on the main thread when a question appears and when it is gone.
  package func observe(_ observer: @escaping Observer) {
    state.withLock { $0.observer = observer }
  }

  /// Whether asking for the options shows the person a question, as far as this process knows.
  func begins(_ options: Set<AuthorizationOption>, status: AuthorizationStatus?) -> Bool {
    guard status == .notDetermined, !options.contains(.provisional) else { return false }
    return state.withLock { !$0.endedUndecided }
  }

  func report(isAsked: Bool) {
    guard let observer = state.withLock({ $0.observer }) else { return }
    DispatchQueue.main.async { MainActor.assumeIsolated { observer(isAsked) } }
  }

  func ended(_ status: AuthorizationStatus?) {
    state.withLock { $0.endedUndecided = status == nil || status == .notDetermined }
  }
}

extension AgentSession {
  /// Asks for permission: with a question to the person the first time.
  ///
  /// The completion runs exactly once, on the callback queue, before the question counts as gone.
  package func requestAuthorization(
    _ options: Set<AuthorizationOption>,
    completion: @escaping @Sendable (Result<AppAnswer, AppLinkFailure>) -> Void
  ) {
    let covers = !isUnreachable && question.begins(options, status: settings?.status)
    if covers { question.report(isAsked: true) }
    send(
      .requestAuthorization(options), timeoutMilliseconds: Limits.personMilliseconds
    ) { [self] result in
      let settings = (try? result.get()).flatMap { try? $0.settings() }
      if let settings { update(settings) }
      completion(result)
      guard covers else { return }
      question.ended(settings?.status)
      question.report(isAsked: false)
    }
  }
}
