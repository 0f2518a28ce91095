package import BelfryClient
import AppWire
public import Foundation
import Synchronization

/// An app's interface to its notifications, categories, and notification settings.
///
/// The class has one shared object, which can be used on any thread. Completion handlers run on a separate thread, and
/// delegate methods run on the main thread.
///
/// The agent processes all requests in the order in which the app makes them, including requests without a reply. For
/// example, a query that follows a removal does not return the removed notifications.
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  // Sendable: a lock protects the delegate; everything else is constant.
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

  /// Returns the notification center of this app.
  open class func current() -> UNUserNotificationCenter { shared }

  /// The delegate, which handles arriving notifications and the user's responses.
  ///
  /// The center does not retain the delegate. Set the delegate before the app finishes launching.
  open var delegate: (any UNUserNotificationCenterDelegate)? {
    get {
      let reference = delegateReference.withLock { MainThreadOnly($0.delegate) }
      return reference.value
    }
    set {
      let delegate = MainThreadOnly(newValue)
      delegateReference.withLock { $0.delegate = delegate.value }
      // Without an application object, a process with a delegate counts as being in the foreground.
      if !session.hasApplication {
        session.appState = delegate.value == nil ? .background : .foreground
      }
      session.connect()
    }
  }

  /// A Boolean value that indicates whether notifications can show the app's own views; always false on this system.
  open var supportsContentExtensions: Bool { false }

  /// Sends a request whose reply is only success or failure.
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

  /// Sends a request; if the reply is missing or invalid, the handler receives `otherwise`.
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
