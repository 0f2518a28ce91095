import BelfryWire
import Foundation
import Glibc
import System

/// What the machine and the desktop tell, and what follows for work in the background.
extension AgentDaemon {
  /// Listens to the services of the machine, as far as they are there.
  func watchServices() {
    guard !clock.isManual, let system = try? BusConnection(.system, on: loop) else { return }
    systemBus = system
    services = try? SystemServices(bus: system, processID: getpid()) { [weak self] change in
      self?.serviceTold(change)
    }
  }

  private func serviceTold(_ change: SystemServices.Change) {
    switch change {
    case .isBatteryLow(let isLow): changeConditions { $0.isBatteryLow = isLow }
    case .isPowerSaver(let isOn): changeConditions { $0.isPowerSaver = isOn }
    case .isMetered(let isMetered): changeConditions { $0.isMetered = isMetered }
    case .isLocked(let isLocked): changeConditions { $0.isLocked = isLocked }
    case .sleeps(let sleeps):
      self.sleeps = sleeps
      tellLinkState()
      if !sleeps {
        uplink?.probe()
        // What came due meanwhile need not wait for the kernel's alarm.
        keeper?.settle()
      }
    case .zone(let name): (clock as? MachineClock)?.moved(toZone: name)
    case .isOnline: uplink?.probe()
    }
  }

  func changeConditions(_ change: (inout DeviceModel.Conditions) -> Void) {
    model.change(atUnixMilliseconds: clock.now.wall, change)
    flush()
  }

  func tellLinkState() {
    var state = model.conditions.deviceState
    if sleeps { state.insert(.asleep) }
    uplink?.tell(state)
  }

  /// Wakes apps whose pushes waited, and says when to look again.
  func lookForBackground() {
    if let backgroundTimer { loop.cancel(backgroundTimer) }
    backgroundTimer = nil
    let now = clock.now.wall
    guard let next = model.nextBackground(atUnixMilliseconds: now) else { return }
    guard next > now else {
      model.releaseBackground(atUnixMilliseconds: now)
      return flush()
    }
    guard !clock.isManual else { return }
    backgroundTimer = loop.schedule(afterNanoseconds: (next - now) * 1_000_000) { [weak self] in
      self?.backgroundTimer = nil
      self?.lookForBackground()
    }
  }
}

extension AgentDaemon {
  /// What this agent has and lacks, for `belfry doctor`.
  var diagnosis: [JSONObject] {
    func row(_ feature: String, _ isFine: Bool, _ detail: String, _ advice: String = "")
      -> JSONObject
    {
      [
        "feature": .string(feature), "state": isFine ? "ok" : "missing",
        "detail": .string(detail), "do": .string(isFine ? "" : advice),
      ]
    }
    var rows = [
      row(
        "session bus", presenters?.bus != nil, presenters?.bus == nil ? "none" : "connected",
        "start the agent in a desktop session, or use --presenter terminal")
    ]
    if let desktop = presenters?.desktop {
      rows.append(
        row(
          "notification server", desktop.isAvailable,
          desktop.isAvailable ? "connected" : "none owns org.freedesktop.Notifications",
          "install and start one, such as dunst"))
      rows.append(
        row(
          "buttons", desktop.canAsk, desktop.canAsk ? "shown" : "not shown by this server",
          "use a notification server with actions"))
    }
    if configuration.gateway != nil {
      rows.append(
        row(
          "gateway", model.isLinkUp,
          model.isLinkUp ? "connected" : uplink?.reason ?? "not connected",
          "check --gateway, --ca and --enroll, and that the gateway runs"))
    } else {
      rows.append(
        row("gateway", false, "none", "start the agent with --gateway, --ca and --enroll"))
    }
    return rows
  }
}
