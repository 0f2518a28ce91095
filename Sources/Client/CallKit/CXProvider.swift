import BelfryClient
import AppWire
public import Dispatch
public import Foundation

/// The configuration of a provider's calls.
open class CXProviderConfiguration: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the properties are set before the configuration is used.

  /// The name of the app.
  ///
  /// The value is stored, but the notification shows the app's own name.
  open var localizedName: String?

  /// The name of the ringtone file in the app's directory; nil for the default sound.
  open var ringtoneSound: String?

  /// The icon of the app; stored, but has no effect.
  open var iconTemplateImageData: Data?

  /// The maximum number of calls that can be merged; stored, but has no effect.
  open var maximumCallsPerCallGroup = 5

  /// The maximum number of simultaneous groups of calls; stored, but has no effect.
  open var maximumCallGroups = 2

  /// A Boolean value that indicates whether the list of recent calls includes the app's calls; stored, but has no
  /// effect.
  open var includesCallsInRecents = true

  /// A Boolean value that indicates whether the app supports video calls; stored, but has no effect.
  open var supportsVideo = false

  /// The supported types of addresses; they are stored, but have no effect.
  open var supportedHandleTypes: Set<CXHandle.HandleType> = []

  /// Creates a configuration with the default values.
  public override init() { super.init() }

  /// Creates a configuration with the name of the app.
  public convenience init(localizedName: String) {
    self.init()
    self.localizedName = localizedName
  }

  /// Returns a copy of the configuration.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CXProviderConfiguration()
    copy.localizedName = localizedName
    copy.ringtoneSound = ringtoneSound
    copy.iconTemplateImageData = iconTemplateImageData
    copy.maximumCallsPerCallGroup = maximumCallsPerCallGroup
    copy.maximumCallGroups = maximumCallGroups
    copy.includesCallsInRecents = includesCallsInRecents
    copy.supportsVideo = supportsVideo
    copy.supportedHandleTypes = supportedHandleTypes
    return copy
  }
}

/// The reason that a call ended.
public enum CXCallEndedReason: Int, Sendable {
  /// The call ended because it failed.
  case failed = 1
  /// The other party ended the call.
  case remoteEnded = 2
  /// The call was not answered.
  case unanswered = 3
  /// The call was answered on another device.
  case answeredElsewhere = 4
  /// The call was declined on another device.
  case declinedElsewhere = 5
}

/// An object that reports calls to the system and passes the user's call actions to its delegate.
///
/// An incoming call appears as a notification with two buttons, which stays until the call is answered, declined, or
/// reported as ended. When a provider is created, it requests permission for these notifications, unless the user has
/// already decided.
open class CXProvider: NSObject, @unchecked Sendable {
  // Sendable: a lock protects the mutable state.

  private struct State {
    weak var delegate: (any CXProviderDelegate)?
    var queue = DispatchQueue.main
    var configuration: CXProviderConfiguration
  }

  private let state: LockedBox<State>
  private let calls: CallCenter

  /// Creates a provider, and requests permission for alerts, badges, and sounds.
  public convenience init(configuration: CXProviderConfiguration) {
    self.init(configuration: configuration, calls: .shared)
    AgentSession.shared.requestAuthorization([.alert, .badge, .sound]) { _ in }
  }

  init(configuration: CXProviderConfiguration, calls: CallCenter) {
    state = LockedBox(State(configuration: configuration))
    self.calls = calls
    super.init()
    calls.add(self)
  }

  /// The configuration of the provider's calls.
  open var configuration: CXProviderConfiguration {
    get { state.withLock { $0.configuration } }
    set { state.withLock { $0.configuration = newValue } }
  }

  /// Sets the delegate and the queue on which it is called; nil means the main queue.
  ///
  /// The delegate is not retained.
  open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
    state.withLock { state in
      state.delegate = delegate
      state.queue = queue ?? .main
    }
    tell { $0.providerDidBegin($1) }
  }

  /// Shows an incoming call.
  ///
  /// The completion handler receives an error if the call could not be shown; otherwise, it receives nil.
  @preconcurrency
  open func reportNewIncomingCall(
    with id: UUID, update: CXCallUpdate, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let queue = state.withLock { $0.queue }
    calls.ring(id, update, for: self) { error in queue.async { completion(error) } }
  }

  /// Shows an incoming call.
  ///
  /// - Throws: `CXErrorCodeIncomingCallError` if the call could not be shown.
  open func reportNewIncomingCall(with id: UUID, update: CXCallUpdate) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      reportNewIncomingCall(with: id, update: update) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Has no effect: a notification that is already shown keeps its text.
  open func reportCall(with id: UUID, updated update: CXCallUpdate) {}

  /// Reports that a call ended for a reason other than the user's action.
  ///
  /// The notification of the call is withdrawn.
  open func reportCall(
    with id: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason
  ) {
    calls.end(id)
  }

  /// Has no effect: nothing shows that an outgoing call is connecting.
  open func reportOutgoingCall(with id: UUID, startedConnectingAt dateStartedConnecting: Date?) {}

  /// Reports that an outgoing call is connected.
  open func reportOutgoingCall(with id: UUID, connectedAt dateConnected: Date?) {
    calls.connect(id)
  }

  /// Ends all calls of the provider, and tells the delegate that the provider was reset.
  open func invalidate() {
    calls.remove(self)
    tell { $0.providerDidReset($1) }
  }

  /// Calls the delegate on the provider's queue.
  func tell(_ body: @escaping @Sendable (any CXProviderDelegate, CXProvider) -> Void) {
    let (delegate, queue) = state.withLock { ($0.delegate.map(MainThreadOnly.init), $0.queue) }
    guard let delegate else { return }
    queue.async { [self] in body(delegate.value, self) }
  }

  /// Passes an action to the delegate; without a delegate, the action fails.
  func perform(_ action: CXAction) {
    guard state.withLock({ $0.delegate != nil }) else { return action.fail() }
    tell { delegate, provider in
      guard !delegate.provider(provider, execute: CXTransaction(action: action)) else { return }
      switch action {
      case let action as CXStartCallAction: delegate.provider(provider, perform: action)
      case let action as CXAnswerCallAction: delegate.provider(provider, perform: action)
      case let action as CXEndCallAction: delegate.provider(provider, perform: action)
      case let action as CXSetHeldCallAction: delegate.provider(provider, perform: action)
      case let action as CXSetMutedCallAction: delegate.provider(provider, perform: action)
      default: action.fail()
      }
    }
  }
}
