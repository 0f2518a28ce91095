import BelfryWire
import Foundation
import System

/// What the machine and the desktop tell, and what follows for work in the background.
extension AgentDaemon {
  /// Listens to the services of the machine, as far as they are there.
  func watchServices() {
    guard !clock.isManual, let system = try? BusConnection(.system, on: loop) else { return }
    systemBus = system
    services = try? SystemServices(bus: system) { [weak self] change in
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
