import BelfryClient
public import Foundation

/// A Live Activity: data that the app or its server updates during an ongoing event.
///
/// Nothing is drawn on this system. The app starts, observes, and ends activities, and the app's server updates them
/// with pushes. The gateway issues one token per app; the app's server uses the token to start activities and to update
/// all of them. A push updates the newest running activity whose content state can be decoded from the push. An
/// activity ends when the app's process exits.
public final class Activity<Attributes: ActivityAttributes>: Identifiable, @unchecked Sendable {
  // Sendable: a lock protects the mutable state, and the attributes are constant.

  /// The type of the data that changes.
  public typealias ContentState = Attributes.ContentState

  private struct Store: @unchecked Sendable {
    // Sendable: every stored property is sendable.
    let activities: LockedBox<[Activity]>
    let started: ValueStreams<Activity>
  }

  private let box: LockedBox<(ActivityContent<ContentState>, ActivityState)>
  private let contents: ValueStreams<Boxed<ActivityContent<ContentState>>>
  private let states: ValueStreams<ActivityState>
  private let token: ValueStreams<Data>?

  /// The identifier of the activity.
  public let id: String

  /// The data that never changes.
  public let attributes: Attributes

  private init(
    attributes: Attributes, content: ActivityContent<ContentState>, usesToken: Bool
  ) {
    id = UUID().uuidString
    self.attributes = attributes
    box = LockedBox((content, .active))
    contents = ValueStreams(Boxed(value: content))
    states = ValueStreams(.active)
    token = usesToken ? LiveActivities.shared.token : nil
  }

  private static var store: Store {
    LiveActivities.shared.store(of: Attributes.self) {
      (
        Store(activities: LockedBox([]), started: ValueStreams(replays: false)),
        start: { push in start(push) }
      )
    }
  }

  /// Starts an activity.
  ///
  /// - Throws: `ActivityAuthorizationError.attributesTooLarge` if the attributes and the state together are larger than
  ///   4 KB, or `ActivityAuthorizationError.unsupported` if `pushType` is a channel.
  public static func request(
    attributes: Attributes, content: ActivityContent<ContentState>, pushType: PushType? = nil
  ) throws -> Activity<Attributes> {
    // A channel requires a subscription to broadcasts, which the agent does not support.
    if pushType?.channel != nil { throw ActivityAuthorizationError.unsupported }
    let encoder = JSONEncoder()
    let bytes = try encoder.encode(attributes).count + encoder.encode(content.state).count
    guard bytes <= ActivityLimits.bytes else { throw ActivityAuthorizationError.attributesTooLarge }
    let activity = Activity(
      attributes: attributes, content: content, usesToken: pushType == .token)
    if pushType == .token { LiveActivities.shared.register() }
    activity.begin()
    return activity
  }

  /// Starts an activity.
  ///
  /// - Throws: The same errors as `request(attributes:content:pushType:)`.
  @available(iOS, deprecated: 16.2, message: "Use request(attributes:content:pushType:)")
  public static func request(
    attributes: Attributes, contentState: ContentState, pushType: PushType? = nil
  ) throws -> Activity<Attributes> {
    try request(
      attributes: attributes, content: ActivityContent(state: contentState, staleDate: nil),
      pushType: pushType)
  }

  private func begin() {
    let store = Self.store
    store.activities.withLock { $0.append(self) }
    LiveActivities.shared.add(id) { [weak self] push in self?.apply(push) ?? false }
    store.started.send(self)
  }

  /// Handles a push that starts an activity.
  ///
  /// Returns false if the push is for activities of another type.
  private static func start(_ push: ActivityPush) -> Bool {
    guard push.attributesType == "\(Attributes.self)",
      let attributes = push.attributes.flatMap({ ActivityPush.decode($0, as: Attributes.self) }),
      let state = ActivityPush.decode(push.state, as: ContentState.self)
    else { return false }
    let content = ActivityContent(state: state, staleDate: push.staleDate)
    Activity(attributes: attributes, content: content, usesToken: true).begin()
    return true
  }

  /// Handles a push that updates or ends the activity.
  ///
  /// Returns false if the push contains a state of another type.
  private func apply(_ push: ActivityPush) -> Bool {
    if push.event == .end, push.state.isEmpty {
      finish(nil)
      return true
    }
    guard let state = ActivityPush.decode(push.state, as: ContentState.self) else { return false }
    let content = ActivityContent(state: state, staleDate: push.staleDate)
    if push.event == .end { finish(content) } else { set(content) }
    return true
  }

  private func set(_ content: ActivityContent<ContentState>) {
    let isRunning = box.withLock { value in
      guard value.1 == .active else { return false }
      value.0 = content
      return true
    }
    if isRunning { contents.send(Boxed(value: content)) }
  }

  private func finish(_ content: ActivityContent<ContentState>?) {
    if let content { set(content) }
    let hadEnded = box.withLock { value in
      defer { value.1 = .dismissed }
      return value.1 != .active
    }
    guard !hadEnded else { return }
    LiveActivities.shared.remove(id)
    Self.store.activities.withLock { $0.removeAll { $0 === self } }
    states.send(.ended)
    states.send(.dismissed)
    states.finish()
    contents.finish()
  }
}

// MARK: - Reading and changing

extension Activity {
  /// The app's running activities of this type.
  public static var activities: [Activity<Attributes>] { store.activities.withLock { $0 } }

  /// The activities that start after this property is read.
  public static var activityUpdates: ActivityUpdates<Activity<Attributes>> {
    ActivityUpdates(source: store.started)
  }

  /// The content of the activity, with its dates.
  public var content: ActivityContent<ContentState> { box.withLock { $0.0 } }

  /// The current value of the activity's changing data, without its dates.
  @available(iOS, deprecated: 16.2, message: "Use content")
  public var contentState: ContentState { content.state }

  /// The state of the activity.
  public var activityState: ActivityState { box.withLock { $0.1 } }

  /// The current state, followed by each new state.
  public var activityStateUpdates: ActivityUpdates<ActivityState> {
    ActivityUpdates(source: states)
  }

  /// The token for pushes to the activity.
  ///
  /// The value is nil until the token arrives. It stays nil if the activity does not use pushes.
  public var pushToken: Data? { token?.value }

  /// The token for pushes to the activity, followed by each new token.
  public var pushTokenUpdates: ActivityUpdates<Data> {
    ActivityUpdates(source: token ?? ValueStreams())
  }

  /// The token for pushes that start an activity; nil until it arrives.
  public static var pushToStartToken: Data? { LiveActivities.shared.token.value }

  /// The token for pushes that start an activity, followed by each new token.
  ///
  /// Reading this property registers the app.
  public static var pushToStartTokenUpdates: ActivityUpdates<Data> {
    _ = store
    LiveActivities.shared.register()
    return ActivityUpdates(source: LiveActivities.shared.token)
  }

  /// Updates the content of the activity.
  public func update(_ content: ActivityContent<ContentState>) async { set(content) }

  /// Updates the content of the activity and shows a notification.
  public func update(
    _ content: ActivityContent<ContentState>, alertConfiguration: AlertConfiguration?
  ) async {
    set(content)
    if let alertConfiguration { LiveActivities.shared.alert(id, alertConfiguration) }
  }

  /// Updates the content of the activity.
  @available(iOS, deprecated: 16.2, message: "Use update(_:)")
  public func update(
    using contentState: ContentState, alertConfiguration: AlertConfiguration? = nil
  ) async {
    await update(
      ActivityContent(state: contentState, staleDate: nil), alertConfiguration: alertConfiguration)
  }

  /// Ends the activity immediately, optionally with final content.
  public func end(
    _ content: ActivityContent<ContentState>?,
    dismissalPolicy: ActivityUIDismissalPolicy = .default
  ) async { finish(content) }

  /// Ends the activity immediately, optionally with final content.
  @available(iOS, deprecated: 16.2, message: "Use end(_:dismissalPolicy:)")
  public func end(
    using contentState: ContentState? = nil, dismissalPolicy: ActivityUIDismissalPolicy = .default
  ) async {
    finish(contentState.map { ActivityContent(state: $0, staleDate: nil) })
  }
}

extension Activity {
  /// The current content, followed by each update.
  public var contentUpdates: ContentUpdates { ContentUpdates(source: contents) }

  /// An asynchronous sequence of an activity's content, beginning with the current content.
  public struct ContentUpdates: AsyncSequence {
    /// The type of an element.
    public typealias Element = ActivityContent<ContentState>

    let source: ValueStreams<Boxed<Element>>

    /// The iterator of the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var iterator: AsyncStream<Boxed<Element>>.Iterator

      /// Returns the next content, waiting for it if necessary; returns nil when the activity has ended.
      public mutating func next() async -> Element? { await iterator.next(isolation: nil)?.value }

      /// Returns the next content, waiting for it if necessary; returns nil when the activity has ended.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
        await iterator.next(isolation: actor)?.value
      }
    }

    /// Creates an iterator over the content.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(iterator: source.stream().makeAsyncIterator())
    }
  }
}

/// A wrapper for sending an app's value through a stream.
struct Boxed<Value>: @unchecked Sendable {
  // Sendable: the app's content is passed along and never modified.
  let value: Value
}

/// The limits of this module.
enum ActivityLimits {
  /// The maximum size of the attributes and the state together, in bytes; this is Apple's limit.
  static let bytes = 4_096
}
