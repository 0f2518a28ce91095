import Scheduling
import BelfryWire
import Foundation
import System

extension LinuxMachine {
  /// Returns the findings of `belfry doctor`: the features that work, and those that are missing.
  func diagnosis(_ model: ModelDiagnosis) -> [JSONObject] {
    (ownFindings(model) + [focusModeFinding(model)] + desktopFindings + windowFindings
      + focusFindings + soundFindings
      + serviceFindings(model) + gatewayFindings(model) + [model.unifiedPush] + model.appFindings)
      .map(\.json)
  }

  private func ownFindings(_ model: ModelDiagnosis) -> [Finding] {
    let (waiting, damage) = (daemon?.unpersistedCount ?? 0, daemon?.damageNotice)
    return [
      Finding(
        feature: "agent", isFine: true,
        detail: "process \(ProcessInfo.processInfo.processIdentifier), socket "
          + "\(configuration.socketPath), data \(configuration.dataFolder)"),
      Finding(
        feature: "disk", isFine: waiting == 0,
        detail: waiting == 0
          ? "writable"
          : "not writable: "
            + (waiting == 1 ? "1 change is waiting" : "\(waiting) changes are waiting"),
        advice: "free some space in \(configuration.dataFolder), and allow the agent to write there"
      ),
      Finding(
        feature: "records", isFine: damage == nil, detail: damage ?? "intact",
        advice: "check the disk, and enter the lost settings and schedules again"),
      Finding(
        feature: "time zone", isFine: FileSystem.exists(clock.zones.folder),
        detail: FileSystem.exists(clock.zones.folder)
          ? clock.zone.name : "no time-zone database in \(clock.zones.folder)",
        advice: "install tzdata, or set TZDIR to its folder"),
      Finding(
        feature: "languages", isFine: true, detail: model.languages.joined(separator: ",")),
    ]
  }

  private func focusModeFinding(_ model: ModelDiagnosis) -> Finding {
    let isOn = model.conditions["focus"] == "on"
    return Finding(
      feature: "focus", isFine: !isOn, isLack: false,
      detail: isOn
        ? "on: notifications are silenced, except allowed time-sensitive and critical ones"
        : "off",
      advice: "belfry state focus=off")
  }

  private var desktopFindings: [Finding] {
    guard let presenters else { return [] }
    var findings = [
      Finding(
        feature: "session bus", isFine: presenters.bus != nil,
        isOptional: presenters.desktop == nil,
        detail: presenters.bus == nil ? "none" : "connected",
        advice: presenters.hasTerminal
          ? "to show notifications on a desktop, start the agent in a desktop session"
          : "start the agent in a desktop session, or use --presenter terminal")
    ]
    guard let desktop = presenters.desktop else { return findings }
    findings.append(serverFinding(desktop))
    guard desktop.isAvailable else { return findings }
    findings += serverFindings(desktop)
    let quiet = presenters.quiet?.quiet.sorted().joined(separator: ", ") ?? ""
    findings.append(
      Finding(
        feature: "do not disturb", isFine: quiet.isEmpty, isLack: false,
        detail: quiet.isEmpty ? "off" : "on, according to \(quiet)",
        advice: "turn it off in the desktop's settings: it holds back banners and sounds"))
    return findings
  }

  /// Returns the finding about the server itself, which need not run if the bus can start it.
  private func serverFinding(_ desktop: DesktopPresenter) -> Finding {
    let starter = desktop.starter
    if !desktop.isAvailable, let problem = starter.problem {
      return Finding(
        feature: "notification server", isFine: false,
        detail: "the session bus could not start it: \(problem)",
        advice: "start it in the desktop session")
    }
    return Finding(
      feature: "notification server", isFine: desktop.isAvailable || starter.isPossible,
      detail: desktop.isAvailable
        ? desktop.serverName
        : starter.isPossible
          ? "not running: the session bus starts it for the next notification"
          : "no program owns org.freedesktop.Notifications",
      advice: "install and start one, such as dunst")
  }

  /// Returns the findings about the server's features.
  private func serverFindings(_ desktop: DesktopPresenter) -> [Finding] {
    var findings: [Finding] = []
    let hasWindows = presenters?.windows.canOpen == true
    switch desktop.server.buttons {
    case .menu:
      findings.append(
        Finding(
          feature: "buttons", isFine: hasWindows, isLack: false,
          detail: "in the server's context menu (in dunst, run 'dunstctl context')"
            + (hasWindows ? "; questions and alerts have windows with buttons" : " only"),
          advice: "install belfry-center, whose windows show the buttons of questions and alerts"))
    case .none, .upTo, .all:
      let hasButtons = desktop.server.buttons != .none
      findings.append(
        Finding(
          feature: "buttons", isFine: hasButtons,
          detail: hasButtons ? "shown" : "not shown by this server",
          advice: "use a server with actions, or install belfry-center, whose windows have buttons")
      )
    }
    for (feature, name, advice) in [
      (
        "body text", "body",
        "use a server that supports body text: for now, the title contains all text"
      ),
      (
        "inline reply", "inline-reply",
        hasWindows
          ? "only Plasma supports it: on this desktop, a window asks for the text"
          : "only Plasma supports it: elsewhere, a window asks for the text if belfry-center is installed"
      ),
    ] {
      let isThere = desktop.capabilities.contains(name)
      findings.append(
        Finding(
          feature: feature, isFine: isThere, isOptional: true,
          detail: isThere ? "supported" : "not supported by this server", advice: advice))
    }
    return findings
  }

  private var windowFindings: [Finding] {
    // Without a display, no windows can be shown; this is not a fault.
    guard let windows = presenters?.windows, windows.hasDisplay else { return [] }
    return [
      Finding(
        feature: "windows", isFine: windows.canOpen, isOptional: true,
        detail: windows.canOpen
          ? windows.program ?? ""
          : windows.program == nil
            ? "belfry-center not found" : "belfry-center cannot use the display",
        advice:
          "install belfry-agent-desktop, or put belfry-center in belfry's folder; it requires GTK 4"
      )
    ]
  }

  private var focusFindings: [Finding] {
    // Without an X server, apps report their own foreground state; this is not a fault.
    guard let focus, focus.hasDisplay else { return [] }
    return [
      Finding(
        feature: "foreground window", isFine: focus.isWatching, isOptional: true,
        detail: focus.isWatching
          ? "watched on the X server"
          : focus.program == nil ? "belfry-focus not found" : "not reported by the X server",
        advice:
          "install belfry-agent-desktop, or put belfry-focus in belfry's folder; without it, apps report "
          + "their own foreground state")
    ]
  }

  private var soundFindings: [Finding] {
    guard let sounds = presenters?.sounds else { return [] }
    let theme = SoundSearch.systemFile(environment: ProcessInfo.processInfo.environment)
    // The agent learns whether the machine has a sound output only when it tries to play a sound.
    let problem = sounds.problem.map { ProblemText($0) }
    return [
      Finding(
        feature: "sounds", isFine: sounds.isAvailable && problem == nil, isOptional: true,
        detail: problem?.problem
          ?? sounds.program.map { sounds.hasPlayed ? $0 : "\($0), no sound played yet" }
          ?? "belfry-sound not found",
        advice: problem?.advice
          ?? "install belfry-agent-desktop, or put belfry-sound in belfry's folder"),
      Finding(
        feature: "default sound", isFine: theme != nil, isOptional: true,
        detail: theme ?? "no sound theme",
        advice: "install sound-theme-freedesktop; until then, a built-in chime is played"),
    ]
  }

  private func serviceFindings(_ model: ModelDiagnosis) -> [Finding] {
    guard !clock.isManual else {
      return [
        Finding(
          feature: "machine's services", isFine: false, isOptional: true,
          detail: "not read, because the clock is manual; \(model.conditionsText)",
          advice: "start the agent without --clock manual")
      ]
    }
    let running = services?.running ?? []
    let hasBus = services?.hasBus == true
    var findings = [
      Finding(
        feature: "system bus", isFine: hasBus, isOptional: true,
        detail: hasBus ? "connected" : "none",
        advice: "start dbus; until then, set battery, network and lock with 'belfry state'")
    ]
    for (feature, condition, name, advice) in [
      ("battery", "battery", "org.freedesktop.UPower", "install upower"),
      (
        "power profile", "powerSaver", "net.hadess.PowerProfiles", "install power-profiles-daemon"
      ),
      (
        "metered network", "metered", "org.freedesktop.NetworkManager", "install network-manager"
      ),
      (
        "lock screen", "locked", "org.freedesktop.login1",
        "run the agent in a session of systemd-logind"
      ),
    ] {
      let isThere = running.contains(name)
      let value = model.conditions[condition]?.stringValue ?? ""
      // No command can set a power profile.
      let command =
        condition == "powerSaver" ? "" : ", or set it with 'belfry state \(condition)=…'"
      findings.append(
        Finding(
          feature: feature, isFine: isThere, isOptional: true,
          detail: isThere ? "\(value), from \(name)" : "\(value), not from \(name)",
          advice: advice + command))
    }
    let isLocated = places?.isReporting == true
    findings.append(
      Finding(
        feature: "location", isFine: model.isLocationOn && !model.lacksPlace, isLack: false,
        detail: !model.isLocationOn
          ? "off for the whole device"
          : model.lacksPlace
            ? "on, but unknown: notifications for a place wait"
            : isLocated ? "from GeoClue" : "on, not in use",
        advice: !model.isLocationOn
          ? "belfry settings --location on"
          : "start GeoClue, or set the location with 'belfry location set LAT,LON'"))
    return findings
  }

  private func gatewayFindings(_ model: ModelDiagnosis) -> [Finding] {
    guard let gateway else {
      if let awaited = configuration.awaitedGateway, awaited.isNamed {
        let isMissing = !FileSystem.exists(awaited.file)
        return [
          Finding(
            feature: "gateway", isFine: false,
            detail: isMissing
              ? "no file \(awaited.file): waiting for a gateway to start there"
              : "cannot read the gateway description \(awaited.file)",
            advice: isMissing
              ? "start the gateway, or correct the path in --gateway"
              : "check the agent's log, or correct the path in --gateway")
        ]
      }
      // The agent has probably been started without the option or the variable that specified its gateway.
      let isLost = model.hasRegistrations && !configuration.isGatewayOff
      return [
        Finding(
          feature: "gateway", isFine: false, isOptional: !isLost,
          detail: isLost
            ? "none: apps that have registered for pushes receive nothing"
            : "none: local notifications only",
          advice: configuration.isGatewayOff
            ? "the agent was started with --gateway none: start it without this option"
            : "start a gateway on this machine with 'belfry gateway', or start the agent with the options that "
              + "'belfry device invite' prints on the gateway's machine")
      ]
    }
    let address = "\(gateway.host):\(gateway.port)"
    var detail = "\(address), "
    detail += model.isLinkUp ? "connected" : receiver?.reason ?? "not connected"
    if let device = receiver?.device { detail += ", device \(device)" }
    var findings = [
      Finding(
        feature: "gateway", isFine: model.isLinkUp, detail: detail,
        advice: receiver?.advice ?? "", address: address)
    ]
    if let end = receiver?.certificateEnd {
      let isValid = end > SystemClock.unixMilliseconds / 1_000
      findings.append(
        Finding(
          feature: "device certificate", isFine: isValid,
          detail: "valid until " + Timestamp.rfc3339(unixMilliseconds: end * 1_000),
          advice: GatewayLinkLoss.enrollAgain(
            identity: LinuxMachine.identityFolder(of: configuration))))
    }
    return findings
  }
}
