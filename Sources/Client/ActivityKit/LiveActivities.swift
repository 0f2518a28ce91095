import AppLink
import BelfryClient
import BelfryWire
import AppWire
import Foundation

/// The content of a push to a Live Activity.
struct ActivityPush: @unchecked Sendable {
  // Sendable: the dictionaries are never modified.

  enum Event: String {
    case start, update, end
  }

  let event: Event
  let state: [String: Any]
  let attributesType: String?
  let attributes: [String: Any]?
  let staleDate: Date?

  /// Creates the content from a push's payload; nil if the push is not for an activity.
  init?(_ payload: [AnyHashable: Any]) {
    guard let aps = payload["aps"] as? [AnyHashable: Any],
      let event = (aps["event"] as? String).flatMap(Event.init(rawValue:))
    else { return nil }
    self.event = event
    state = aps["content-state"] as? [String: Any] ?? [:]
    attributesType = aps["attributes-type"] as? String
    attributes = aps["attributes"] as? [String: Any]
    staleDate = (aps["stale-date"] as? NSNumber).map {
      Date(timeIntervalSince1970: $0.doubleValue)
    }
  }

  /// Decodes an object from the payload; returns nil if the object does not match the type.
  static func decode<Value: Decodable>(_ object: [String: Any], as _: Value.Type) -> Value? {
    guard let data = try? JSONSerialization.data(withJSONObject: object) else { return nil }
    return try? JSONDecoder().decode(Value.self, from: data)
  }
}

/// The app's Live Activities of all attribute types, which share one token.
final class LiveActivities: Sendable {
  private struct State {
    var isRegistered = false
    /// The push handlers of the running activities, newest first.
    ///
    /// A handler returns true if the push was for its activity.
    var running: [(id: String, handle: (ActivityPush) -> Bool)] = []
    var types: [ObjectIdentifier: (ActivityPush) -> Bool] = [:]
    var stores: [ObjectIdentifier: any Sendable] = [:]
  }

  static let shared = LiveActivities(session: .shared)

  private let session: AgentSession
  private let state = LockedBox(State())

  /// The app's token for Live Activities, which has no value until the gateway issues it.
  let token = ValueStreams<Data>()

  init(session: AgentSession) {
    self.session = session
    session.listen(as: .liveActivities) { [weak self] event, question in
      self?.handle(event, question) ?? false
    }
  }

  /// Registers for the token, unless the app has already done so.
  func register() {
    let isNew = state.withLock { state in
      defer { state.isRegistered = true }
      return !state.isRegistered
    }
    if isNew { session.send(.register(.liveActivity)) }
  }

  func add(_ id: String, _ handle: @escaping (ActivityPush) -> Bool) {
    state.withLock { $0.running.insert((id, handle), at: 0) }
  }

  func remove(_ id: String) { state.withLock { $0.running.removeAll { $0.id == id } } }

  /// Returns the store for an attribute type, creating the store on first use.
  func store<Store: Sendable>(
    of type: Any.Type, make: () -> (Store, start: (ActivityPush) -> Bool)
  ) -> Store {
    state.withLock { state in
      let key = ObjectIdentifier(type)
      if let store = state.stores[key] as? Store { return store }
      let (store, start) = make()
      state.stores[key] = store
      state.types[key] = start
      return store
    }
  }

  /// Shows the notification that accompanies an update.
  func alert(_ id: String, _ alert: AlertConfiguration) {
    var content = NotificationContent()
    content.title = NotificationText(alert.title)
    content.body = NotificationText(alert.body)
    content.sound = NotificationSound(name: alert.sound.name)
    session.send(.add(NotificationRequest(id: "belfry.activity." + id, content: content)))
  }

  /// Handles an event from the agent that concerns activities.
  ///
  /// Returns false for any other event.
  func handle(_ event: AppEvent, _ question: AppLinkQuestion?) -> Bool {
    switch event {
    case .token(.liveActivity, let bytes):
      let data = Data(bytes)
      if token.value != data { token.send(data) }
    case .registrationFailed(.liveActivity, _): break
    case .arrived(let arrival) where arrival.kind == .liveActivity:
      let push = ActivityPush(UserInfoCoding.payload(arrival.payload))
      question?.reply(.fetched(push.map(apply) == true ? .newData : .noData))
    default: return false
    }
    return true
  }

  /// Passes a push to the handlers until one accepts it.
  ///
  /// A push that starts an activity is passed to the attribute types, and any other push to the running activities,
  /// newest first. Returns false if no handler accepts the push.
  private func apply(_ push: ActivityPush) -> Bool {
    let handlers = state.withLock { state in
      push.event == .start ? Array(state.types.values) : state.running.map(\.handle)
    }
    return handlers.contains { $0(push) }
  }
}
