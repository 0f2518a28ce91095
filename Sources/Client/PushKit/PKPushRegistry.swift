import AppLink
import BelfryClient
import BelfryWire
import AppWire
public import Dispatch
public import Foundation

/// A registry for pushes that are delivered to the app itself and never shown.
///
/// If the app is not running, a push launches it in the background.
open class PKPushRegistry: NSObject, @unchecked Sendable {
  // Sendable: a lock protects the mutable state.
  let queue: DispatchQueue
  private let session = AgentSession.shared
  private let state = LockedBox(State())

  private struct State {
    weak var delegate: (any PKPushRegistryDelegate)?
    var types: Set<PKPushType>?
    var tokens: [PKPushType: Data] = [:]
  }

  /// Creates a registry whose delegate is called on the given queue; nil means the main queue.
  public init(queue: DispatchQueue?) {
    self.queue = queue ?? .main
    super.init()
    RegistryList.shared.add(self)
  }

  /// The delegate, which handles tokens and pushes; not retained.
  ///
  /// Set the delegate before `desiredPushTypes`.
  open var delegate: (any PKPushRegistryDelegate)? {
    get { state.withLock { $0.delegate } }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// The types of pushes that the app wants.
  ///
  /// Setting this property registers the app for these types, and unregisters it from types that are no longer
  /// included.
  open var desiredPushTypes: Set<PKPushType>? {
    get { state.withLock { $0.types } }
    set {
      let old = state.withLock { state in
        defer { state.types = newValue }
        return state.types ?? []
      }
      for type in old.subtracting(newValue ?? []) {
        guard let kind = type.kind else { continue }
        state.withLock { $0.tokens[type] = nil }
        session.send(.unregister(kind))
      }
      for type in newValue ?? [] {
        guard let kind = type.kind else { continue }
        session.send(.register(kind))
      }
    }
  }

  /// Returns the token for a push type; nil if it has not arrived yet.
  open func pushToken(for type: PKPushType) -> Data? { state.withLock { $0.tokens[type] } }

  /// Returns whether the registry wants pushes of this type.
  func wants(_ type: PKPushType) -> Bool { state.withLock { $0.types?.contains(type) ?? false } }

  func updated(_ type: PKPushType, token: Data) {
    let isKnown = state.withLock { state in
      defer { state.tokens[type] = token }
      return state.tokens[type] == token
    }
    // After a restart, the agent sends the token again; the delegate is notified only of changes.
    guard !isKnown, let delegate else { return }
    let owner = MainThreadOnly(delegate)
    queue.async { [self] in
      owner.value.pushRegistry(
        self, didUpdate: PKPushCredentials(type: type, token: token), for: type)
    }
  }

  func invalidated(_ type: PKPushType) {
    state.withLock { $0.tokens[type] = nil }
    guard let delegate else { return }
    let owner = MainThreadOnly(delegate)
    queue.async { [self] in owner.value.pushRegistry(self, didInvalidatePushTokenFor: type) }
  }

  func received(
    _ payload: PKPushPayload, completion: @escaping @Sendable (FetchResult) -> Void
  ) {
    guard let delegate else { return completion(.noData) }
    let owner = MainThreadOnly(delegate)
    Task {
      if payload.type == .voIP {
        await owner.value.pushRegistry(
          self, didReceiveIncomingVoIPPushWith: payload,
          metadata: PKVoIPPushMetadata(mustReport: false))
      } else {
        await owner.value.pushRegistry(
          self, didReceiveIncomingPushWith: payload, for: payload.type)
      }
      completion(.newData)
    }
  }
}

extension PKPushType {
  /// The kind of token in messages to the agent; nil for an unknown type.
  var kind: TokenKind? { Self.kinds.first { $0.0 == self }?.1 }

  init?(_ kind: TokenKind) {
    guard let type = Self.kinds.first(where: { $0.1 == kind })?.0 else { return nil }
    self = type
  }

  private static let kinds: [(PKPushType, TokenKind)] = [
    (.voIP, .voip), (.complication, .complication), (.fileProvider, .fileProvider),
  ]
}

/// The registries of this process.
///
/// A token is passed to each registry that wants its push type. A push is passed only to the first such registry.
final class RegistryList: Sendable {
  static let shared = RegistryList()

  private struct WeakRegistry { weak var registry: PKPushRegistry? }

  private let registries = LockedBox<[WeakRegistry]>([])

  private init() {
    AgentSession.shared.listen(as: .pushRegistry) { [weak self] event, question in
      self?.handle(event, question) ?? false
    }
  }

  func add(_ registry: PKPushRegistry) {
    registries.withLock { list in
      list.removeAll { $0.registry == nil }
      list.append(WeakRegistry(registry: registry))
    }
  }

  private func desiring(_ kind: TokenKind) -> (type: PKPushType, registries: [PKPushRegistry])? {
    guard let type = PKPushType(kind) else { return nil }
    let all = registries.withLock { $0.compactMap(\.registry) }
    return (type, all.filter { $0.wants(type) })
  }

  private func handle(_ event: AppEvent, _ question: AppLinkQuestion?) -> Bool {
    switch event {
    case .token(let kind, let token):
      guard let (type, registries) = desiring(kind) else { return false }
      for registry in registries { registry.updated(type, token: Data(token)) }
    case .registrationFailed(let kind, _):
      guard let (type, registries) = desiring(kind) else { return false }
      for registry in registries where registry.pushToken(for: type) != nil {
        registry.invalidated(type)
      }
    case .arrived(let arrival):
      guard let (type, registries) = desiring(arrival.kind) else { return false }
      let payload = PKPushPayload(
        type: type, dictionaryPayload: UserInfoCoding.payload(arrival.payload))
      guard let first = registries.first else {
        question?.reply(.fetched(.noData))
        return true
      }
      first.received(payload) { question?.reply(.fetched($0)) }
    default: return false
    }
    return true
  }
}
