import BelfryClient
import AppWire
import Foundation

/// The calls of this process, for its providers, controllers, and observers.
final class CallCenter: Sendable {
  private struct Call {
    weak var provider: CXProvider?
    var isOutgoing = false
    var hasConnected = false
    var isOnHold = false
    var hasEnded = false
    /// The identifier of the dialog for an incoming call; nil unless the call is ringing.
    var dialog: String?
  }

  private struct Observer {
    weak var observer: CXCallObserver?
  }

  private struct WeakProvider {
    weak var provider: CXProvider?
  }

  private struct State {
    var calls: [UUID: Call] = [:]
    var providers: [WeakProvider] = []
    var observers: [Observer] = []
  }

  static let shared = CallCenter(dialogs: .shared)

  private let dialogs: DialogCenter
  private let state = LockedBox(State())

  init(dialogs: DialogCenter) { self.dialogs = dialogs }

  func add(_ provider: CXProvider) {
    state.withLock { state in
      state.providers.removeAll { $0.provider == nil }
      state.providers.append(WeakProvider(provider: provider))
    }
  }

  func add(_ observer: CXCallObserver) {
    state.withLock { state in
      state.observers.removeAll { $0.observer == nil }
      state.observers.append(Observer(observer: observer))
    }
  }

  /// Removes a provider that was invalidated, and ends all its calls.
  func remove(_ provider: CXProvider) {
    let own = state.withLock { state in
      state.providers.removeAll { $0.provider == nil || $0.provider === provider }
      return state.calls.filter { $0.value.provider === provider }.map(\.key)
    }
    for id in own { end(id) }
  }

  /// Snapshots of the current calls.
  var calls: [CXCall] { state.withLock { $0.calls.map { Self.snapshot($0, $1) } } }

  /// Shows an incoming call.
  ///
  /// The completion handler runs once. It receives nil when the call is shown, or an error if the call cannot be shown.
  func ring(
    _ id: UUID, _ update: CXCallUpdate, for provider: CXProvider,
    _ completion: @escaping @Sendable (CXErrorCodeIncomingCallError?) -> Void
  ) {
    let isNew = state.withLock { state in
      guard state.calls[id] == nil else { return false }
      state.calls[id] = Call(provider: provider)
      return true
    }
    guard isNew else { return completion(CXErrorCodeIncomingCallError(.callUUIDAlreadyExists)) }
    show(id, update, provider.configuration.ringtoneSound, CallOnce(completion))
    report(id)
  }

  private func show(
    _ id: UUID, _ update: CXCallUpdate, _ ringtone: String?,
    _ completion: CallOnce<CXErrorCodeIncomingCallError?>
  ) {
    let words = CallWords(languages: AgentSession.shared.languages)
    let caller = update.localizedCallerName ?? update.remoteHandle?.value ?? ""
    let text = update.hasVideo ? words.incomingVideoCall : words.incomingCall
    let dialog = dialogs.ask(
      title: caller.isEmpty ? text : caller, message: caller.isEmpty ? "" : text,
      choices: [.init(title: words.answer), .init(title: words.decline, isDestructive: true)],
      sound: NotificationSound(name: ringtone, isRingtone: true), level: .timeSensitive,
      shown: { completion.call(nil) },
      answer: { [self] answer in
        switch answer {
        case .choice(0, _): perform(CXAnswerCallAction(call: id))
        case .choice, .dismissed: perform(CXEndCallAction(call: id))
        // A click on the notification opens the app, where the user can answer the call. Until then, the call keeps
        // ringing.
        case .opened:
          if isRinging(id) { show(id, update, ringtone, completion) }
        case .unasked:
          end(id)
          completion.call(CXErrorCodeIncomingCallError(.unknown))
        }
      })
    let isGone = state.withLock { state in
      guard state.calls[id]?.hasEnded == false else { return true }
      state.calls[id]?.dialog = dialog
      return false
    }
    if isGone { dialogs.withdraw(dialog) }
  }

  private func isRinging(_ id: UUID) -> Bool {
    state.withLock { state in
      state.calls[id].map { !$0.isOutgoing && !$0.hasConnected && !$0.hasEnded } ?? false
    }
  }

  /// Checks and performs the actions of a transaction.
  ///
  /// - Throws: `CXErrorCodeRequestTransactionError` if the transaction is empty or one of its actions is invalid.
  func request(_ transaction: CXTransaction) throws {
    guard !transaction.actions.isEmpty else {
      throw CXErrorCodeRequestTransactionError(.emptyTransaction)
    }
    try state.withLock { state in
      // Record the new calls only after all actions are checked.
      var calls = state.calls
      for action in transaction.actions {
        guard let action = action as? CXCallAction else {
          throw CXErrorCodeRequestTransactionError(.invalidAction)
        }
        if action is CXStartCallAction {
          guard let provider = state.providers.last(where: { $0.provider != nil })?.provider else {
            throw CXErrorCodeRequestTransactionError(.unknownCallProvider)
          }
          guard calls[action.callUUID] == nil else {
            throw CXErrorCodeRequestTransactionError(.callUUIDAlreadyExists)
          }
          calls[action.callUUID] = Call(provider: provider, isOutgoing: true)
        } else if calls[action.callUUID] == nil {
          throw CXErrorCodeRequestTransactionError(.unknownCallUUID)
        }
      }
      state.calls = calls
    }
    for case let action as CXCallAction in transaction.actions { perform(action) }
  }

  /// Passes an action to the call's provider, and records the result.
  private func perform(_ action: CXCallAction) {
    let id = action.callUUID
    let (provider, dialog) = state.withLock { state in
      let call = state.calls[id]
      let isAnswer = action is CXAnswerCallAction || action is CXEndCallAction
      if isAnswer { state.calls[id]?.dialog = nil }
      return (call?.provider, isAnswer ? call?.dialog : nil)
    }
    if let dialog { dialogs.withdraw(dialog) }
    action.onEnd { [self] isDone in
      switch action {
      case is CXAnswerCallAction: if isDone { connect(id) } else { end(id) }
      case is CXEndCallAction: end(id)
      case is CXStartCallAction: if isDone { report(id) } else { end(id) }
      case let action as CXSetHeldCallAction where isDone:
        state.withLock { $0.calls[id]?.isOnHold = action.isOnHold }
        report(id)
      default: break
      }
    }
    guard let provider else { return action.fail() }
    provider.perform(action)
  }

  /// Records that a call is connected.
  func connect(_ id: UUID) {
    state.withLock { $0.calls[id]?.hasConnected = true }
    report(id)
  }

  /// Records that a call has ended, and withdraws its notification.
  func end(_ id: UUID) {
    let dialog = state.withLock { state in
      state.calls[id]?.hasEnded = true
      return state.calls[id]?.dialog
    }
    if let dialog { dialogs.withdraw(dialog) }
    report(id)
    state.withLock { _ = $0.calls.removeValue(forKey: id) }
  }

  /// Notifies the observers that a call has changed.
  private func report(_ id: UUID) {
    let (call, observers) = state.withLock { state in
      (state.calls[id].map { Self.snapshot(id, $0) }, state.observers.compactMap(\.observer))
    }
    guard let call else { return }
    for observer in observers { observer.tell(call) }
  }

  private static func snapshot(_ id: UUID, _ call: Call) -> CXCall {
    CXCall(
      uuid: id, isOutgoing: call.isOutgoing, isOnHold: call.isOnHold,
      hasConnected: call.hasConnected, hasEnded: call.hasEnded)
  }
}
