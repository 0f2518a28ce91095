import BelfryClient
public import Foundation

/// A Live Activity: data that the app or its server updates during an ongoing event.
///
/// Nothing is drawn on this system. The app starts, observes, and ends activities, and the app's server updates them
/// with pushes. All activities end when the app's process exits.
///
/// The gateway issues one token per app, and the app's server uses this token both to start activities and to update
/// them. A push that updates an activity goes to the newest running activity that can decode the push's content state.
public final class Activity<Attributes: ActivityAttributes>: Identifiable, @unchecked Sendable {
  // Sendable: a lock protects the mutable state, and the attributes are constant.

  /// The type of the data that changes while the activity runs.
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

  /// The identifier of the activity: a UUID string that is generated when the activity starts.
  public let id: String

  /// The data that stays the same while the activity runs.
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
  /// Returns false if the push is for another attribute type or cannot be decoded.
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
  /// Returns false if the push's content state cannot be decoded as the content state of this activity.
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

  /// An asynchronous sequence of the activities that start after the iteration begins.
  public static var activityUpdates: ActivityUpdates<Activity<Attributes>> {
    ActivityUpdates(source: store.started)
  }

  /// The content of the activity: its changing data, and the date on which the data becomes out of date.
  public var content: ActivityContent<ContentState> { box.withLock { $0.0 } }

  /// The activity's changing data, without the date on which the data becomes out of date.
  @available(iOS, deprecated: 16.2, message: "Use content")
  public var contentState: ContentState { content.state }

  /// The state of the activity: `.active` while the activity runs, and `.dismissed` after it has ended.
  public var activityState: ActivityState { box.withLock { $0.1 } }

  /// An asynchronous sequence that emits the current state, and then each new state.
  public var activityStateUpdates: ActivityUpdates<ActivityState> {
    ActivityUpdates(source: states)
  }

  /// The token for pushes to the activity.
  ///
  /// The value is nil until the token arrives. It stays nil if the activity does not use pushes.
  public var pushToken: Data? { token?.value }

  /// An asynchronous sequence that emits the token for pushes to the activity, and then each new token.
  public var pushTokenUpdates: ActivityUpdates<Data> {
    ActivityUpdates(source: token ?? ValueStreams())
  }

  /// The token for pushes that start an activity; nil until it arrives.
  public static var pushToStartToken: Data? { LiveActivities.shared.token.value }

  /// An asynchronous sequence that emits the token for pushes that start an activity, and then each new token.
  ///
  /// Reading this property registers the app for the token.
  public static var pushToStartTokenUpdates: ActivityUpdates<Data> {
    _ = store
    LiveActivities.shared.register()
    return ActivityUpdates(source: LiveActivities.shared.token)
  }

  /// Updates the content of the activity; does nothing if the activity has ended.
  public func update(_ content: ActivityContent<ContentState>) async { set(content) }

  /// Updates the content of the activity, and shows a notification if `alertConfiguration` is not nil.
  public func update(
    _ content: ActivityContent<ContentState>, alertConfiguration: AlertConfiguration?
  ) async {
    set(content)
    if let alertConfiguration { LiveActivities.shared.alert(id, alertConfiguration) }
  }

  /// Updates the activity's changing data, and shows a notification if `alertConfiguration` is not nil.
  @available(iOS, deprecated: 16.2, message: "Use update(_:)")
  public func update(
    using contentState: ContentState, alertConfiguration: AlertConfiguration? = nil
  ) async {
    await update(
      ActivityContent(state: contentState, staleDate: nil), alertConfiguration: alertConfiguration)
  }

  /// Ends the activity immediately, regardless of the policy, and stores the final content if it is not nil.
  public func end(
    _ content: ActivityContent<ContentState>?,
    dismissalPolicy: ActivityUIDismissalPolicy = .default
  ) async { finish(content) }

  /// Ends the activity immediately, regardless of the policy, and stores the final data if it is not nil.
  @available(iOS, deprecated: 16.2, message: "Use end(_:dismissalPolicy:)")
  public func end(
    using contentState: ContentState? = nil, dismissalPolicy: ActivityUIDismissalPolicy = .default
  ) async {
    finish(contentState.map { ActivityContent(state: $0, staleDate: nil) })
  }
}

extension Activity {
  /// An asynchronous sequence that emits the current content, and then each update.
  public var contentUpdates: ContentUpdates { ContentUpdates(source: contents) }

  /// An asynchronous sequence of an activity's content, beginning with the current content.
  public struct ContentUpdates: AsyncSequence {
    /// The content of an activity at one point in time.
    public typealias Element = ActivityContent<ContentState>

    let source: ValueStreams<Boxed<Element>>

    /// An iterator over the activity's content.
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

/// A wrapper that lets a stream carry a value of a type that is not `Sendable`.
struct Boxed<Value>: @unchecked Sendable {
  // Sendable: the app's content is passed along and never modified.
  let value: Value
}

/// The limits that apply to each activity.
enum ActivityLimits {
  /// The maximum size of the encoded attributes and state together, in bytes, as on Apple's systems.
  static let bytes = 4_096
}
