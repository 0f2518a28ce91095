package import AppWire
import Dispatch
import Synchronization

/// The state of the permission prompt.
///
/// A UIKit app is inactive while the prompt is shown, because the prompt covers it.
package final class AuthorizationQuestion: Sendable {
  package typealias Observer = @MainActor @Sendable (_ isAsked: Bool) -> Void

  private struct State {
    var observer: Observer?
    /// True if the last prompt was closed without a decision.
    ///
    /// In this case, later requests do not make the app inactive. Otherwise, an app that asks whenever it becomes
    /// active would never stop asking.
    var endedUndecided = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Sets the observer, which runs on the main thread when a prompt appears and when it disappears.
  package func observe(_ observer: @escaping Observer) {
    state.withLock { $0.observer = observer }
  }

  /// Returns whether a request for the options will show a prompt, as far as this process knows.
  func isShown(for options: Set<AuthorizationOption>, status: AuthorizationStatus?) -> Bool {
    guard status == .notDetermined, !options.isEmpty, !options.contains(.provisional) else {
      return false
    }
    return state.withLock { !$0.endedUndecided }
  }

  func report(isAsked: Bool) {
    guard let observer = state.withLock({ $0.observer }) else { return }
    DispatchQueue.main.async { MainActor.assumeIsolated { observer(isAsked) } }
  }

  func handleEnd(_ status: AuthorizationStatus?) {
    state.withLock { $0.endedUndecided = status == nil || status == .notDetermined }
  }
}

extension AgentSession {
  /// Requests permission; the first request shows a prompt.
  ///
  /// If `replacesTypes` is true, the options are the notification types that an app registers with an older API. They
  /// replace the types that the app registered before (S4-5).
  ///
  /// The completion handler runs exactly once, on the callback queue, before the prompt counts as closed.
  package func requestAuthorization(
    _ options: Set<AuthorizationOption>, replacesTypes: Bool = false,
    completion: @escaping @Sendable (Result<AppAnswer, AppLinkFailure>) -> Void
  ) {
    let covers = !isUnreachable && question.isShown(for: options, status: settings?.status)
    if covers { question.report(isAsked: true) }
    send(
      .requestAuthorization(options, replacesTypes: replacesTypes),
      timeoutMilliseconds: Limits.personMilliseconds
    ) { [self] result in
      let settings = (try? result.get()).flatMap { try? $0.settings() }
      if let settings { update(settings) }
      completion(result)
      guard covers else { return }
      question.handleEnd(settings?.status)
      question.report(isAsked: false)
    }
  }
}
