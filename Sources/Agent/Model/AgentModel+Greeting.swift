import BelfryWire

extension AgentModel {
  /// A process greets.
  mutating func greeted(_ ask: Ask, _ hello: AppHello, by process: ProcessIdentity) {
    guard hello.version == AppHello.protocolVersion else {
      return refuseGreeting(
        ask, .unsupportedProtocol, "this agent speaks version \(AppHello.protocolVersion)")
    }
    guard process.uid == userID || process.uid == 0 else {
      return refuseGreeting(
        ask, .appRefused, "the agent serves user \(userID): run as that user")
    }
    guard peers[ask.connection] == nil else {
      return refuseGreeting(ask, .appRefused, "greeted twice on one connection")
    }
    guard hello.role != .control else {
      admit(
        ask.connection, role: .control, app: nil, .background, process: process.pid)
      emit(.answer(ask, .welcome(AppWelcome(appID: nil, agentRun: agentRun))))
      return
    }
    switch identify(hello, process) {
    case .failure(let failure):
      refuseGreeting(ask, failure.reason, failure.message)
    case .success(let id):
      enter(ask, id, hello, process)
    }
  }

  private mutating func refuseGreeting(
    _ ask: Ask, _ reason: AppLinkFailure.Reason, _ message: String
  ) {
    emit(.refuse(ask, AppLinkFailure(reason, message)))
    emit(.close(ask.connection))
  }

  /// Whose connection it is, by what the process is and then by what it says (linux-parts 13).
  private func identify(_ hello: AppHello, _ process: ProcessIdentity)
    -> Result<AppID, AppLinkFailure>
  {
    let known =
      process.sandboxedApp ?? installedApp(running: process.executable)?.id.text
      ?? process.bundleApp ?? process.unitApp
    guard let text = hello.appID ?? known else {
      return .failure(
        AppLinkFailure(
          .appRefused,
          "no app is known for this process: install it with 'belfry app install', or name it with "
            + "BELFRY_APP_ID"))
    }
    guard let id = AppID(text) else {
      return .failure(
        AppLinkFailure(.appRefused, "\"\(text)\" is no app id: use a name like org.example.app"))
    }
    if let sandboxed = process.sandboxedApp, sandboxed != text {
      return .failure(
        AppLinkFailure(.appRefused, "this process is \(sandboxed) and may not be \(id)"))
    }
    if let installed = installedApp(running: process.executable), installed.id != id {
      return .failure(
        AppLinkFailure(.appRefused, "this program is \(installed.id) and may not be \(id)"))
    }
    if let reason = reasonAgainst(id, hello, process) {
      return .failure(AppLinkFailure(.appRefused, reason))
    }
    let isKnown = apps[id] != nil || text == known
    guard isKnown || hello.isDevelopment else {
      return .failure(
        AppLinkFailure(
          .unknownApp, "\(id) is not installed: run 'belfry app install', or set BELFRY_APP_ID"))
    }
    guard isKnown || apps.count < Limits.apps else {
      return .failure(
        AppLinkFailure(.appRefused, "too many apps: remove some with 'belfry app remove'"))
    }
    return .success(id)
  }

  /// The installed app whose program this is; a program that takes arguments (an interpreter, a
  /// launcher) may be several apps and tells nothing.
  private func installedApp(running executable: String?) -> LocalApp? {
    guard let executable else { return nil }
    return apps.values.first { $0.installation?.provingExecutable == executable }
  }

  /// Why a process may not be an installed app: another program than the app's own, that neither
  /// this agent started nor anything else vouches for.
  ///
  /// The agent's own executable is the shell's
  /// way to be an app (`belfry app run`).
  private func reasonAgainst(
    _ id: AppID, _ hello: AppHello, _ process: ProcessIdentity
  ) -> String? {
    guard let own = apps[id]?.installation?.provingExecutable, let executable = process.executable,
      executable != own, executable != agentExecutable,
      executable != apps[id]?.installation?.serviceExtension,
      hello.launch == nil || launches[id] != hello.launch,
      ![process.sandboxedApp, process.bundleApp, process.unitApp].contains(id.text)
    else { return nil }
    return "\(id) is installed as \(own), and this program is \(executable): run that one, or "
      + "remove the app with 'belfry app remove'"
  }

  private mutating func enter(
    _ ask: Ask, _ id: AppID, _ hello: AppHello, _ process: ProcessIdentity
  ) {
    if apps[id] == nil { add(LocalApp(id: id)) }
    update(id) { record in
      // An extension's manifest is not the app's.
      guard hello.role == .app else { return }
      if let name = hello.name, record.installation == nil { record.name = name }
      if let path = hello.bundlePath ?? process.bundlePath { record.bundlePath = path }
      if let languages = hello.languages { record.languages = languages }
      if !hello.backgroundModes.isEmpty { record.backgroundModes = hello.backgroundModes }
      if let usage = hello.locationUsage { record.locationUsage = usage }
    }
    admit(ask.connection, role: hello.role, app: id, hello.state, process: process.pid)
    guard let record = apps[id] else { return }
    var launch = AppLaunch(reason: .user)
    if hello.role == .app {
      // An app that D-Bus has started cannot know the token: it is the next one to come.
      let isBusActivated = record.installation?.isBusActivatable == true && hello.launch == nil
      if let token = launches[id], hello.launch == token || isBusActivated {
        launches[id] = nil
        if let waiting = waitingResponses[id]?.first {
          launch = AppLaunch(
            reason: .response, response: waiting.response,
            payload: waiting.response.notification.payload)
        } else if let fetch = waitingFetches[id]?.first {
          launch = AppLaunch(reason: .push, payload: fetch.payload)
        }
      }
    }
    emit(
      .answer(
        ask,
        .welcome(
          AppWelcome(
            appID: id.text, agentRun: agentRun, settings: record.settings, badge: record.badge,
            languages: languages(of: id), launch: launch,
            isRegistered: !record.registrations.isEmpty))))
    switch hello.role {
    case .app:
      handOverWaiting(id)
      lookAgain(for: ask.connection)
    case .serviceExtension:
      // One that nobody waits for has nothing to do.
      if !extensionGreeted(ask.connection, token: hello.launch) { emit(.close(ask.connection)) }
    case .control: break
    }
  }

  /// What waited for the app is told to it now.
  private mutating func handOverWaiting(_ id: AppID) {
    for arrival in waitingFetches.removeValue(forKey: id) ?? [] {
      _ = question(
        id, .arrived(arrival), .fetch(id, arrival.id),
        timeoutMilliseconds: Limits.fetchMilliseconds)
    }
    if presence(of: id) == .foreground { cameToFront(id) }
    for waiting in waitingResponses[id] ?? [] { sendResponse(waiting, to: id) }
  }

  /// A connection is gone: its questions are answered by nobody.
  mutating func closed(_ connection: ConnectionID) {
    guard peers.removeValue(forKey: connection) != nil else { return }
    extensionClosed(connection)
    for (question, purpose) in questions where question.connection == connection {
      questions[question] = nil
      switch purpose {
      case .willPresent(let key, let notification):
        // The app went away while it was asked: it is not in front any more.
        if presence(of: key.app) != .foreground {
          show(key, notification, presence: .notRunning)
        }
      case .fetch(let app, _):
        wakeEnded(app, nil)
        startedForPush.remove(app)
      case .response, .extend:
        // A response that was not handled stays in the store and is told again.
        break
      }
    }
    for (app, asks) in undecided {
      undecided[app] = asks.filter { $0.connection != connection }
    }
    for (app, asks) in undecidedLocation {
      undecidedLocation[app] = asks.filter { $0.connection != connection }
    }
  }
}
