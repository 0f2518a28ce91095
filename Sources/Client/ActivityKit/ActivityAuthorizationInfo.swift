import BelfryClient
import Foundation

/// The app's permission for Live Activities, which is always granted because nothing is drawn.
public final class ActivityAuthorizationInfo: Sendable {
  /// Creates an object that reports the app's permission.
  public init() {}

  /// A Boolean value that indicates whether the app may start activities; always true.
  public var areActivitiesEnabled: Bool { true }

  /// A Boolean value that indicates whether the app may receive frequent updates; always true.
  public var frequentPushesEnabled: Bool { true }

  /// The permission to start activities, followed by each change.
  public var activityEnablementUpdates: ActivityUpdates<Bool> {
    ActivityUpdates(source: ValueStreams(true))
  }

  /// The permission for frequent updates, followed by each change.
  public var frequentPushEnablementUpdates: ActivityUpdates<Bool> {
    ActivityUpdates(source: ValueStreams(true))
  }
}
