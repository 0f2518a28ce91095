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

  /// An asynchronous sequence that emits true once, because the permission to start activities never changes.
  public var activityEnablementUpdates: ActivityUpdates<Bool> {
    ActivityUpdates(source: ValueStreams(true))
  }

  /// An asynchronous sequence that emits true once, because the permission for frequent updates never changes.
  public var frequentPushEnablementUpdates: ActivityUpdates<Bool> {
    ActivityUpdates(source: ValueStreams(true))
  }
}
