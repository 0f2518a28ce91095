import BelfryClient
import Foundation

/// Whether the app may have live activities: always, since nothing is drawn.
public final class ActivityAuthorizationInfo: Sendable {
  /// Asks for the app.
  public init() {}

  /// Whether the app may start activities.
  public var areActivitiesEnabled: Bool { true }

  /// Whether the app may be updated often.
  public var frequentPushesEnabled: Bool { true }

  /// Whether the app may start activities, and its changes.
  public var activityEnablementUpdates: ActivityUpdates<Bool> {
    ActivityUpdates(source: ValueStreams(true))
  }

  /// Whether the app may be updated often, and its changes.
  public var frequentPushEnablementUpdates: ActivityUpdates<Bool> {
    ActivityUpdates(source: ValueStreams(true))
  }
}
