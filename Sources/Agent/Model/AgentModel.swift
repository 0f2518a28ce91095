import BelfryWire

/// The agent's decisions as one state machine: apps, permissions, delivery, responses, background work,
/// schedule, regions.
///
/// Has no clock, socket or disk: `AgentDaemon` passes each event with the time to `handle`, then carries out the
/// effects from `takeEffects`. Its parts are private to it; what concerns several of them is coordinated in
/// `AgentParts`.
struct AgentModel: ~Copyable {
  private var parts: AgentParts

  /// Creates an agent without state: the first events have to be `recordsRestored` and `started`.
  init(_ configuration: Configuration, zones: ZoneFolder, lookUps: LookUps = LookUps()) {
    parts = AgentParts(configuration, zones, lookUps)
  }

  /// The ids of the latest pushes, oldest first, by which the gateway's link recognises repetitions too.
  var rememberedPushes: [NotificationID] { parts.pipeline.rememberedPushes }

  /// The device's languages, most wanted first.
  var languages: [String] { parts.context.apps.languages }

  /// What a person sees in the Notification Center, the newest app and thread first.
  var centerGroups: [CenterGroup] {
    CenterGroup.groups(parts.pipeline.newestListed(parts.context)) {
      parts.context.apps[$0]?.status == .provisional
    }
  }

  /// The app whose connection it is; nil for a command's, and before it has greeted.
  func app(of connection: ConnectionID) -> AppID? { parts.context.connections[connection]?.app }

  /// Handles an event; `takeEffects` returns what follows from it.
  mutating func handle(_ event: AgentEvent, at now: AgentTime) { parts.handle(event, at: now) }

  /// Returns and clears the effects since the last call.
  mutating func takeEffects() -> [AgentEffect] { parts.context.takeEffects() }

  /// Asserts what holds between events, within each part and between them.
  func checkInvariants() { parts.checkInvariants() }
}
