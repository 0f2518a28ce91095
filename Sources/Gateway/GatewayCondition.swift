internal import Storage

/// How a gateway stands, as its probes ask it from any thread.
public struct GatewayCondition: Sendable {
  /// What was found at the start, a sentence each.
  private let found: [String]
  private let stores: [StoreHealth]

  init(_ resources: GatewayResources) {
    found = [resources.restoration].compactMap(\.self) + resources.losses
    stores = [resources.controlHealth, resources.notificationHealth].compactMap(\.self)
  }

  /// Why the gateway can accept nothing; nil where it can.
  public var obstacle: String? {
    stores.lazy.compactMap(\.failure).first.map { "\($0)" }
  }

  /// What a person should know of a gateway that is ready, a sentence each.
  public var notices: [String] {
    found + stores.compactMap(\.readFailure).map { "\($0)" }
  }
}
