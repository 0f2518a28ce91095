import BelfryClient
public import Dispatch
public import Foundation

/// A call as it was at one moment.
open class CXCall: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The call's identifier.
  public let uuid: UUID

  /// Whether the user started it.
  public let isOutgoing: Bool

  /// Whether it is held.
  public let isOnHold: Bool

  /// Whether it is or was connected.
  public let hasConnected: Bool

  /// Whether it has ended.
  public let hasEnded: Bool

  init(uuid: UUID, isOutgoing: Bool, isOnHold: Bool, hasConnected: Bool, hasEnded: Bool) {
    self.uuid = uuid
    self.isOutgoing = isOutgoing
    self.isOnHold = isOnHold
    self.hasConnected = hasConnected
    self.hasEnded = hasEnded
  }

  /// Whether the other object is the same call.
  open override func isEqual(_ object: Any?) -> Bool { (object as? CXCall)?.uuid == uuid }

  /// The hash of the identifier.
  open override var hash: Int { uuid.hashValue }
}

/// The delegate for changes of calls.
@preconcurrency
public protocol CXCallObserverDelegate: NSObjectProtocol {
  /// A call was added, connected, held or ended.
  func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall)
}

/// The app's calls and their changes; those of other apps are not known here.
open class CXCallObserver: NSObject, @unchecked Sendable {
  // Sendable: what changes is behind a lock.

  private struct State {
    weak var delegate: (any CXCallObserverDelegate)?
    var queue = DispatchQueue.main
  }

  private let state = LockedBox(State())
  private let center: CallCenter

  /// Creates an observer.
  public override convenience init() { self.init(center: .shared) }

  init(center: CallCenter) {
    self.center = center
    super.init()
    center.add(self)
  }

  /// The calls of the app.
  open var calls: [CXCall] { center.calls }

  /// Sets the delegate, which is called on this queue, or on the main queue when nil; not retained.
  open func setDelegate(_ delegate: (any CXCallObserverDelegate)?, queue: DispatchQueue?) {
    state.withLock { state in
      state.delegate = delegate
      state.queue = queue ?? .main
    }
  }

  func tell(_ call: CXCall) {
    let (delegate, queue) = state.withLock { ($0.delegate.map(MainThreadOnly.init), $0.queue) }
    guard let delegate else { return }
    queue.async { [self] in delegate.value.callObserver(self, callChanged: call) }
  }
}

/// Requests actions about calls, as the app's own buttons do.
open class CXCallController: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  private let queue: DispatchQueue
  private let center: CallCenter

  /// The observer of the app's calls.
  public let callObserver: CXCallObserver

  /// A controller whose completion handlers run on this queue.
  public convenience init(queue: DispatchQueue) { self.init(queue: queue, center: .shared) }

  /// A controller whose completion handlers run on the main queue.
  public override convenience init() { self.init(queue: .main) }

  init(queue: DispatchQueue, center: CallCenter) {
    self.queue = queue
    self.center = center
    callObserver = CXCallObserver(center: center)
    super.init()
  }

  /// Requests a transaction: the provider's delegate performs its actions.
  ///
  /// `completion`: Gets an error if the transaction was refused, otherwise nil.
  @preconcurrency
  open func request(
    _ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let result = Result { try center.request(transaction) }
    queue.async {
      if case .failure(let error) = result { completion(error) } else { completion(nil) }
    }
  }

  /// Requests a transaction.
  ///
  /// - Throws: `CXErrorCodeRequestTransactionError` if the transaction was refused.
  open func request(_ transaction: CXTransaction) async throws { try center.request(transaction) }

  /// Requests one action.
  @preconcurrency
  open func requestTransaction(
    with action: CXAction, completion: @escaping @Sendable ((any Error)?) -> Void
  ) { request(CXTransaction(action: action), completion: completion) }

  /// Requests several actions.
  @preconcurrency
  open func requestTransaction(
    with actions: [CXAction], completion: @escaping @Sendable ((any Error)?) -> Void
  ) { request(CXTransaction(actions: actions), completion: completion) }

  /// Requests one action.
  ///
  /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused.
  open func requestTransaction(with action: CXAction) async throws {
    try center.request(CXTransaction(action: action))
  }
}
