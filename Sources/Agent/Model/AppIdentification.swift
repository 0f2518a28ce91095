import BelfryWire
import AppWire

/// The identification of a connection's app, first by its process, then by its greeting (linux-parts 13).
struct AppIdentification {
  let configuration: AgentModel.Configuration
  let context: AgentContext

  /// Returns the reason to refuse a process, or nil if the process may connect.
  func refusal(_ requestID: RequestID, _ hello: AppHello, _ process: ProcessIdentity)
    -> AppLinkFailure?
  {
    guard hello.version == AppHello.protocolVersion else {
      return AppLinkFailure(
        .unsupportedProtocol,
        "this agent supports only version \(AppHello.protocolVersion) of the protocol")
    }
    guard process.uid == configuration.userID || process.uid == 0 else {
      return AppLinkFailure(
        .appRefused, "the agent serves user \(configuration.userID): run as that user")
    }
    guard context.connections[requestID.connection] == nil else {
      return AppLinkFailure(.appRefused, "second greeting on one connection")
    }
    switch process.obstacle {
    case .ended:
      return AppLinkFailure(
        .appRefused,
        "the process that connected (\(process.pid)) has exited: connect from the requesting process"
      )
    case .unreadable(let what):
      return AppLinkFailure(
        .appRefused,
        "the agent cannot inspect process \(process.pid) (\(what)): run it as the agent's user, "
          + "without PR_SET_DUMPABLE 0 or capabilities of its own")
    case .unknownSandbox:
      return AppLinkFailure(
        .unknownApp,
        "process \(process.pid) has a /.flatpak-info that Flatpak does not confirm: start the app with "
          + "'flatpak run'")
    case nil: break
    }
    guard hello.role != .control || !process.controlRights.isEmpty else {
      return AppLinkFailure(
        .appRefused,
        "this process is in a sandbox: only processes outside a sandbox can control the agent")
    }
    return nil
  }

  /// Returns the app that a process belongs to.
  ///
  /// - Throws: The reason that the process belongs to no app.
  func identify(
    _ hello: AppHello, _ process: ProcessIdentity
  ) throws(AppLinkFailure) -> AppID {
    let installed = context.apps.installedApp(running: process.executable)
    let known =
      process.sandboxedApp ?? installed?.id.text ?? process.bundleApp ?? process.unitApp
    guard let text = hello.appID ?? known else {
      throw AppLinkFailure(
        .appRefused,
        "unknown app: install it with 'belfry app install', or set "
          + "BELFRY_APP_ID")
    }
    guard let id = AppID(text) else {
      throw AppLinkFailure(
        .appRefused, AppID.message(forInvalid: text))
    }
    if let sandboxed = process.sandboxedApp, sandboxed != text {
      throw AppLinkFailure(.appRefused, "this process is \(sandboxed) and cannot act as \(id)")
    }
    if let installed, installed.id != id {
      throw AppLinkFailure(.appRefused, "this program is \(installed.id) and cannot act as \(id)")
    }
    try checkProgram(id, hello, process)
    let isKnown = context.apps[id] != nil || text == known
    guard isKnown || hello.isDevelopment else {
      throw AppLinkFailure(
        .unknownApp, "\(id) is not installed: run 'belfry app install', or set BELFRY_APP_ID")
    }
    guard context.apps[id] != nil || context.apps.count < Limits.apps else {
      throw AppLinkFailure(
        .appRefused, "too many apps: remove some with 'belfry app remove'")
    }
    return id
  }

  /// Refuses a process that claims to be an installed app but runs a program other than the app's own, unless this
  /// agent started the process, or its sandbox, bundle, or systemd unit identifies it as the app.
  ///
  /// The agent's own executable can act as an app (`belfry app run`).
  private func checkProgram(
    _ id: AppID, _ hello: AppHello, _ process: ProcessIdentity
  ) throws(AppLinkFailure) {
    if context.apps[id]?.isFlatpak == true, process.isSandboxed, process.sandboxedApp != id.text {
      throw AppLinkFailure(
        .appRefused,
        "\(id) is a Flatpak app, but this process is in another sandbox: start it "
          + "with 'flatpak run \(id)'")
    }
    guard let installation = context.apps[id]?.installation else { return }
    let own = installation.provingExecutable
    // If no program can prove the identity, trust the user's unsandboxed processes.
    if own == nil, !process.isSandboxed { return }
    let extensions = installation.contentExtensions.map(\.executable)
    if let executable = process.executable,
      ([own, configuration.agentExecutable, installation.serviceExtension] + extensions)
        .contains(executable)
    {
      return
    }
    if let token = hello.launch, context.launches.isAwaited(id, token: token) { return }
    let vouched = [process.sandboxedApp, process.bundleApp, process.unitApp]
    guard !vouched.contains(id.text) else { return }
    throw AppLinkFailure(
      .appRefused,
      "\(id) is installed as \(own ?? installation.executable ?? "a service"), and this program is "
        + "\(process.executable ?? "another"): run that one, set BELFRY_APP_ID to another ID, or remove the app with "
        + "'belfry app remove'")
  }
}

extension LocalApp {
  /// Updates an app's record from the app's greeting; values from the installation take precedence.
  mutating func apply(_ hello: AppHello, _ process: ProcessIdentity) {
    if process.sandboxedApp == id.text { isFlatpak = true }
    // Ignore the rest of an extension's greeting, which describes the extension's manifest, not the app's.
    guard hello.role == .app else { return }
    // The manifest of a development app can change between two starts, or be deleted.
    let newName = hello.name.flatMap(DisplayName.clean)
    if installation == nil, newName != nil || hello.isDevelopment { name = newName }
    if let path = hello.bundlePath ?? process.bundlePath { bundlePath = path }
    if let languages = hello.languages { self.languages = languages }
    if !hello.backgroundModes.isEmpty { backgroundModes = hello.backgroundModes }
    if let usage = hello.locationUsage.flatMap(DisplayName.cleanReason) { locationUsage = usage }
  }

  /// Updates an app's record from a newer installation; values that the installation omits are unchanged.
  mutating func apply(_ newer: LocalApp) {
    assert(newer.id == id, "a newer installation belongs to the same app")
    installation = newer.installation
    name = newer.name ?? name
    bundlePath = newer.bundlePath ?? bundlePath
    backgroundModes = newer.backgroundModes
    locationUsage = newer.locationUsage ?? locationUsage
  }

  /// Returns the app's row in the output of `belfry app list`.
  func row(_ context: AgentContext) -> JSONObject {
    let state =
      switch context.presence(of: id) {
      case .foreground: "foreground"
      case .background: context.suspended.contains(id) ? "suspended" : "background"
      case .notRunning: "notRunning"
      }
    var row: JSONObject = [
      "app": .string(id.text), "name": .string(displayName),
      "kind": installation == nil ? "development" : "installed", "state": .string(state),
      "badge": .integer(badge), "authorization": .string(status.rawValue),
    ]
    let kinds = TokenKind.allCases.filter { registrations[$0] != nil }
    row["registered"] = .array(kinds.map { .string("\($0.name)") })
    row["bundle"] = bundlePath.map(JSONValue.string) ?? .null
    return row
  }
}
