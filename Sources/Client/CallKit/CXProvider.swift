import BelfryClient
import BelfryWire
public import Dispatch
public import Foundation

/// How a provider's calls are shown.
open class CXProviderConfiguration: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the properties are set before the configuration is used.

  /// The app's name, where the app gives one; stored without effect, the notification has the app's own.
  open var localizedName: String?

  /// The file of the ringtone in the app's folder; nil for the default sound.
  open var ringtoneSound: String?

  /// The app's picture; stored without effect.
  open var iconTemplateImageData: Data?

  /// Calls that can be joined; stored without effect.
  open var maximumCallsPerCallGroup = 5

  /// Groups of calls at a time; stored without effect.
  open var maximumCallGroups = 2

  /// Whether calls are in the list of recent ones; stored without effect.
  open var includesCallsInRecents = true

  /// Whether calls can have pictures; stored without effect.
  open var supportsVideo = false

  /// The types of addresses; stored without effect.
  open var supportedHandleTypes: Set<CXHandle.HandleType> = []

  /// A configuration with the default values.
  public override init() { super.init() }

  /// A configuration with the app's name.
  public convenience init(localizedName: String) {
    self.init()
    self.localizedName = localizedName
  }

  /// A copy of the configuration.
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

/// The reason why a call ended.
public enum CXCallEndedReason: Int, Sendable {
  /// It failed.
  case failed = 1
  /// The other side ended it.
  case remoteEnded = 2
  /// It was not answered.
  case unanswered = 3
  /// It was answered on another device.
  case answeredElsewhere = 4
  /// It was declined on another device.
  case declinedElsewhere = 5
}

/// Reports calls to the system and hears what the user does with them.
///
/// An incoming call is a notification with two buttons, which stays until it is answered, declined or reported as
/// ended. Creating a provider asks for the permission that this needs, unless the user has decided.
open class CXProvider: NSObject, @unchecked Sendable {
  // Sendable: what changes is behind a lock.

  private struct State {
    weak var delegate: (any CXProviderDelegate)?
    var queue = DispatchQueue.main
    var configuration: CXProviderConfiguration
  }

  private let state: LockedBox<State>
  private let calls: CallCenter

  /// Creates a provider.
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

  /// How calls are shown.
  open var configuration: CXProviderConfiguration {
    get { state.withLock { $0.configuration } }
    set { state.withLock { $0.configuration = newValue } }
  }

  /// Sets the delegate, which is called on this queue, or on the main queue when nil; not retained.
  open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
    state.withLock { state in
      state.delegate = delegate
      state.queue = queue ?? .main
    }
    tell { $0.providerDidBegin($1) }
  }

  /// Shows an incoming call.
  ///
  /// `completion`: Gets an error if the call could not be shown, otherwise nil.
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

  /// Changes what is known about a call; a notification that is shown already keeps its text.
  open func reportCall(with id: UUID, updated update: CXCallUpdate) {}

  /// Reports that a call has ended by another cause than the user's: its notification is withdrawn.
  open func reportCall(
    with id: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason
  ) {
    calls.end(id)
  }

  /// Reports that an outgoing call is being connected; nothing shows it.
  open func reportOutgoingCall(with id: UUID, startedConnectingAt dateStartedConnecting: Date?) {}

  /// Reports that an outgoing call is connected.
  open func reportOutgoingCall(with id: UUID, connectedAt dateConnected: Date?) {
    calls.connect(id)
  }

  /// Ends every call of the provider, and tells the delegate that it was reset.
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

  /// Has the delegate perform an action; without a delegate it fails.
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
