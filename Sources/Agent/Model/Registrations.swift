import BelfryWire
import AppWire

/// Registrations for remote notifications, and the tokens that the gateway issued.
///
/// The registrations are stored in the apps' records; this type decides how they change, and notifies the apps.
struct Registrations {
  private(set) var hasGateway: Bool
  /// True if the agent was started with `--gateway none`.
  private let isGatewayOff: Bool
  private var isLinkUp = false
  /// True once this run of the agent knows whether the gateway can be reached.
  ///
  /// Until then, no app is notified that the gateway is unreachable.
  private var isLinkKnown = false
  /// The reason that the last attempt to connect failed, and the advice about it, separated by a colon.
  private var linkProblem = "the gateway cannot be reached: check it with 'belfry doctor'"
  /// Apps that registered before the state of the link was known.
  private var awaitingLink: Set<Registrant> = []
  /// The gateway's environment; nil until the gateway has reported it.
  private var environment: BelfryWire.Environment?
  /// The reasons that apps have no token although they requested one.
  ///
  /// A reason is removed once the app has a token or no longer requests one.
  private var refusals: [AppID: [TokenKind: String]] = [:]
  /// Cancellations that the gateway has not acknowledged; until it does, the gateway considers the tokens valid.
  private var cancellations: Set<Cancellation> = []

  private struct Registrant: Hashable {
    let connection: ConnectionID
    let app: AppID
    let kind: TokenKind
  }

  private struct Cancellation: Hashable {
    let app: AppID
    let kind: TokenKind

    /// The cancellation's key in the store; an app's ID contains no slash.
    var recordKey: String { "\(app)/\(kind.rawValue)" }
  }

  /// Creates registrations without a link to the gateway.
  init(hasGateway: Bool, isGatewayOff: Bool = false) {
    assert(!hasGateway || !isGatewayOff, "--gateway none excludes a gateway")
    self.hasGateway = hasGateway
    self.isGatewayOff = isGatewayOff
  }

  /// The error for a request that requires a gateway, on a device that has none.
  var noGateway: AppLinkFailure {
    AppLinkFailure(
      .noGateway,
      isGatewayOff
        ? "the agent was started with --gateway none: start it without this option"
        : "this device has not joined a gateway: start 'belfry gateway', or start the agent with --gateway FILE"
    )
  }

  /// The advice in the diagnosis about a registered app that has no token yet.
  var advice: String {
    if hasGateway { return "wait for the gateway, or see the line about the gateway above" }
    return isGatewayOff
      ? "start the agent without --gateway none" : "start the agent with --gateway"
  }

  /// Returns the reason that the app's last attempt to register was refused; nil if it was not refused.
  func refusal(of app: AppID) -> String? {
    refusals[app]?.min { $0.key.rawValue < $1.key.rawValue }?.value
  }

  /// True if notifications can be received now.
  var isUp: Bool { isLinkUp }

  /// Handles a failed attempt to connect to the gateway; `problem` contains the reason and the advice.
  mutating func onLinkFailed(_ problem: String) {
    assert(hasGateway, "only a link to a gateway fails")
    assert(!problem.isEmpty, "the failure has a reason")
    linkProblem = problem
  }

  /// Handles the new state of the link to the gateway.
  mutating func onLinkChanged(isUp: Bool, _ context: inout AgentContext) {
    assert(hasGateway || !isUp, "the link is up only if there is a gateway")
    isLinkUp = isUp
    isLinkKnown = true
    let registrants = awaitingLink
    awaitingLink = []
    if !isUp {
      for one in registrants where context.apps[one.app]?.registrations[one.kind] != nil {
        tellUnreachable(one, &context)
      }
    }
    context.emit(.showLink(isUp: isUp))
  }

  /// Notifies an app that its registration cannot be sent now (S4-13), unless the app has a token or has disconnected.
  private func tellUnreachable(_ one: Registrant, _ context: inout AgentContext) {
    guard context.connections[one.connection] != nil,
      context.apps[one.app]?.registrations[one.kind]?.token == nil
    else { return }
    context.tell(
      one.connection,
      .registrationFailed(one.kind, AppLinkFailure(.gatewayUnreachable, linkProblem)))
  }

  /// Returns an app's token; nil if the gateway has not issued one yet.
  ///
  /// - Throws: The reason that the registration was refused.
  func token(
    of app: AppID, _ kind: TokenKind, _ context: AgentContext
  ) throws(AppLinkFailure) -> [UInt8]? {
    let registration = context.apps[app]?.registrations[kind]
    if let token = registration?.token { return token }
    if let reason = refusals[app]?[kind] ?? refusal(context.apps[app]) {
      throw AppLinkFailure(.registrationRefused, reason)
    }
    guard registration == nil else {
      let remedy = hasGateway ? "check the gateway with 'belfry doctor'" : advice
      throw AppLinkFailure(
        .gatewayUnreachable, "\(app) has registered, but has no token yet: \(remedy)")
    }
    return nil
  }

  /// Restores the cancellations that an earlier run could not send, or that the gateway has not acknowledged.
  mutating func restore(_ records: RestoredRecords, _ context: inout AgentContext) {
    for (key, _) in records[.cancellations] {
      let parts = key.split(separator: "/")
      guard parts.count == 2, let app = AppID(String(parts[0])),
        let kind = UInt8(parts[1]).flatMap(TokenKind.init)
      else {
        context.emit(.log(.damagedRecord(.cancellations, key: key)))
        continue
      }
      cancellations.insert(Cancellation(app: app, kind: kind))
    }
  }

  /// After a start, sends the gateway every stored cancellation, then every stored registration.
  func announceAll(_ context: inout AgentContext) {
    for one in cancellations.sorted(by: { $0.recordKey < $1.recordKey }) {
      context.emit(.unregister(one.app, one.kind))
    }
    for app in context.apps.all {
      for kind in TokenKind.allCases where app.registrations[kind] != nil {
        context.emit(.register(app.id, kind))
      }
    }
  }

  /// Handles a gateway that was started after the agent, and sends it every stored registration.
  mutating func onGatewayFound(_ context: inout AgentContext) {
    hasGateway = true
    context.emit(.announceState(context.conditions.deviceState))
    announceAll(&context)
  }

  /// Handles an app's registration.
  mutating func onRegister(
    _ requestID: RequestID, _ app: AppID, _ kind: TokenKind, _ context: inout AgentContext
  ) {
    context.confirm(requestID)
    refusals[app]?[kind] = nil
    func fail(_ reason: AppLinkFailure.Reason, _ message: String) {
      context.tell(
        requestID.connection, .registrationFailed(kind, AppLinkFailure(reason, message)))
    }
    if let reason = refusal(context.apps[app]) {
      refusals[app, default: [:]][kind] = reason
      return fail(.registrationRefused, reason)
    }
    guard hasGateway else { return fail(noGateway.reason, noGateway.message) }
    let known = context.apps[app]?.registrations[kind]
    if known == nil {
      context.update(app) { record in
        record.registrations[kind] = LocalApp.Registration()
        record.isInSettings = true
      }
    }
    if let token = known?.token {
      // An existing token is reported immediately (S0-37, S1-17).
      context.tell(requestID.connection, .token(kind, token))
    } else if !isLinkUp {
      // A new token requires a link to the gateway, and is reported when it arrives.
      let registrant = Registrant(connection: requestID.connection, app: app, kind: kind)
      if isLinkKnown {
        tellUnreachable(registrant, &context)
      } else {
        awaitingLink.insert(registrant)
      }
    }
    context.emit(.register(app, kind))
  }

  /// Handles the installation of an app over a former one: if its manifest was the reason that the app has no token,
  /// replaces the reason by the one that is valid now.
  mutating func onInstalled(_ app: AppID, over former: LocalApp?, _ context: AgentContext) {
    guard refusals[app] != nil, refusal(former) != nil else { return }
    let reason =
      refusal(context.apps[app])
      ?? "\(app) has not registered since its manifest was corrected: start the app, so that it registers"
    refusals[app] = refusals[app]?.mapValues { _ in reason }
  }

  /// Returns the reason that an app gets no token, regardless of the gateway's answer; nil if the app may have a token
  /// (S0-32, S2-23).
  private func refusal(_ record: LocalApp?) -> String? {
    guard let record, let installation = record.installation else { return nil }
    let fault: String
    switch (installation.pushEnvironment, environment) {
    case (nil, _):
      // A desktop file cannot specify an environment, so its claim to remote notifications is valid without one.
      guard !record.claims(.pushes) else { return nil }
      fault = "its manifest does not claim aps-environment"
    case ("development", .production), ("production", .sandbox):
      fault =
        "it claims \(installation.pushEnvironment ?? ""), but the gateway belongs to the "
        + "\(environment?.name ?? "") environment"
    case ("development", _), ("production", _): return nil
    case (let claimed?, _): fault = "unknown environment \"\(claimed)\""
    }
    return
      "no valid 'aps-environment' entitlement string found for \(record.id): \(fault): set it to "
      + "\(validClaims) and run 'belfry app install' again"
  }

  /// The values of `aps-environment` that this gateway's environment accepts, for advice.
  private var validClaims: String {
    switch environment {
    case .sandbox: "development"
    case .production: "production"
    default: "development or production"
    }
  }

  /// Handles the gateway's report of its environment: apps of another environment lose the registrations that they made
  /// before the environment was known.
  mutating func onGatewayKnown(
    _ environment: BelfryWire.Environment, _ context: inout AgentContext
  ) {
    self.environment = environment
    for app in context.apps.all {
      guard let reason = refusal(app) else { continue }
      for kind in TokenKind.allCases where app.registrations[kind] != nil {
        onRefused(app.id, kind, reason, &context)
        cancel(app.id, kind, &context)
      }
    }
  }

  /// Cancels a registration, because the app unregisters or was removed.
  mutating func unregister(_ app: AppID, _ kind: TokenKind, _ context: inout AgentContext) {
    refusals[app]?[kind] = nil
    if refusals[app]?.isEmpty == true { refusals[app] = nil }
    guard context.apps[app]?.registrations[kind] != nil else { return }
    context.update(app) { record in
      record.registrations[kind] = nil
      // The app disappears from the settings (S4-7).
      if kind == .alert { record.isInSettings = false }
    }
    cancel(app, kind, &context)
  }

  /// Sends a cancellation, and repeats it after each restart until the gateway acknowledges it.
  private mutating func cancel(_ app: AppID, _ kind: TokenKind, _ context: inout AgentContext) {
    let cancellation = Cancellation(app: app, kind: kind)
    if cancellations.count < Limits.cancellations, cancellations.insert(cancellation).inserted {
      context.emit(.persist(.put(.cancellations, key: cancellation.recordKey, [])))
    }
    context.emit(.unregister(app, kind))
  }

  /// Handles the acknowledgment of a cancellation.
  mutating func onCancelled(_ app: AppID, _ kind: TokenKind, _ context: inout AgentContext) {
    guard let known = cancellations.remove(Cancellation(app: app, kind: kind)) else { return }
    context.emit(.persist(.remove(.cancellations, key: known.recordKey)))
  }

  /// Removes every cancellation.
  ///
  /// The cancellations belong to a previous device identity, so their tokens belong to another device or are invalid.
  private mutating func forgetCancellations(_ context: inout AgentContext) {
    for one in cancellations {
      context.emit(.persist(.remove(.cancellations, key: one.recordKey)))
    }
    cancellations = []
  }

  /// Handles a token from the gateway: the app's first token, the same token again, or a different token (S0-38).
  mutating func onToken(
    _ app: AppID, _ kind: TokenKind, _ token: [UInt8], _ context: inout AgentContext
  ) {
    guard let known = context.apps[app]?.registrations[kind] else {
      // The registration was refused or cancelled while the token was being requested, but the gateway considers the
      // token valid.
      return cancel(app, kind, &context)
    }
    guard known.token != token else { return }
    context.update(app) { $0.registrations[kind] = LocalApp.Registration(token: token) }
    context.tell(app, .token(kind, token))
  }

  /// Handles the gateway's refusal to register.
  mutating func onRefused(
    _ app: AppID, _ kind: TokenKind, _ message: String, _ context: inout AgentContext
  ) {
    guard context.apps[app]?.registrations[kind] != nil else { return }
    refusals[app, default: [:]][kind] = message
    context.update(app) { $0.registrations[kind] = nil }
    context.tell(
      app, .registrationFailed(kind, AppLinkFailure(.registrationRefused, message)))
  }

  /// Discards all registrations: no push may reach an app before it is launched on this machine (S0-34, S1-16).
  mutating func onMachineReplaced(_ context: inout AgentContext) {
    forgetCancellations(&context)
    for app in context.apps.all where !app.registrations.isEmpty {
      context.update(app.id) { $0.registrations = [:] }
    }
  }

  /// Discards all tokens, because the device has a new identity.
  ///
  /// The registrations remain, and the link sends them again.
  mutating func onIdentityReplaced(_ context: inout AgentContext) {
    forgetCancellations(&context)
    for app in context.apps.all where !app.registrations.isEmpty {
      context.update(app.id) { record in
        for kind in record.registrations.keys { record.registrations[kind]?.token = nil }
      }
    }
  }

  /// Traps in debug builds if the state of the registrations is inconsistent.
  func checkInvariants(_ context: AgentContext) {
    assert(hasGateway || !isLinkUp, "the link is up only if there is a gateway")
    assert(
      cancellations.count <= Limits.cancellations,
      "the limit of cancellations is not exceeded: \(cancellations.count)")
    for app in refusals.keys {
      assert(context.apps[app] != nil, "refusals belong to known apps")
    }
  }
}
