package import BelfryClient
import BelfryWire
public import Foundation
import Synchronization

/// An app's way to its notifications; one object, usable from any thread.
///
/// Completion handlers run on a thread of their own, delegate methods on the main thread. Requests
/// are done in the order in which they are made, those without an answer too: a question that
/// follows a removal no longer sees what was removed.
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  // Sendable: the delegate is behind a lock, everything else is a constant.
  private static let shared = UNUserNotificationCenter(session: .shared)

  package let session: AgentSession
  private let delegateReference = Mutex(DelegateReference())

  private struct DelegateReference {
    weak var delegate: (any UNUserNotificationCenterDelegate)?
  }

  package init(session: AgentSession) {
    self.session = session
    super.init()
    session.listen(as: .notificationCenter) { [weak self] event, question in
      self?.handle(event, question) ?? false
    }
  }

  /// The center of this app.
  open class func current() -> UNUserNotificationCenter { shared }

  /// The delegate, which handles arrivals and responses; not retained.
  ///
  /// Set before the app has finished launching.
  open var delegate: (any UNUserNotificationCenterDelegate)? {
    get {
      let reference = delegateReference.withLock { MainThreadOnly($0.delegate) }
      return reference.value
    }
    set {
      let delegate = MainThreadOnly(newValue)
      delegateReference.withLock { $0.delegate = delegate.value }
      // Without an application object a process with a delegate counts as one in front.
      if !session.hasApplication {
        session.appState = delegate.value == nil ? .background : .foreground
      }
      session.connect()
    }
  }

  /// Whether notifications can have views of the app's own: not on this system.
  open var supportsContentExtensions: Bool { false }

  /// Sends a request whose answer is only that it is done.
  func perform(
    _ request: AppRequest, completionHandler: (@Sendable ((any Error)?) -> Void)?
  ) {
    session.send(request) { result in
      switch result {
      case .success: completionHandler?(nil)
      case .failure(let failure): completionHandler?(UNError(failure))
      }
    }
  }

  /// Sends a request; the caller provides the value for a missing answer.
  func ask<Value: Sendable>(
    _ request: AppRequest, otherwise: Value,
    _ read: @escaping @Sendable (AppAnswer) throws -> Value,
    completionHandler: @escaping @Sendable (Value) -> Void
  ) {
    session.send(request) { result in
      completionHandler((try? result.get()).flatMap { try? read($0) } ?? otherwise)
    }
  }
}
