public import Foundation

/// The data of an activity.
///
/// The conforming type's own properties stay the same while the activity runs; the data in `ContentState` changes.
public protocol ActivityAttributes: Codable {
  /// The type of the data that changes while the activity runs.
  associatedtype ContentState: Codable, Hashable
}

/// The content of an activity, and the date on which the content becomes out of date.
public struct ActivityContent<State: Codable & Hashable> {
  /// The data that changes while the activity runs: a value of the type `ActivityAttributes.ContentState`.
  public var state: State

  /// The date on which the data becomes out of date; nil if it never does.
  public var staleDate: Date?

  /// The relevance of the activity compared with the app's other activities; stored, but has no effect.
  public var relevanceScore: Double

  /// Creates content for an activity.
  public init(state: State, staleDate: Date?, relevanceScore: Double = 0) {
    self.state = state
    self.staleDate = staleDate
    self.relevanceScore = relevanceScore
  }
}

extension ActivityContent: Equatable {}
extension ActivityContent: Hashable {}
extension ActivityContent: Sendable where State: Sendable {}

/// The states of an activity.
public enum ActivityState: String, Codable, Hashable, Sendable {
  /// The activity is running and accepts updates.
  case active
  /// The activity has ended, but might still be visible.
  case ended
  /// The activity has ended and is no longer visible.
  case dismissed
  /// The data of the activity is out of date.
  case stale
  /// The activity will start later.
  case pending
}

/// A policy for removing an activity that has ended.
public struct ActivityUIDismissalPolicy: Equatable, Sendable {
  let date: Date?

  /// The system chooses when to remove the activity.
  ///
  /// On this system, the activity is removed immediately, because nothing is drawn.
  public static let `default` = ActivityUIDismissalPolicy(date: nil)

  /// The activity is removed immediately.
  public static let immediate = ActivityUIDismissalPolicy(date: .distantPast)

  /// Returns a policy that removes the activity at the given date; this system removes the activity immediately.
  public static func after(_ date: Date) -> ActivityUIDismissalPolicy {
    ActivityUIDismissalPolicy(date: date)
  }
}

/// The ways in which pushes update an activity.
public struct PushType: Equatable, Hashable, Sendable {
  let channel: String?

  /// The server sends pushes to the activity's token.
  public static let token = PushType(channel: nil)

  /// Returns the type for broadcasts on a channel, which this system does not support.
  public static func channel(_ channelId: String) -> PushType {
    PushType(channel: channelId)
  }
}

/// The configuration of the notification that accompanies an update of an activity.
public struct AlertConfiguration: Sendable {
  /// The sound of the notification.
  public struct AlertSound: Sendable {
    let name: String?

    /// The system's default sound.
    public static let `default` = AlertSound(name: nil)

    /// Returns the sound in one of the app's sound files.
    public static func named(_ name: String) -> AlertSound { AlertSound(name: name) }
  }

  /// The title of the notification.
  public var title: String

  /// The body text of the notification.
  public var body: String

  /// The sound of the notification.
  public var sound: AlertSound

  /// Creates a notification for an update.
  public init(title: String, body: String, sound: AlertSound) {
    self.title = title
    self.body = body
    self.sound = sound
  }
}

/// The reason that an activity could not start.
public enum ActivityAuthorizationError: Error, Sendable {
  /// The attributes and the state together are larger than 4 KB.
  case attributesTooLarge
  /// The device does not support this kind of activity.
  case unsupported
  /// The user turned activities off.
  case denied
  /// The device is running too many activities.
  case globalMaximumExceeded
  /// The app is running too many activities.
  case targetMaximumExceeded
  /// The app cannot run activities.
  case unsupportedTarget
  /// The app was in the background.
  case visibility
  /// The activity could not be saved.
  case persistenceFailure
  /// The process could not be identified.
  case missingProcessIdentifier
  /// The app's manifest does not allow activities.
  case unentitled
  /// The identifier is not valid.
  case malformedActivityIdentifier
  /// The process is not allowed to reconnect to the activity.
  case reconnectNotPermitted
}
