import AppWire
import BelfryWire
package import PushWire

/// The agent's decisions as one state machine: apps, permissions, delivery, responses, background work, schedule, and
/// regions.
///
/// The model uses no clock, socket, or disk: `AgentDaemon` passes each event with the time to `handle`, then carries
/// out the effects from `takeEffects`. The model's parts are private; `AgentParts` coordinates events that affect
/// several of them.
package struct AgentModel: ~Copyable {
  private var parts: AgentParts

  /// Creates an agent without state.
  ///
  /// The first events must be `recordsRestored` and `started`.
  package init(_ configuration: Configuration, zones: ZoneFolder, lookUps: LookUps = LookUps()) {
    parts = AgentParts(configuration, zones, lookUps)
  }

  /// The IDs of the latest pushes, oldest first.
  ///
  /// The gateway's link uses them to recognize repetitions.
  package var rememberedPushes: [NotificationID] { parts.pipeline.delivery.rememberedPushes }

  /// The device's languages, in order of preference.
  var languages: [String] { parts.context.apps.languages }

  /// The content of the Notification Center as the user sees it, with the newest app and thread first.
  var centerGroups: [CenterGroup] {
    CenterGroup.groups(parts.pipeline.delivery.newestListed(parts.context)) {
      parts.context.apps[$0]?.status == .provisional
    }
  }

  /// Returns the app that owns a connection; nil for a command's connection, and before the greeting.
  func app(of connection: ConnectionID) -> AppID? { parts.context.connections[connection]?.app }

  /// Returns the folder with an app's resources; nil if the app has no such folder.
  func bundlePath(of app: AppID) -> String? { parts.context.apps[app]?.bundlePath }

  /// Returns the name on the bus of the app that has registered this token with the UnifiedPush distributor.
  func unifiedPushService(of token: UTF8Text) -> UTF8Text? { parts.unifiedPush.service(of: token) }

  /// Returns true if an app with this name on the bus has a registration or a call that waits for it.
  func hasUnifiedPushApp(_ name: UTF8Text) -> Bool { parts.unifiedPush.hasApp(name) }

  /// Handles an event; `takeEffects` returns the resulting effects.
  package mutating func handle(_ event: AgentEvent, at now: AgentTime) {
    parts.handle(event, at: now)
  }

  /// Returns and clears the effects that were emitted since the last call.
  package mutating func takeEffects() -> [AgentEffect] { parts.context.takeEffects() }

  /// Asserts the invariants that hold between events, within each part and between parts.
  func checkInvariants() { parts.checkInvariants() }
}
