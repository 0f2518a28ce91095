public import Foundation

/// The type of an activity's data: its own properties never change, its `ContentState` does.
public protocol ActivityAttributes: Codable {
  /// The data that changes while the activity runs.
  associatedtype ContentState: Codable, Hashable
}

/// The changing data of an activity, with the time until which it holds.
public struct ActivityContent<State: Codable & Hashable> {
  /// The data.
  public var state: State

  /// When the data is out of date; nil for never.
  public var staleDate: Date?

  /// The activity's weight among the app's activities; stored without effect.
  public var relevanceScore: Double

  /// Content for an activity.
  public init(state: State, staleDate: Date?, relevanceScore: Double = 0) {
    self.state = state
    self.staleDate = staleDate
    self.relevanceScore = relevanceScore
  }
}

extension ActivityContent: Equatable {}
extension ActivityContent: Hashable {}
extension ActivityContent: Sendable where State: Sendable {}

/// Where an activity is in its life.
public enum ActivityState: String, Codable, Hashable, Sendable {
  /// It runs.
  case active
  /// It has ended and may still be seen.
  case ended
  /// It has ended and is gone.
  case dismissed
  /// Its data is out of date.
  case stale
  /// It is to start later.
  case pending
}

/// When an ended activity is gone.
public struct ActivityUIDismissalPolicy: Equatable, Sendable {
  let date: Date?

  /// After some time that the system chooses; here at once, since nothing is drawn.
  public static let `default` = ActivityUIDismissalPolicy(date: nil)

  /// At once.
  public static let immediate = ActivityUIDismissalPolicy(date: .distantPast)

  /// At a date.
  public static func after(_ date: Date) -> ActivityUIDismissalPolicy {
    ActivityUIDismissalPolicy(date: date)
  }
}

/// How an activity is updated by pushes.
public struct PushType: Equatable, Hashable, Sendable {
  let channel: String?

  /// By pushes to a token of the activity.
  public static let token = PushType(channel: nil)

  /// By broadcasts on a channel.
  public static func channel(_ channelId: String) -> PushType {
    PushType(channel: channelId)
  }
}

/// The notification that goes with an update of an activity.
public struct AlertConfiguration: Sendable {
  /// The sound of the notification.
  public struct AlertSound: Sendable {
    let name: String?

    /// The default sound.
    public static let `default` = AlertSound(name: nil)

    /// A file of the app.
    public static func named(_ name: String) -> AlertSound { AlertSound(name: name) }
  }

  /// The first line.
  public var title: String

  /// The text.
  public var body: String

  /// The sound.
  public var sound: AlertSound

  /// A notification.
  public init(title: String, body: String, sound: AlertSound) {
    self.title = title
    self.body = body
    self.sound = sound
  }
}

/// The reason why an activity could not start.
public enum ActivityAuthorizationError: Error, Sendable {
  /// The attributes and the state have more than 4 KB together.
  case attributesTooLarge
  /// The device has no activities of this kind.
  case unsupported
  /// The user has switched activities off.
  case denied
  /// There are too many activities.
  case globalMaximumExceeded
  /// The app has too many activities.
  case targetMaximumExceeded
  /// The app cannot have activities.
  case unsupportedTarget
  /// The app was in the background.
  case visibility
  /// The activity could not be stored.
  case persistenceFailure
  /// The process is not known.
  case missingProcessIdentifier
  /// The app's manifest does not allow it.
  case unentitled
  /// The identifier is not valid.
  case malformedActivityIdentifier
  /// The process may not use the activity again.
  case reconnectNotPermitted
}
