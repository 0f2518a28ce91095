package import BelfryClient
import AppWire
public import Foundation
import Synchronization

/// The central object for managing an app's notifications; a singleton that can be used on any thread.
///
/// Completion handlers run on a separate thread, and delegate methods on the main thread. All requests, including those
/// without a reply, are processed in the order in which they are made: a query that follows a removal no longer returns
/// the removed notifications.
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

  /// The delegate, which handles arrivals and responses; not retained.
  ///
  /// Set the delegate before the app finishes launching.
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
