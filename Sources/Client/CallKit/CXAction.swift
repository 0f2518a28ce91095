import BelfryClient
public import Foundation

/// The superclass of call actions.
open class CXAction: NSObject, @unchecked Sendable {
  // Sendable: a lock protects the mutable state.

  private struct State {
    var isComplete = false
    var onEnd: (@Sendable (Bool) -> Void)?
  }

  private let state = LockedBox(State())

  /// The identifier of the action, generated when the action is created.
  public let uuid = UUID()

  /// The deadline of the action, which is one minute after its creation.
  public let timeoutDate = Date(timeIntervalSinceNow: 60)

  override init() { super.init() }

  /// A Boolean value that indicates whether the action was fulfilled or has failed.
  open var isComplete: Bool { state.withLock { $0.isComplete } }

  /// Reports that the action succeeded.
  open func fulfill() { end(true) }

  /// Reports that the action failed.
  open func fail() { end(false) }

  /// Sets the handler that is called once when the action is complete; the handler receives true if the action
  /// succeeded.
  func onEnd(_ body: @escaping @Sendable (Bool) -> Void) { state.withLock { $0.onEnd = body } }

  private func end(_ isDone: Bool) {
    let body: (@Sendable (Bool) -> Void)? = state.withLock { state in
      guard !state.isComplete else { return nil }
      state.isComplete = true
      return state.onEnd
    }
    body?(isDone)
  }
}

/// The superclass of actions on a single call.
open class CXCallAction: CXAction, @unchecked Sendable {
  /// The identifier of the call.
  public let callUUID: UUID

  /// Creates an action on the call with the given identifier.
  public init(call callUUID: UUID) {
    self.callUUID = callUUID
    super.init()
  }
}

/// An action that answers a call.
open class CXAnswerCallAction: CXCallAction, @unchecked Sendable {
  /// Reports that the call was connected; the date is ignored.
  open func fulfill(withDateConnected dateConnected: Date) { fulfill() }
}

/// An action that ends or declines a call.
open class CXEndCallAction: CXCallAction, @unchecked Sendable {
  /// Reports that the call has ended; the date is ignored.
  open func fulfill(withDateEnded dateEnded: Date) { fulfill() }
}

/// An action that starts a call.
open class CXStartCallAction: CXCallAction, @unchecked Sendable {
  /// The address to call: a phone number, an email address, or a name that the app defines.
  public let handle: CXHandle

  /// The identifier of the callee in the user's contacts; stored, but has no effect.
  open var contactIdentifier: String?

  /// A Boolean value that indicates whether the call is a video call.
  open var isVideo = false

  /// Creates an action that starts a call.
  public init(call callUUID: UUID, handle: CXHandle) {
    self.handle = handle
    super.init(call: callUUID)
  }

  /// Reports that the call has started; the date is ignored.
  open func fulfill(withDateStarted dateStarted: Date) { fulfill() }
}

/// An action that holds or resumes a call.
open class CXSetHeldCallAction: CXCallAction, @unchecked Sendable {
  /// A Boolean value that indicates whether the call is to be put on hold.
  public let isOnHold: Bool

  /// Creates an action that holds or resumes a call.
  public init(call callUUID: UUID, onHold: Bool) {
    isOnHold = onHold
    super.init(call: callUUID)
  }
}

/// An action that mutes or unmutes a call.
open class CXSetMutedCallAction: CXCallAction, @unchecked Sendable {
  /// A Boolean value that indicates whether the call is to be muted.
  public let isMuted: Bool

  /// Creates an action that mutes or unmutes a call.
  public init(call callUUID: UUID, muted: Bool) {
    isMuted = muted
    super.init(call: callUUID)
  }
}

/// A group of actions that are requested together.
open class CXTransaction: NSObject, @unchecked Sendable {
  // Sendable: the actions are added before the transaction is requested.

  /// The identifier of the transaction, generated when the transaction is created.
  public let uuid = UUID()

  /// The actions of the transaction, in order.
  open private(set) var actions: [CXAction]

  /// Creates a transaction with several actions.
  public init(actions: [CXAction]) { self.actions = actions }

  /// Creates a transaction with one action.
  public convenience init(action: CXAction) { self.init(actions: [action]) }

  /// Creates a transaction without actions.
  public override convenience init() { self.init(actions: []) }

  /// Adds an action to the transaction.
  open func addAction(_ action: CXAction) { actions.append(action) }

  /// A Boolean value that indicates whether all actions are complete.
  open var isComplete: Bool { actions.allSatisfy(\.isComplete) }
}
