import BelfryClient
public import Foundation

/// Something that is done about calls.
open class CXAction: NSObject, @unchecked Sendable {
  // Sendable: what changes is behind a lock.

  private struct State {
    var isComplete = false
    var onEnd: (@Sendable (Bool) -> Void)?
  }

  private let state = LockedBox(State())

  /// The action's identifier.
  public let uuid = UUID()

  /// When the action should be complete: a minute after it was made.
  public let timeoutDate = Date(timeIntervalSinceNow: 60)

  override init() { super.init() }

  /// Whether the action was fulfilled or has failed.
  open var isComplete: Bool { state.withLock { $0.isComplete } }

  /// Ends the action: it was done.
  open func fulfill() { end(true) }

  /// Ends the action: it could not be done.
  open func fail() { end(false) }

  /// Hears once whether the action was done.
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

/// Something that is done about one call.
open class CXCallAction: CXAction, @unchecked Sendable {
  /// The call's identifier.
  public let callUUID: UUID

  /// An action about a call.
  public init(call callUUID: UUID) {
    self.callUUID = callUUID
    super.init()
  }
}

/// The user answers a call.
open class CXAnswerCallAction: CXCallAction, @unchecked Sendable {
  /// Ends the action: the call was connected.
  open func fulfill(withDateConnected dateConnected: Date) { fulfill() }
}

/// The user ends or declines a call.
open class CXEndCallAction: CXCallAction, @unchecked Sendable {
  /// Ends the action: the call has ended.
  open func fulfill(withDateEnded dateEnded: Date) { fulfill() }
}

/// The user starts a call.
open class CXStartCallAction: CXCallAction, @unchecked Sendable {
  /// Whom the user calls.
  public let handle: CXHandle

  /// The contact's identifier.
  open var contactIdentifier: String?

  /// Whether the call has pictures.
  open var isVideo = false

  /// An action that starts a call.
  public init(call callUUID: UUID, handle: CXHandle) {
    self.handle = handle
    super.init(call: callUUID)
  }

  /// Ends the action: the call has started.
  open func fulfill(withDateStarted dateStarted: Date) { fulfill() }
}

/// The user holds or resumes a call.
open class CXSetHeldCallAction: CXCallAction, @unchecked Sendable {
  /// Whether the call is held.
  public let isOnHold: Bool

  /// An action that holds or resumes a call.
  public init(call callUUID: UUID, onHold: Bool) {
    isOnHold = onHold
    super.init(call: callUUID)
  }
}

/// The user mutes a call or is heard again.
open class CXSetMutedCallAction: CXCallAction, @unchecked Sendable {
  /// Whether the user is not heard.
  public let isMuted: Bool

  /// An action that mutes a call or ends that.
  public init(call callUUID: UUID, muted: Bool) {
    isMuted = muted
    super.init(call: callUUID)
  }
}

/// Actions that are requested together.
open class CXTransaction: NSObject, @unchecked Sendable {
  // Sendable: the actions are added before the transaction is requested.

  /// The transaction's identifier.
  public let uuid = UUID()

  /// The actions, in order.
  open private(set) var actions: [CXAction]

  /// A transaction of several actions.
  public init(actions: [CXAction]) { self.actions = actions }

  /// A transaction of one action.
  public convenience init(action: CXAction) { self.init(actions: [action]) }

  /// A transaction without actions.
  public override convenience init() { self.init(actions: []) }

  /// Adds an action.
  open func addAction(_ action: CXAction) { actions.append(action) }

  /// Whether every action is complete.
  open var isComplete: Bool { actions.allSatisfy(\.isComplete) }
}
