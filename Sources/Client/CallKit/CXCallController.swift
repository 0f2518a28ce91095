import BelfryClient
public import Dispatch
public import Foundation

/// A snapshot of a call.
open class CXCall: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The identifier of the call.
  public let uuid: UUID

  /// A Boolean value that indicates whether the user started the call.
  public let isOutgoing: Bool

  /// A Boolean value that indicates whether the call is on hold.
  public let isOnHold: Bool

  /// A Boolean value that indicates whether the call is or was connected.
  public let hasConnected: Bool

  /// A Boolean value that indicates whether the call has ended.
  public let hasEnded: Bool

  init(uuid: UUID, isOutgoing: Bool, isOnHold: Bool, hasConnected: Bool, hasEnded: Bool) {
    self.uuid = uuid
    self.isOutgoing = isOutgoing
    self.isOnHold = isOnHold
    self.hasConnected = hasConnected
    self.hasEnded = hasEnded
  }

  /// Returns whether the other object represents the same call.
  open override func isEqual(_ object: Any?) -> Bool { (object as? CXCall)?.uuid == uuid }

  /// The hash value of the identifier.
  open override var hash: Int { uuid.hashValue }
}

/// A delegate that handles changes to calls.
@preconcurrency
public protocol CXCallObserverDelegate: NSObjectProtocol {
  /// Tells the delegate that a call was added, connected, held, or ended.
  func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall)
}

/// An observer of the app's calls.
///
/// The calls of other apps are not visible on this system.
open class CXCallObserver: NSObject, @unchecked Sendable {
  // Sendable: a lock protects the mutable state.

  private struct State {
    weak var delegate: (any CXCallObserverDelegate)?
    var queue = DispatchQueue.main
  }

  private let state = LockedBox(State())
  private let center: CallCenter

  /// Creates an observer of the app's calls.
  public override convenience init() { self.init(center: .shared) }

  init(center: CallCenter) {
    self.center = center
    super.init()
    center.add(self)
  }

  /// The calls of the app.
  open var calls: [CXCall] { center.calls }

  /// Sets the delegate and the queue on which it is called; nil means the main queue.
  ///
  /// The delegate is not retained.
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

/// A controller with which the app requests call actions, for example when the user presses a button in the app.
open class CXCallController: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  private let queue: DispatchQueue
  private let center: CallCenter

  /// The observer of the app's calls.
  public let callObserver: CXCallObserver

  /// Creates a controller whose completion handlers run on the given queue.
  public convenience init(queue: DispatchQueue) { self.init(queue: queue, center: .shared) }

  /// Creates a controller whose completion handlers run on the main queue.
  public override convenience init() { self.init(queue: .main) }

  init(queue: DispatchQueue, center: CallCenter) {
    self.queue = queue
    self.center = center
    callObserver = CXCallObserver(center: center)
    super.init()
  }

  /// Requests a transaction; the provider's delegate performs its actions.
  ///
  /// The completion handler receives an error if the transaction was rejected; otherwise, it receives nil.
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
  /// - Throws: `CXErrorCodeRequestTransactionError` if the transaction was rejected.
  open func request(_ transaction: CXTransaction) async throws { try center.request(transaction) }

  /// Requests a transaction with one action.
  @preconcurrency
  open func requestTransaction(
    with action: CXAction, completion: @escaping @Sendable ((any Error)?) -> Void
  ) { request(CXTransaction(action: action), completion: completion) }

  /// Requests a transaction with several actions.
  @preconcurrency
  open func requestTransaction(
    with actions: [CXAction], completion: @escaping @Sendable ((any Error)?) -> Void
  ) { request(CXTransaction(actions: actions), completion: completion) }

  /// Requests a transaction with one action.
  ///
  /// - Throws: `CXErrorCodeRequestTransactionError` if the transaction was rejected.
  open func requestTransaction(with action: CXAction) async throws {
    try center.request(CXTransaction(action: action))
  }
}
